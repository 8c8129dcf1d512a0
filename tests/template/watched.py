"""What alarms and the dashboard look at, as plain values."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from template.loaded import Template, of_type
from template.resolved import resolved

FUNCTIONS = sorted(of_type(resolved(), "AWS::Serverless::Function"))


class Metric(NamedTuple):
    """A metric of CloudWatch; `dimensions` are pairs of name and value."""

    namespace: str
    name: str
    dimensions: tuple[tuple[str, str], ...]
    stat: str


def alarms(**parameters: str) -> dict[str, Template]:
    """The alarms by their logical ids."""
    return of_type(resolved(**parameters), "AWS::CloudWatch::Alarm")


def metrics_of(alarm: Template) -> list[Metric]:
    """The metrics of an alarm, whether it looks at one or adds up several."""
    if "MetricName" in alarm:
        return [_metric(alarm, alarm["Statistic"])]
    stats = [one["MetricStat"] for one in alarm["Metrics"] if "MetricStat" in one]
    return [_metric(stat["Metric"], stat["Stat"]) for stat in stats]


def _metric(named: Template, stat: str) -> Metric:
    dimensions = tuple((one["Name"], one["Value"]) for one in named["Dimensions"])
    return Metric(named["Namespace"], named["MetricName"], dimensions, stat)


def widgets() -> list[dict[str, Any]]:
    """The widgets of the dashboard: its body is JSON once it is filled in."""
    [dashboard] = of_type(resolved(), "AWS::CloudWatch::Dashboard").values()
    body: dict[str, Any] = json.loads(dashboard["DashboardBody"])
    found: list[dict[str, Any]] = body["widgets"]
    return found


def shown() -> Iterator[Metric]:
    """Yield the metrics of all widgets."""
    for widget in widgets():
        for row in widget["properties"]["metrics"]:
            *names, options = row
            if "expression" not in options:
                namespace, name, *dimensions = names
                pairs = tuple(zip(dimensions[::2], dimensions[1::2], strict=True))
                yield Metric(namespace, name, pairs, options["stat"])
