"""The dashboard: it can be read, it shows metrics that exist, and nothing lies on anything."""

import re
from itertools import combinations
from typing import Any

import pytest

from everturn.edge.function import METRICS
from template.loaded import of_type
from template.resolved import resolved
from template.watched import FUNCTIONS, shown, widgets

# https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html
# https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-metrics.html
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
KNOWN = {
    "AWS/Lambda": {"Errors", "Throttles", "Duration"},
    "AWS/ApiGateway": {"Count", "4xx", "5xx", "Latency"},
    "AWS/SQS": {
        "ApproximateNumberOfMessagesVisible", "ApproximateNumberOfMessagesDelayed",
        "ApproximateNumberOfMessagesNotVisible", "ApproximateAgeOfOldestMessage",
    },
    "Everturn": set(METRICS.values()),
}  # fmt: skip
DIMENSIONS = {
    "AWS/Lambda": {(("FunctionName", name),) for name in FUNCTIONS},
    "AWS/ApiGateway": {(("ApiId", "Api"),)},
    "AWS/SQS": {(("QueueName", f"{queue}.QueueName"),) for queue in ("JobQueue", "DeadLetters")},
    "Everturn": {(("service", "AWS::StackName"),)},
}
WIDTH = 24


def _titles() -> list[str]:
    return [widget["properties"]["title"] for widget in widgets()]


@pytest.mark.parametrize("namespace", KNOWN)
def test_it_shows_metrics_that_are_written_by_their_own_dimensions(namespace: str) -> None:
    found = [metric for metric in shown() if metric.namespace == namespace]
    assert {metric.name for metric in found} <= KNOWN[namespace]
    assert {metric.dimensions for metric in found} == DIMENSIONS[namespace]


def test_a_stack_that_is_not_watched_pays_for_no_dashboard_alarm_or_metric() -> None:
    plain = resolved(Watching="false")
    assert not [one for one in plain["Resources"].values() if "CloudWatch" in one["Type"]]
    functions = of_type(plain, "AWS::Serverless::Function").values()
    told = [one["Environment"]["Variables"]["POWERTOOLS_METRICS_DISABLED"] for one in functions]
    assert told == ["true"] * len(FUNCTIONS)


def test_it_shows_nothing_else() -> None:
    assert {metric.namespace for metric in shown()} == set(KNOWN)


@pytest.mark.parametrize("word", [
    "attempts", "recovered", "replayed", "sealed", "repairs", "queue_depth", "jobs_dropped",
    "dirty_age_s", "lag", "findings_dropped", "tokens", "quarantined", "corrupt",
    "sweep_complete", "sweep_failed", "sweep_skipped", "server_errors", "request_ms",
])  # fmt: skip
def test_what_an_operator_asks_for_first_is_on_it(word: str) -> None:
    assert METRICS[word] in {metric.name for metric in shown()}


def test_latency_is_told_by_its_median_and_by_the_slowest_hundredth() -> None:
    assert {"p50", "p99"} <= {metric.stat for metric in shown() if metric.name == "Latency"}


@pytest.mark.parametrize("name", ["Errors", "Throttles", "Duration"])
def test_each_function_has_a_line_of_its_own(name: str) -> None:
    lines = [metric for metric in shown() if (metric.name, metric.stat) != ("Duration", "Sum")]
    told = [dict(metric.dimensions)["FunctionName"] for metric in lines if metric.name == name]
    assert sorted(told) == FUNCTIONS


def test_each_widget_has_a_title_of_its_own_and_its_place_in_the_grid() -> None:
    assert len(set(_titles())) == len(_titles())
    assert all(widget["x"] + widget["width"] <= WIDTH for widget in widgets())
    assert not [pair for pair in combinations(widgets(), 2) if _overlap(*pair)]


def _overlap(one: dict[str, Any], other: dict[str, Any]) -> bool:
    across = one["x"] < other["x"] + other["width"] and other["x"] < one["x"] + one["width"]
    down = one["y"] < other["y"] + other["height"] and other["y"] < one["y"] + one["height"]
    return bool(across and down)


def test_gigabyte_seconds_weigh_each_function_by_its_memory() -> None:
    [cost] = [widget for widget in widgets() if "paid" in widget["properties"]["title"]]
    rows = [row[-1] for row in cost["properties"]["metrics"]]
    [formula] = [row["expression"] for row in rows if "expression" in row]
    weighed = {
        name: int(memory_mb)
        for memory_mb, names in re.findall(r"(\d+) \* SUM\(FILL\(\[([a-z, ]+)\], 0\)\)", formula)
        for name in names.split(", ")
    }
    functions = of_type(resolved(), "AWS::Serverless::Function")
    assert weighed == {name.lower(): functions[name]["MemorySize"] for name in FUNCTIONS}
    assert {row["id"] for row in rows if row.get("visible") is False} == set(weighed)
    assert formula.endswith(") / 1024000")
