"""Faults of a network and of S3, injected into a boto3 client through its public hooks."""

import io
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random  # noqa: TID251 - a repeatable test draws from its own seed
from typing import TYPE_CHECKING, Any, cast

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.compat import HTTPHeaders
from botocore.exceptions import ConnectionClosedError, ReadTimeoutError
from botocore.httpsession import URLLib3Session

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

Handler = Callable[..., None]
"""What botocore-stubs takes for a handler; botocore itself looks at what a handler returns."""

# Kind -> what S3 says then; None: nothing comes back.
FAULTS: dict[str, tuple[int, str] | None] = {
    "lost request": None,
    "lost response": None,
    "500 after commit": (500, "InternalError"),
    "503": (503, "SlowDown"),
    "409": (409, "ConditionalRequestConflict"),
    "412": (412, "PreconditionFailed"),
}
_ONLY_CONDITIONAL = frozenset({"409", "412"})
_CARRIED_OUT = frozenset({"lost response", "500 after commit"})


class FaultInjector:
    """Faults each request with `probability`; `counts` says how often each kind happened.

    One injector may serve many threads. Which request meets which fault then depends on their
    order; the sequence of faults itself is given by `seed`.
    """

    def __init__(self, probability: float, seed: int) -> None:
        self.counts: Counter[str] = Counter()
        self._probability = probability
        self._random = Random(seed)  # noqa: S311 - a repeatable test, no secret
        self._lock = threading.Lock()
        self._session = URLLib3Session(max_pool_connections=32)

    def attach(self, client: "S3Client") -> None:
        """Stand before each request of this client; its own retries then come without a pause."""
        client.meta.events.register("before-send.s3", cast("Handler", self))
        retry_at_once(client)

    def close(self) -> None:
        """Let every further request pass, so that a test can look at what was stored."""
        self._probability = 0.0
        self._session.close()

    def __call__(self, request: AWSPreparedRequest, **_: object) -> AWSResponse | None:
        kind = self._drawn(request)
        return None if kind is None else inject(kind, request, self._session)

    def _drawn(self, request: AWSPreparedRequest) -> str | None:
        names = {name.lower() for name in request.headers}
        conditional = request.method != "GET" and not names.isdisjoint(
            {"if-match", "if-none-match"}
        )
        kinds = [kind for kind in FAULTS if conditional or kind not in _ONLY_CONDITIONAL]
        with self._lock:
            if self._random.random() >= self._probability:
                return None
            kind = self._random.choice(kinds)
            self.counts[kind] += 1
        return kind


def inject(kind: str, request: AWSPreparedRequest, session: URLLib3Session) -> AWSResponse:
    """Answer this request with one fault of `FAULTS`, or raise as botocore would."""
    if kind == "lost request":
        raise ConnectionClosedError(endpoint_url=request.url)
    if kind in _CARRIED_OUT:
        # Reading the content gives the connection back to the pool.
        assert session.send(request).content is not None
    answer = FAULTS[kind]
    if answer is None:
        raise ReadTimeoutError(endpoint_url=request.url)
    return answered(request, *answer)


def answered(request: AWSPreparedRequest, status: int, code: str) -> AWSResponse:
    """An error answer as S3 writes it."""
    body = f"<Error><Code>{code}</Code><Message>injected</Message></Error>"
    return answered_with(request, status, body.encode())


def answered_with(request: AWSPreparedRequest, status: int, body: bytes) -> AWSResponse:
    """Any answer of XML."""
    headers = HTTPHeaders()
    headers["content-type"] = "application/xml"
    headers["content-length"] = str(len(body))
    return AWSResponse(request.url, status, headers, _RawBody(body))


def retry_at_once(client: "S3Client") -> None:
    """Take the pauses, and nothing else, out of a client's own retries."""
    limit = client.meta.config.retries["total_max_attempts"]  # type: ignore[attr-defined]
    client.meta.events.register_first("needs-retry.s3", cast("Handler", _RetryAtOnce(limit)))


class _RawBody(io.BytesIO):
    """A body that can be read as urllib3's can."""

    def stream(self, amt: int = 65_536, **_: object) -> Iterator[bytes]:
        while chunk := self.read(amt):
            yield chunk


class _RetryAtOnce:
    """Answers botocore's question how long to wait before a retry: not at all."""

    def __init__(self, limit: int) -> None:
        self._limit = limit

    def __call__(
        self,
        attempts: int,
        response: tuple[AWSResponse, Any] | None,
        caught_exception: Exception | None,
        **_: object,
    ) -> int | None:
        failed = caught_exception is not None or (
            response is not None and response[0].status_code >= 500
        )
        return 0 if failed and attempts < self._limit else None
