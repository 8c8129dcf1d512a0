"""The functions of the template as Lambda would have them: code, timeout, memory, variables."""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from emulation.lambda_sandbox import Deployed
from everturn.local.template import read_routes
from template.loaded import ROOT, Template, of_type
from template.resolved import resolved

Json = dict[str, Any]
EVENTS: Final = ROOT / "tests" / "events"
# Whom the sample events are from: tests/events/README.md.
PARAMETERS: Final = {
    "ServiceRoles": "arn:aws:iam::123456789012:role/FrontendRole",
    "TenantClaim": "custom:tenant",
}
# https://docs.aws.amazon.com/lambda/latest/dg/with-eventbridge-scheduler.html
TICK: Final[Json] = {
    "version": "0",
    "id": "53dc4d37-cffa-4f76-80c9-8b7d4a4d2eaa",
    "detail-type": "Scheduled Event",
    "source": "aws.events",
    "account": "123456789012",
    "time": "2026-01-01T00:00:00Z",
    "region": "us-east-1",
    "resources": ["arn:aws:events:us-east-1:123456789012:rule/everturn-Sweep"],
    "detail": {},
}
"""What EventBridge sends to the sweep."""


@cache
def _functions() -> dict[str, Template]:
    return of_type(resolved(**PARAMETERS), "AWS::Serverless::Function")


FUNCTIONS: Final = tuple(sorted(_functions()))
"""The logical ids of all of them."""


def deployed_function(
    name: str, *, layer: Path, names: Mapping[str, str], variables: Mapping[str, str]
) -> Deployed:
    """Return a function with its code in place.

    Args:
        name: its logical id.
        layer: the folder that becomes /opt.
        names: physical names of what its variables refer to, by logical id.
        variables: what it is told beside those of the template.
    """

    def placed(value: object) -> str:
        return re.sub(r"\w+", lambda word: names.get(word[0], word[0]), str(value))

    properties = _functions()[name]
    given = properties["Environment"]["Variables"]
    return Deployed(
        name,
        ROOT / properties["CodeUri"],
        layer,
        {variable: placed(value) for variable, value in given.items()} | dict(variables),
        handler=properties["Handler"],
        runtime=properties["Runtime"],
        timeout_s=float(properties["Timeout"]),
        memory_mb=properties["MemorySize"],
    )


@cache
def function_of_route(key: str) -> str:
    """Return the logical id of the function that a route ends in."""
    return {route.key: route.function.name for route in read_routes(ROOT / "template.yaml")}[key]


def sample_event(name: str) -> Json:
    """Return one of the sample events of the API."""
    found: Json = json.loads((EVENTS / f"{name}.json").read_text(encoding="utf-8"))
    return found


def queue_event(*messages: tuple[str, str]) -> Json:
    """Return what SQS brings to a function: ids and bodies of its messages.

    https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
    """
    return {"Records": [_record(*message) for message in messages]}


def _record(message_id: str, body: str) -> Json:
    return {
        "messageId": message_id,
        "receiptHandle": "handle",
        "body": body,
        "attributes": {"ApproximateReceiveCount": "1"},
        "messageAttributes": {},
        "eventSource": "aws:sqs",
        "eventSourceARN": "arn:aws:sqs:us-east-1:123456789012:jobs",
        "awsRegion": "us-east-1",
    }
