"""What Lambda gives a function for a message of SQS, and what it makes of the function's answer.

Field by field:
https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
"""

import hashlib
from typing import Any

from everturn.local.invocation import ACCOUNT
from everturn.ports.queue import Lease

_REGION = "us-east-1"


def job_event(lease: Lease, *, message_id: str) -> dict[str, Any]:
    """Return the event that brings one job."""
    body = lease.job.encode()
    record = {
        "messageId": message_id,
        "receiptHandle": lease.receipt,
        "body": body,
        "attributes": {
            "ApproximateReceiveCount": str(lease.receives),
            "MessageGroupId": lease.job.group,
        },
        "messageAttributes": {},
        # Not for safety: it is how SQS tells that a body arrived whole.
        "md5OfBody": hashlib.md5(body.encode(), usedforsecurity=False).hexdigest(),
        "eventSource": "aws:sqs",
        "eventSourceARN": f"arn:aws:sqs:{_REGION}:{ACCOUNT}:everturn-local",
        "awsRegion": _REGION,
    }
    return {"Records": [record]}


def names_a_failure(answer: Any) -> bool:  # noqa: ANN401 - whatever a handler returns
    """Say whether an answer gives the message back.

    Of an event with one message, each entry of `batchItemFailures` does: that with its id, and one
    with an id that is none of the event's, which stands for all of them.
    https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
    """
    return bool(isinstance(answer, dict) and answer.get("batchItemFailures"))
