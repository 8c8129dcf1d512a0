"""The faults that a case asks for: of the embedder, and between the S3 adapter and the server.

Not here: what each does to a request (tests/emulation/s3_faults.py).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.httpsession import URLLib3Session

from cases.scope import Case
from emulation.s3_faults import answered, inject
from services.planned_embedder import PlannedEmbedder

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


def fail_embedding(faults: list[Case], embedder: PlannedEmbedder) -> None:
    """Let the chosen calls of the embedder fail: one, or a range such as `1-3`."""
    for fault in faults:
        assert fault["then"] == {"status": 503}
        first, _, last = str(fault["call"]).partition("-")
        embedder.failing |= set(range(int(first), int(last or first) + 1))


class _Faults:
    """Counts the puts of a client and answers the chosen ones."""

    def __init__(self, faults: list[Case], session: URLLib3Session) -> None:
        self.planned = {fault["call"]: fault["then"] for fault in faults}
        self.met: list[int] = []
        self._session = session
        self._puts = 0

    def __call__(self, request: AWSPreparedRequest, **_: object) -> AWSResponse | None:
        if request.method != "PUT":
            return None
        self._puts += 1
        then = self.planned.get(self._puts)
        if then is None:
            return None
        self.met.append(self._puts)
        if then == "commit_then_timeout":
            return inject("lost response", request, self._session)
        return answered(request, then["status"], then["code"])


@contextmanager
def s3_faults(faults: list[Case], client: "S3Client") -> Iterator[None]:
    """Inject the faults on `s3.put_object`; at the end each must have been met."""
    assert {fault["on"] for fault in faults} <= {"s3.put_object"}
    session = URLLib3Session()
    injected = _Faults(faults, session)
    # The stubs do not know that a handler of this event may answer in the place of the network.
    handler = cast("Callable[..., None]", injected)
    client.meta.events.register("before-send.s3", handler)
    try:
        yield
        assert injected.met == sorted(injected.planned)
    finally:
        client.meta.events.unregister("before-send.s3", handler)
        session.close()
