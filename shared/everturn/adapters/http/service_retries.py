"""Ask a model service several times, and end each call in time.

The timeouts of HTTP clients are per read, and a server may send its headers byte by byte. Hence
`in_time` ends a call whatever the other side does.
"""

from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Final, TypeVar

from everturn.errors import EverturnError, UnavailableError
from everturn.ports.clock import Clock, Entropy


class TextsRefusedError(EverturnError):
    """The service does not take one of these texts; others may pass. Never leaves an adapter."""


class BusyError(UnavailableError):
    """The service asks to be left alone for `after_s` seconds."""

    def __init__(self, message: str, *, after_s: float) -> None:
        """Keep the message and the wait."""
        super().__init__(message)
        self.after_s = after_s


_MAX_TRIES: Final = 3
# Full jitter: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
_FIRST_WAIT_S: Final = 0.25

_Answer = TypeVar("_Answer")


class Tries:
    """The tries of one call, which ends within `deadline_s`; safe under threads."""

    def __init__(
        self,
        *,
        clock: Clock,
        entropy: Entropy,
        deadline_s: float,
        try_s: float,
        max_wait_s: float,
    ) -> None:
        """Start the stopwatch.

        Args:
            clock: for the deadline and the waits.
            entropy: for the lengths of the waits.
            deadline_s: nothing is asked and nothing is waited for after so many seconds.
            try_s: the longest that one try may take, so that one that hangs leaves time for more.
            max_wait_s: who asks for a longer pause is not asked again in this call.
        """
        self._clock = clock
        self._entropy = entropy
        self._end_s = clock.monotonic_s() + deadline_s
        self._try_s = try_s
        self._max_wait_s = max_wait_s

    def ask(self, once: Callable[[float], _Answer]) -> _Answer:
        """Return what `once(timeout_s)` returns, asked at most three times.

        Raises:
            UnavailableError: each try failed, or there was no time for another.
        """
        failed = UnavailableError("no answer in time")
        for number in range(_MAX_TRIES):
            if number and not self._waited(number, failed):
                break
            left_s = self._end_s - self._clock.monotonic_s()
            if left_s <= 0:
                break
            try:
                return once(min(left_s, self._try_s))
            except UnavailableError as exc:
                failed = exc
        raise failed

    def _waited(self, number: int, failed: UnavailableError) -> bool:
        share = int.from_bytes(self._entropy.token(4), "big") / 2**32
        wait_s = _FIRST_WAIT_S * 2 ** (number - 1) * share
        if isinstance(failed, BusyError):
            wait_s = max(wait_s, failed.after_s)
        if wait_s > self._max_wait_s or self._clock.monotonic_s() + wait_s >= self._end_s:
            return False
        self._clock.sleep(wait_s)
        return True


def in_time(act: Callable[[], _Answer], timeout_s: float) -> _Answer:
    """Return what `act` returns, if it does so in time; else it is left to itself.

    `act` raises errors of ours alone.

    Raises:
        UnavailableError: it has not returned within `timeout_s` seconds.
    """
    done: SimpleQueue[tuple[_Answer] | EverturnError] = SimpleQueue()

    def run() -> None:
        try:
            done.put((act(),))
        except EverturnError as exc:
            done.put(exc)

    Thread(target=run, daemon=True).start()
    try:
        answer = done.get(timeout=timeout_s)
    except Empty:
        raise UnavailableError("no answer in time") from None
    if isinstance(answer, EverturnError):
        raise answer
    return answer[0]
