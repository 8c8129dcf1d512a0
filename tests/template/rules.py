"""Rules of a queue that starts a function, by the words in which they are told."""

from collections.abc import Callable, Mapping
from typing import Final

from template.loaded import Template, of_type
from template.resolved import resolved

_MIN_RECEIVES = 3
Rule = Callable[[Template, Template, Template], bool]
"""Says of a queue, the function that it starts, and what joins them, whether it holds."""


def _outlasts(queue: Template, function: Template, source: Template) -> bool:
    window_s = source.get("MaximumBatchingWindowInSeconds", 0)
    needed_s: int = 6 * function["Timeout"] + window_s
    return int(queue["VisibilityTimeout"]) >= needed_s


def _buries(queue: Template, _function: Template, _source: Template) -> bool:
    receives: int = queue.get("RedrivePolicy", {}).get("maxReceiveCount", 0)
    return receives >= _MIN_RECEIVES


def _fails_alone(_queue: Template, _function: Template, source: Template) -> bool:
    return "ReportBatchItemFailures" in source.get("FunctionResponseTypes", [])


HOLDS: Final[Mapping[str, Rule]] = {
    "queue.VisibilityTimeout >= 6 * function.Timeout + batching window": _outlasts,
    "RedrivePolicy present with maxReceiveCount >= 3": _buries,
    "FunctionResponseTypes contains ReportBatchItemFailures": _fails_alone,
}


def holds(rule: str) -> bool:
    """Say whether a rule, which must be known, holds for every queue that starts a function."""
    template = resolved()
    queues = of_type(template, "AWS::SQS::Queue")
    joined = [
        (queues[event["Properties"]["Queue"].removeprefix("arn:")], function, event["Properties"])
        for function in of_type(template, "AWS::Serverless::Function").values()
        for event in function.get("Events", {}).values()
        if event["Type"] == "SQS"
    ]
    assert joined
    return all(HOLDS[rule](*parts) for parts in joined)
