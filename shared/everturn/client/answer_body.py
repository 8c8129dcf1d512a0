"""The body of an answer, read piece by piece: it ends, whatever the server does."""

from typing import Final

import httpx

from everturn.client.clock import Stopwatch

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
