"""The wire between the adapter's client and SQS: seen, and cut where a test says so."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.httpsession import URLLib3Session

from emulation.s3_faults import Handler, answered_with, inject

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

_EVENT = "before-send.sqs"


class SqsWire:
    """Stands before a client; `sent` holds every request, `plans` what is answered next.

    A plan is a status and a code, or a kind of s3_faults; None, or no plan, lets it through. `down`
    cuts all that has no plan.
    """

    def __init__(self) -> None:
        self.sent: list[AWSPreparedRequest] = []
        self.plans: list[tuple[int, str] | str | None] = []
        self.down = False
        self._session = URLLib3Session()

    def __call__(self, request: AWSPreparedRequest, **_: object) -> AWSResponse | None:
        self.sent.append(request)
        plan = self.plans.pop(0) if self.plans else ("lost request" if self.down else None)
        if plan is None:
            return None
        if isinstance(plan, str):
            return inject(plan, request, self._session)
        status, code = plan
        body = json.dumps({"__type": f"com.amazonaws.sqs#{code}", "message": "planned"})
        return answered_with(request, status, body.encode())

    def taken(self) -> list[str]:
        """The calls since the last look, in their order."""
        found = [_target(request) for request in self.sent]
        self.sent.clear()
        return found

    def newest(self) -> dict[str, Any]:
        """What the newest request asks."""
        found: dict[str, Any] = json.loads(cast("bytes", self.sent[-1].body))
        return found

    def close(self) -> None:
        self._session.close()


@contextmanager
def wired(client: "SQSClient") -> Iterator[SqsWire]:
    """See all that this client sends in the block."""
    wire = SqsWire()
    client.meta.events.register(_EVENT, cast("Handler", wire))
    try:
        yield wire
    finally:
        client.meta.events.unregister(_EVENT, cast("Handler", wire))
        wire.close()


def _target(request: AWSPreparedRequest) -> str:
    target: Any = request.headers["X-Amz-Target"]
    text = target.decode() if isinstance(target, bytes) else str(target)
    return text.removeprefix("AmazonSQS.")
