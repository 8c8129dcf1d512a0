"""The tries of one call: what is sent, when it is sent again, and what comes of it.

The body of a response is read piece by piece, so that reading ends whatever the server does.

In the mode `best_effort` a client logs a failure and goes on.
"""

import logging
from email.utils import parsedate_to_datetime
from typing import Final, Generic, TypeVar

import httpx

from everturn.client.calls.call import Call, Repeat, header_bytes, json_bytes, query_of
from everturn.client.clock import Entropy, Stopwatch
from everturn.client.error_mapping import Failure, answered_failure, foreign_answer, network_failure
from everturn.errors import (
    ConflictError,
    ConversationGoneError,
    EverturnError,
    ForbiddenError,
    InvalidRequestError,
    NotFoundError,
    OutcomeUnknownError,
    TooLargeError,
    UnauthenticatedError,
    UnsupportedMediaError,
)

MAX_ANSWER_BYTES: Final = 10_485_760
"""Above all that API Gateway hands on (10 MB), and so above all that an Everturn answers.

https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
"""


class AnswerBody:
    """Takes the pieces of one body, as long as there is time and room for them."""

    def __init__(self, response: httpx.Response, *, clock: Stopwatch, end_s: float) -> None:
        """Take the answer, none of whose body was read.

        `is_plain` says whether it may be: compressed, which nobody asked for, a few bytes may
        become gigabytes. The status of a failure says enough without its body.

        Raises:
            httpx.DecodingError: it is a success, and compressed.
        """
        self._response = response
        self._clock = clock
        self._end_s = end_s
        self._pieces: list[bytes] = []
        self._told = response.headers.get("content-length")
        self._taken = 0
        self.is_plain = response.headers.get("content-encoding", "identity") == "identity"
        if response.is_success and not self.is_plain:
            raise self._unreadable("compressed")

    def add(self, piece: bytes) -> None:
        """Take the next piece.

        Raises:
            TimeoutError: the time is up, and it may not be the last piece.
            httpx.DecodingError: it is more than any Everturn answers.
        """
        self._taken += len(piece)
        if self._taken > MAX_ANSWER_BYTES:
            raise self._unreadable("too long")
        if str(self._taken) != self._told and self._clock.monotonic_s() > self._end_s:
            raise TimeoutError
        self._pieces.append(piece)

    def whole(self) -> bytes:
        """Return all pieces as one."""
        return b"".join(self._pieces)

    def _unreadable(self, why: str) -> httpx.DecodingError:
        return httpx.DecodingError(why, request=self._response.request)


T = TypeVar("T")

MAX_TRIES: Final = 5
# Full jitter: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
_FIRST_WAIT_S: Final = 0.25
_MAX_WAIT_S: Final = 4.0
# What does not let itself be reached in five seconds is better tried again.
_MAX_CONNECT_S: Final = 5.0
# Of what is left: a try that is broken off as a whole cannot say that nothing was sent.
_UNSENT_SHARE: Final = 0.9
# In less, those two ends of a try are too close together, and hardly anything is answered.
_SHORTEST_TRY_S: Final = 0.05


