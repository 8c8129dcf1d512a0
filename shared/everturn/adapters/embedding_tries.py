"""How often and how long an embedding service is asked.

Not here: what is asked (remote_embedder.py).
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from everturn.adapters.embedding_wire import BusyError
from everturn.errors import UnavailableError
from everturn.ports.clock import Clock, Entropy

_MAX_TRIES: Final = 3
# Of the four seconds of a call, so that a connection that hangs leaves time for another.
_TRY_S: Final = 3.0
# Full jitter: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
_FIRST_WAIT_S: Final = 0.25
# Who asks for a longer pause does not get better within this call.
_MAX_WAIT_S: Final = 2.0

Answers: TypeAlias = Mapping[int, object]
"""What came back, by number of text."""


class Tries:
    """The tries of one call, which ends within `deadline_s`; safe under threads."""

    def __init__(self, *, clock: Clock, entropy: Entropy, deadline_s: float) -> None:
        """Start the stopwatch."""
        self._clock = clock
        self._entropy = entropy
        self._end_s = clock.monotonic_s() + deadline_s

    def ask(self, once: Callable[[float], Answers]) -> Answers:
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
                return once(min(left_s, _TRY_S))
            except UnavailableError as exc:
                failed = exc
        raise failed

    def _waited(self, number: int, failed: UnavailableError) -> bool:
        share = int.from_bytes(self._entropy.token(4), "big") / 2**32
        wait_s = _FIRST_WAIT_S * 2 ** (number - 1) * share
        if isinstance(failed, BusyError):
            wait_s = max(wait_s, failed.after_s)
        if wait_s > _MAX_WAIT_S or self._clock.monotonic_s() + wait_s >= self._end_s:
            return False
        self._clock.sleep(wait_s)
        return True
