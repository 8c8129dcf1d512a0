"""The queue of jobs and its dead letters: how long, how often, who works on it, who hears of it."""

import pytest

from everturn.ports.queue import MAX_RECEIVES
from template.loaded import Template, loaded, of_type
from template.resolved import resolved
from template.rules import HOLDS, holds

QUEUES = of_type(resolved(), "AWS::SQS::Queue")


def _source(**parameters: str) -> Template:
    functions = of_type(resolved(**parameters), "AWS::Serverless::Function")
    [event] = functions["Consolidate"]["Events"].values()
    assert event["Type"] == "SQS"
    properties: Template = event["Properties"]
    return properties


def _alarm(metric: str) -> Template:
    [alarm] = [
        alarm
        for alarm in of_type(resolved(), "AWS::CloudWatch::Alarm").values()
        if (alarm.get("Namespace"), alarm.get("MetricName")) == ("AWS/SQS", metric)
    ]
    return alarm


@pytest.mark.parametrize("rule", HOLDS)
def test_a_job_is_not_handed_out_while_it_is_done_and_fails_alone(rule: str) -> None:
    assert holds(rule)


def test_there_are_a_queue_and_its_dead_letters_and_both_are_standard_and_encrypted() -> None:
    assert sorted(QUEUES) == ["DeadLetters", "JobQueue"]
    for queue in QUEUES.values():
        assert queue["SqsManagedSseEnabled"] is True
        assert "FifoQueue" not in queue
        assert "QueueName" not in queue


def test_after_as_many_receives_as_everywhere_a_job_is_a_dead_letter_for_two_weeks() -> None:
    policy = QUEUES["JobQueue"]["RedrivePolicy"]
    assert policy == {"deadLetterTargetArn": "arn:DeadLetters", "maxReceiveCount": MAX_RECEIVES}
    assert QUEUES["DeadLetters"]["MessageRetentionPeriod"] == 14 * 86_400


def test_one_job_is_one_event_and_so_many_run_at_once_as_the_parameter_says() -> None:
    source = _source(MaxConsolidations="9")
    assert (source["Queue"], source["BatchSize"]) == ("arn:JobQueue", 1)
    assert source["ScalingConfig"] == {"MaximumConcurrency": "9"}


def test_the_parameters_have_the_bounds_of_aws() -> None:
    """https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html."""
    parameters = loaded()["Parameters"]
    bounds = {
        name: (parameters[name]["Default"], parameters[name]["MinValue"])
        for name in ("SettleSeconds", "QueueDepth", "MaxConsolidations", "DailyTokens")
    }
    assert bounds == {
        "SettleSeconds": (60, 0),
        "QueueDepth": (1_000, 1),
        "MaxConsolidations": (4, 2),
        "DailyTokens": (0, 0),
    }
    assert parameters["SettleSeconds"]["MaxValue"] == 900
    assert parameters["MaxConsolidations"]["MaxValue"] == 1_000


def test_one_dead_letter_raises_an_alarm() -> None:
    alarm = _alarm("ApproximateNumberOfMessagesVisible")
    assert alarm["Dimensions"] == [{"Name": "QueueName", "Value": "DeadLetters.QueueName"}]
    assert (alarm["Statistic"], alarm["Threshold"]) == ("Maximum", 1)
    assert alarm["ComparisonOperator"] == "GreaterThanOrEqualToThreshold"


def test_a_job_that_waits_for_more_than_an_hour_raises_an_alarm() -> None:
    alarm = _alarm("ApproximateAgeOfOldestMessage")
    assert alarm["Dimensions"] == [{"Name": "QueueName", "Value": "JobQueue.QueueName"}]
    assert (alarm["Statistic"], alarm["Threshold"]) == ("Maximum", 3_600)
    assert alarm["ComparisonOperator"] == "GreaterThanThreshold"