class Exchange(Generic[T]):
    """One call under way. Of one thread or task."""

    def __init__(
        self, call: Call[T], *, clock: Stopwatch, entropy: Entropy, timeout_s: float
    ) -> None:
        """Start the stopwatch; nothing is sent after `timeout_s`.

        Raises:
            InvalidRequestError: the call cannot be sent.
        """
        self._call = call
        self._clock = clock
        self._entropy = entropy
        self._end_s = clock.monotonic_s() + timeout_s
        self._tries = 0
        self._unclear = False
        self._body = None if call.body is None else json_bytes(call.body)
        self._query = query_of(call.params)
        headers = [] if self._body is None else [(b"content-type", b"application/json")]
        for name, value in call.headers.items():
            headers.append((name.lower().encode(), header_bytes(value, field=name)))
        self._headers = headers

    @property
    def left_s(self) -> float:
        """How long a try that begins now may take; above 0."""
        return max(self._end_s - self._clock.monotonic_s(), 0.001)

    def request(self, http: httpx.Client | httpx.AsyncClient) -> httpx.Request:
        """Return the request of the next try; no part of it waits longer than is left."""
        left_s = self.left_s
        unsent_s = left_s * _UNSENT_SHARE
        url = f"{self._call.path}?{self._query}" if self._query else self._call.path
        return http.build_request(
            self._call.method,
            url,
            content=self._body,
            headers=self._headers,
            timeout=httpx.Timeout(left_s, connect=min(unsent_s, _MAX_CONNECT_S), pool=unsent_s),
        )

    def body_of(self, response: httpx.Response) -> AnswerBody:
        """Return what takes the body of an answer, as long as there is time."""
        return AnswerBody(response, clock=self._clock, end_s=self._end_s)

    def answered(self, response: httpx.Response, body: bytes) -> T | Failure:
        """Judge an answer: the result, or why it is none."""
        self._tries += 1
        if not response.is_success:
            after_s = self._pause_of(response.headers.get("retry-after"))
            return self._judged(answered_failure(response, body, after_s=after_s))
        try:
            return self._call.answer.read(body)
        except (ValueError, RecursionError) as exc:
            return foreign_answer(response, exc)

    def broken(self, exc: Exception) -> T | Failure:
        """Judge a failure of the network."""
        self._tries += 1
        return self._judged(network_failure(exc))

    def unsigned(self, error: EverturnError) -> Failure:
        """Judge that the caller's `auth` could not name the caller: nothing was sent."""
        self._tries += 1
        return Failure(error, cause=error.__cause__, unsent=True)

    def wait_s(self, failure: Failure) -> float | None:
        """Return how long to wait before the next try; None where there is to be none."""
        if not failure.error.retryable or self._tries >= MAX_TRIES:
            return None
        if self._call.repeat is Repeat.ONCE and not failure.unsent:
            return None
        share = int.from_bytes(self._entropy.token(4), "big") / 2**32
        longest_s = min(_MAX_WAIT_S, _FIRST_WAIT_S * 2 ** (self._tries - 1))
        wait_s = max(failure.after_s, longest_s * share)
        left_s = self._end_s - self._clock.monotonic_s()
        return wait_s if wait_s + _SHORTEST_TRY_S < left_s else None

    def end(self, failure: Failure, *, best_effort: bool) -> T:
        """Raise what a failure comes to where there is no other try, or return what stands for it.

        Raises:
            EverturnError: it does not stand for nothing.
        """
        error, cause = failure.error, failure.cause
        if self._unclear and self._call.repeat is not Repeat.SAFE:
            # A refusal too: it may be the echo of a first try that happened.
            told = f"it may have happened, read it back: {error.message}"
            error, cause = OutcomeUnknownError(told), error
        if best_effort and is_borne(error) and self._call.answer.nothing is not None:
            log_failure(self._call.name, failure)
            return self._call.answer.nothing(error.code)
        raise error from cause

    def _judged(self, failure: Failure) -> T | Failure:
        gone = self._call.gone
        if self._unclear and gone is not None and isinstance(failure.error, NotFoundError):
            return gone
        self._unclear |= failure.error.retryable and not failure.unsent
        return failure

    def _pause_of(self, told: str | None) -> float:
        """Read a Retry-After: seconds, or a date; 0 where it is neither.

        https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
        """
        if told is None:
            return 0.0
        if told.isascii() and told.isdigit():
            return float(told)
        try:
            until_s = parsedate_to_datetime(told).timestamp()
        except ValueError:
            return 0.0
        return max(0.0, until_s - self._clock.now_ns() / 1e9)


# An answer to what was asked, or a mistake that only the caller can mend; an empty result would
# hide it for good. Everything else is a failure of the network, of the server or its deployment.
ALWAYS_RAISED: Final = (
    ConflictError,
    ConversationGoneError,
    ForbiddenError,
    InvalidRequestError,
    NotFoundError,
    TooLargeError,
    UnauthenticatedError,
    UnsupportedMediaError,
)

_LOGGER = logging.getLogger("everturn")


def is_borne(error: EverturnError) -> bool:
    """Say whether `best_effort` goes on after an error."""
    return not isinstance(error, ALWAYS_RAISED)


def log_failure(name: str, failure: Failure) -> None:
    """Log a failure of the call `name`; no id and no text of a user, which messages may hold."""
    _LOGGER.warning(
        "%s failed, going on without code=%s status=%s request_id=%s",
        name,
        failure.error.code,
        failure.status,
        failure.request_id,
    )
