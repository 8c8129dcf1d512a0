"""How a compare-and-swap loop waits and when it gives up."""

from typing import Final

from everturn.errors import (
    GoneError,
    NotSentError,
    OutcomeUnknownError,
    PreconditionFailedError,
    UnavailableError,
)
from everturn.ports.clock import Clock, Entropy

# A writer that lost waits up to 20 ms, then 40, 80 ... 250: about one S3 round trip at first. With
# 64 writers on one conversation (bench/contention.py) longer waits let the winners win again, and
# some of the others run out of time; shorter ones only cost more requests.
# Full jitter: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
_FIRST_WAIT_S = 0.02
_MAX_WAIT_S = 0.25
_DOUBLINGS = 4
# A store that did nothing so often in a row, half a second in all, is down or full: waiting longer
# helps nobody, and holds up whoever comes next in this process.
_MAX_REFUSALS = 5
# A request ends within 20 s; half of it is for writing.
DEADLINE_S = 10.0


RETRIED: Final = (PreconditionFailedError, GoneError, OutcomeUnknownError, UnavailableError)
"""What a compare-and-swap loop answers by reading again."""


class Patience:
    """The waits of one call, and its deadline."""

    def __init__(self, *, clock: Clock, entropy: Entropy, end_s: float | None = None) -> None:
        """Start the stopwatch, or go by one that was started: `end_s` of the monotonic clock."""
        self._clock = clock
        self._entropy = entropy
        self._end_s = clock.monotonic_s() + DEADLINE_S if end_s is None else end_s
        self.waits = 0
        self._refusals = 0

    def beside(self) -> "Patience":
        """Return the waits of one of several that are tried at once: they end at one time.

        Refusals of all are not refusals in a row.
        """
        return Patience(clock=self._clock, entropy=self._entropy, end_s=self._end_s)

    def check(self, *, doing: str, cause: Exception | None = None) -> None:
        """Go on only while there is time: before a write, since a slow read may have taken it all.

        Raises:
            UnavailableError: ten seconds are over.
        """
        if self._clock.monotonic_s() >= self._end_s:
            raise UnavailableError(f"no clear answer in time doing={doing}") from cause

    def wait(self, *, doing: str, cause: Exception) -> None:
        """Sleep before the next try, each time up to twice as long.

        Raises:
            UnavailableError: ten seconds are over, or the store has been unavailable six times in
                a row. The last try may have happened: send the same request again, with the same
                idempotency key.
            NotSentError: the cause is one, which is raised as it is: whoever hands out credentials
                would be asked for them once a try, by all who want some.
        """
        if isinstance(cause, NotSentError):
            raise cause
        self.check(doing=doing, cause=cause)
        self._refusals = self._refusals + 1 if isinstance(cause, UnavailableError) else 0
        if self._refusals > _MAX_REFUSALS:
            raise UnavailableError(f"the store does not answer doing={doing}") from cause
        longest_s = min(_MAX_WAIT_S, _FIRST_WAIT_S * 2 ** min(self.waits, _DOUBLINGS))
        share = int.from_bytes(self._entropy.token(4), "big") / 2**32
        self.waits += 1
        self._clock.sleep(longest_s * share)
