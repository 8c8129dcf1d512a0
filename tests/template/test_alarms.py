"""The alarms: what each looks at, who hears of it, and which page says what to do.

Not here: the pages (tests/docs/test_runbooks.py), the queue's own alarms (test_queue.py).
"""

import re

import pytest

from everturn.edge.metrics import METRICS
from template.loaded import ROOT
from template.watched import FUNCTIONS, Metric, alarms, metrics_of

OURS = set(METRICS.values())
LOOKED_AT = [metric for alarm in alarms().values() for metric in metrics_of(alarm)]
# https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Create-alarm-on-metric-math-expression.html
MAX_METRICS = 10


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
    for alarm in alarms().values():
        if "Metrics" in alarm:
            [total] = [one for one in alarm["Metrics"] if "Expression" in one]
            assert (total["Expression"], total["ReturnData"]) == ("SUM(FILL(METRICS(), 0))", True)
            added = [one for one in alarm["Metrics"] if one is not total]
            assert 1 < len(added) <= MAX_METRICS
            assert not any(one["ReturnData"] for one in added)
            assert len({one["MetricStat"]["Period"] for one in added}) == 1


def test_silence_is_no_alarm_but_where_the_sweep_is_silent() -> None:
    """A stack that is new has told nothing yet, and that changes no state."""
    missing = {name: alarm["TreatMissingData"] for name, alarm in alarms().items()}
    assert missing.pop("SweepIncompleteAlarm") == "missing"
    assert set(missing.values()) == {"notBreaching"}


def test_a_sweep_that_gets_to_no_end_within_a_day_is_an_alarm() -> None:
    alarm = alarms()["SweepIncompleteAlarm"]
    assert alarm["Period"] * alarm["EvaluationPeriods"] == 86_400
    assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("LessThanThreshold", 1)


@pytest.mark.parametrize("name", sorted(set(alarms()) - {"SweepIncompleteAlarm"}))
def test_an_alarm_is_raised_at_its_threshold_within_the_time_that_it_says(name: str) -> None:
    alarm = alarms()[name]
    assert alarm["ComparisonOperator"].startswith("GreaterThan")
    said = alarm["AlarmDescription"]
    wanted = {"half an hour": 6, "": 1}
    assert alarm["EvaluationPeriods"] == next(wanted[words] for words in wanted if words in said)


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
