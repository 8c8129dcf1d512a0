"""The faults that a case asks for: of the embedder, and between S3 or SQS and their adapters."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, cast

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.httpsession import URLLib3Session

from cases.case import Case
from emulation.s3_faults import answered, answered_with, inject
from fakes.planned_embedder import PlannedEmbedder

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

S3_PUT: Final = "s3.put_object"
SQS_SEND: Final = "sqs.send_message"
_SERVICES: Final = {S3_PUT: "s3", SQS_SEND: "sqs"}


def fail_embedding(faults: list[Case], embedder: PlannedEmbedder) -> None:
    """Let the chosen calls of the embedder fail: one, or a range such as `1-3`."""
    for fault in faults:
        assert fault["then"] == {"status": 503}
        embedder.failing |= set(_calls(fault))


def _calls(fault: Case) -> range:
    first, _, last = str(fault["call"]).partition("-")
    return range(int(first), int(last or first) + 1)


class _Faults:
    """Counts the calls of one verb of a client and answers the chosen ones."""

    def __init__(self, verb: str, faults: list[Case], session: URLLib3Session) -> None:
        assert {fault["on"] for fault in faults} == {verb}
        self.planned = {call: fault["then"] for fault in faults for call in _calls(fault)}
        self.met: list[int] = []
        self._verb = verb
        self._session = session
        self._calls = 0

    def __call__(self, request: AWSPreparedRequest, **_: object) -> AWSResponse | None:
        if _verb_of(request) != self._verb:
            return None
        self._calls += 1
        then = self.planned.get(self._calls)
        if then is None:
            return None
        self.met.append(self._calls)
        if then == "commit_then_timeout":
            return inject("lost response", request, self._session)
        return _refused(request, self._verb, then)


def _verb_of(request: AWSPreparedRequest) -> str | None:
    target: Any = request.headers.get("X-Amz-Target", b"")
    if target in {b"AmazonSQS.SendMessage", "AmazonSQS.SendMessage"}:
        return SQS_SEND
    return S3_PUT if request.method == "PUT" else None


def _refused(request: AWSPreparedRequest, verb: str, then: Case) -> AWSResponse:
    if verb == S3_PUT:
        return answered(request, then["status"], then["code"])
    body = json.dumps({"__type": f"com.amazonaws.sqs#{then['code']}", "message": "planned"})
    return answered_with(request, then["status"], body.encode())


@contextmanager
def aws_faults(verb: str, faults: list[Case], client: "S3Client | SQSClient") -> Iterator[None]:
    """Inject the faults of one verb; at the end each must have been met."""
    session = URLLib3Session()
    injected = _Faults(verb, faults, session)
    # The stubs do not know that a handler of this event may answer in the place of the network.
    handler = cast("Callable[..., None]", injected)
    event = f"before-send.{_SERVICES[verb]}"
    client.meta.events.register(event, handler)
    try:
        yield
        assert injected.met == sorted(injected.planned)
    finally:
        client.meta.events.unregister(event, handler)
        session.close()
