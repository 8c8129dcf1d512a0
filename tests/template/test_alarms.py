"""The alarms: what each looks at, who hears of it, and which page says what to do."""

import re
from typing import NamedTuple

import pytest

from everturn.edge.function import METRICS
from template.loaded import ROOT, Template
from template.watched import FUNCTIONS, Metric, alarms, metrics_of

OURS = set(METRICS.values())
LOOKED_AT = [metric for alarm in alarms().values() for metric in metrics_of(alarm)]
# https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Create-alarm-on-metric-math-expression.html
MAX_METRICS = 10
# The one that is no sum.
SHARE = "ApiServerErrorsAlarm"


@pytest.mark.parametrize("metric", ["Errors", "Throttles"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_alarm_looks_at_errors_and_one_at_throttles_of_each_function(
    name: str, metric: str
) -> None:
    assert LOOKED_AT.count(Metric("AWS/Lambda", metric, (("FunctionName", name),), "Sum")) == 1


def test_an_alarm_looks_at_answers_of_5xx() -> None:
    assert Metric("AWS/ApiGateway", "5xx", (("ApiId", "Api"),), "Sum") in LOOKED_AT


@pytest.mark.parametrize("metric", [
    "CorruptRecords", "ListSkipped", "MemoriesSkipped", "ExportSkipped", "SweepSkipped",
    "JobsDropped", "JobsUnsent", "JobsCapped", "TurnsQuarantined", "SweepComplete",
    "ExtractorFailures", "EmbedderFailures",
])  # fmt: skip
def test_an_alarm_adds_up_what_says_that_something_is_lost_or_stands_still(metric: str) -> None:
    wanted = Metric("Everturn", metric, (("service", "AWS::StackName"),), "Sum")
    assert LOOKED_AT.count(wanted) == 1


def test_what_is_ours_is_a_metric_that_the_code_writes_with_the_stack_as_its_dimension() -> None:
    ours = [metric for metric in LOOKED_AT if metric.namespace == "Everturn"]
    assert {metric.name for metric in ours} <= OURS
    assert {metric.dimensions for metric in ours} == {(("service", "AWS::StackName"),)}


def test_an_alarm_adds_up_no_more_than_cloudwatch_lets_it_and_a_silent_one_counts_as_none() -> None:
    for name, alarm in alarms().items():
        if "Metrics" in alarm and name != SHARE:
            [total] = [one for one in alarm["Metrics"] if "Expression" in one]
            assert (total["Expression"], total["ReturnData"]) == ("SUM(FILL(METRICS(), 0))", True)
            added = [one for one in alarm["Metrics"] if one is not total]
            assert 1 < len(added) <= MAX_METRICS
            assert not any(one["ReturnData"] for one in added)
            assert len({one["MetricStat"]["Period"] for one in added}) == 1


def test_answers_of_5xx_are_looked_at_as_a_share_of_the_requests() -> None:
    share, *counted = alarms()[SHARE]["Metrics"]
    assert (share["Expression"], share["ReturnData"]) == ("100 * FILL(errors, 0) / requests", True)
    names = {one["Id"]: one["MetricStat"]["Metric"]["MetricName"] for one in counted}
    assert names == {"errors": "5xx", "requests": "Count"}
    assert {one["ReturnData"] for one in counted} == {False}
    assert {metric.namespace for metric in metrics_of(alarms()[SHARE])} == {"AWS/ApiGateway"}


class Rule(NamedTuple):
    """When an alarm is raised: `wanted` of the last `periods`, of so many seconds, are past it."""

    metrics: tuple[str, ...]
    stat: str
    past: str
    period_s: int
    wanted: int
    periods: int
    missing: str = "notBreaching"


_REQUESTS = (
    "Append", "Conversations", "List", "Documents", "Turns", "Actor", "Recall", "Remember",
    "Patterns", "Retrieve",
)  # fmt: skip
_BACKGROUND = ("Consolidate", "Sweep")
_CORRUPT = ("CorruptRecords", "ListSkipped", "MemoriesSkipped", "ExportSkipped", "SweepSkipped")


def _of(metric: str, functions: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{metric} {name}" for name in functions)


RULES = {
    SHARE: Rule(("5xx Api", "Count Api"), "Sum", "> 1", 300, 2, 12),
    "RequestErrorsAlarm": Rule(_of("Errors", _REQUESTS), "Sum", ">= 1", 300, 1, 1),
    "RequestThrottlesAlarm": Rule(_of("Throttles", _REQUESTS), "Sum", ">= 1", 300, 1, 1),
    "BackgroundErrorsAlarm": Rule(_of("Errors", _BACKGROUND), "Sum", ">= 1", 300, 1, 24),
    "BackgroundThrottlesAlarm": Rule(_of("Throttles", _BACKGROUND), "Sum", ">= 1", 300, 1, 24),
    "CorruptRecordsAlarm": Rule(_CORRUPT, "Sum", ">= 1", 300, 1, 12),
    "DeadLettersAlarm": Rule(
        ("ApproximateNumberOfMessagesVisible DeadLetters",), "Maximum", ">= 1", 300, 1, 1
    ),
    "OldestJobAlarm": Rule(
        ("ApproximateAgeOfOldestMessage JobQueue",), "Maximum", "> 3600", 300, 1, 1
    ),
    "DirtyAgeAlarm": Rule(("DirtyAge",), "Maximum", "> 7200", 3_600, 1, 1, "ignore"),
    "JobsNotTakenAlarm": Rule(("JobsDropped", "JobsUnsent"), "Sum", ">= 1", 300, 3, 6),
    "ModelFailuresAlarm": Rule(
        ("ExtractorFailures", "EmbedderFailures"), "Sum", ">= 3", 3_600, 1, 1
    ),
    "TokensSpentAlarm": Rule(("JobsCapped",), "Sum", ">= 1", 3_600, 1, 24),
    "QuarantinedTurnsAlarm": Rule(("TurnsQuarantined",), "Sum", ">= 1", 3_600, 1, 24),
    "SweepIncompleteAlarm": Rule(("SweepComplete",), "Sum", "< 1", 3_600, 24, 24, "missing"),
}
_SIGNS = {
    "GreaterThanThreshold": ">", "GreaterThanOrEqualToThreshold": ">=", "LessThanThreshold": "<",
}  # fmt: skip


def _told(metric: Metric) -> str:
    """Name a metric of ours by itself, and others with whose it is."""
    [(_, whose)] = metric.dimensions
    return metric.name if metric.namespace == "Everturn" else f"{metric.name} {whose}".split(".")[0]


def _rule(alarm: Template) -> Rule:
    found = metrics_of(alarm)
    stats = [one["MetricStat"] for one in alarm.get("Metrics", ()) if "MetricStat" in one]
    [period_s] = {one["Period"] for one in stats or [alarm]}
    [stat] = {metric.stat for metric in found}
    periods: int = alarm["EvaluationPeriods"]
    return Rule(
        tuple(_told(metric) for metric in found),
        stat,
        f"{_SIGNS[alarm['ComparisonOperator']]} {alarm['Threshold']}",
        period_s,
        alarm.get("DatapointsToAlarm", periods),
        periods,
        alarm["TreatMissingData"],
    )


def test_each_alarm_is_raised_when_it_should_be() -> None:
    """Silence is none, but of the sweep, and an age that is told once an hour holds till then."""
    assert {name: _rule(alarm) for name, alarm in alarms().items()} == RULES


@pytest.mark.parametrize("name", sorted(RULES))
def test_an_alarm_says_within_which_time(name: str) -> None:
    rule, said = RULES[name], alarms()[name]["AlarmDescription"]
    words = {
        (300, 2, 12): "in two of the last twelve five minutes",
        (300, 3, 6): "in three of the last six five minutes",
        (300, 1, 12): "within an hour",
        (300, 1, 24): "within two hours",
        (3_600, 1, 24): "within a day|within the last day",
        (3_600, 24, 24): "for a day",
        (3_600, 1, 1): "within an hour|more than two hours",
        (300, 1, 1): "within five minutes|more than an hour|lies among",
    }
    assert re.search(words[rule.period_s, rule.wanted, rule.periods], said), said


def test_no_alarm_looks_further_back_than_cloudwatch_lets_it() -> None:
    """A day; https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html."""
    for rule in RULES.values():
        assert rule.wanted <= rule.periods
        assert rule.period_s * rule.periods <= 86_400


def test_alarms_go_to_the_topic_if_there_is_one() -> None:
    topic = "arn:aws:sns:eu-central-1:123456789012:pager"
    actions = {tuple(alarm["AlarmActions"]) for alarm in alarms(AlarmTopicArn=topic).values()}
    assert actions == {(topic,)}
    silent = alarms(AlarmTopicArn=topic)["SweepIncompleteAlarm"]["InsufficientDataActions"]
    assert silent == [topic]
    untold = alarms().values()
    assert not [one for one in untold if one.keys() & {"AlarmActions", "InsufficientDataActions"}]


@pytest.mark.parametrize("name", sorted(alarms()))
def test_the_description_of_an_alarm_ends_with_its_page(name: str) -> None:
    description = alarms()[name]["AlarmDescription"]
    found = re.search(r"; see (docs/runbooks/[a-z-]+\.md)$", description)
    assert found is not None
    assert (ROOT / found[1]).is_file()
    # https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html
    assert len(description) <= 1_024
