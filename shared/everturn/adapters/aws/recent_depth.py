"""What a process knows of the depth of a queue that is far away, read seldom.

The depth of SQS is approximate, and so may what is known of it be.
https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_GetQueueAttributes.html
"""

from collections.abc import Callable
from typing import Final

from everturn.errors import EverturnError
from everturn.ports.clock import Clock

LIFETIME_S: Final = 5.0
"""For how long a reading, or a failure, is taken as it is."""
# Ten processes that send at once what they may, without asking, fill the room and no more.
_SHARE: Final = 10


class RecentDepth:
    """The last depth that was read, with what this process added since.

    A reading costs as much as sending a job, so it is not made while there is room enough: one that
    is older than `LIFETIME_S` is good for a tenth of the room that it found, and for one job at
    least; before the first there is taken to be all room. So a process that sends little, or to a
    queue that is nowhere near full, asks once in many jobs; near the end of the room it asks every
    `LIFETIME_S`, as one does that sends much; and where there was no room it asks before it sends.

    A failure is remembered for `LIFETIME_S`, so that a queue that is down costs an append no
    waiting.
    """

    def __init__(self, read: Callable[[], int], *, max_depth: int, clock: Clock) -> None:
        """Take what asks the queue, and how many jobs may wait; nothing is asked yet."""
        self._read = read
        self._max_depth = max_depth
        self._clock = clock
        self._value = 0
        self._added = 0
        self._fresh_until_s: float | None = None
        self._failure: EverturnError | None = None
        self._failed_until_s = 0.0

    def is_full(self) -> bool:
        """Return whether as many jobs wait as may; asks the queue where too little is known.

        Raises:
            EverturnError: what the queue raised, now or within `LIFETIME_S`.
        """
        now_s = self._clock.monotonic_s()
        if self._failure is not None and now_s < self._failed_until_s:
            raise type(self._failure)(f"{self._failure.message} recent=true")
        if not self._is_fresh(now_s) and _SHARE * self._added >= self._max_depth - self._value:
            self._ask()
        return self._value + self._added >= self._max_depth

    @property
    def seen(self) -> int | None:
        """The depth as it was read within `LIFETIME_S`, with what was added since; else None."""
        is_fresh = self._is_fresh(self._clock.monotonic_s())
        return self._value + self._added if is_fresh else None

    def _is_fresh(self, now_s: float) -> bool:
        return self._fresh_until_s is not None and now_s < self._fresh_until_s

    def add_one(self) -> None:
        """Count a job that this process has put in."""
        self._added += 1

    def fail(self, error: EverturnError) -> None:
        """Remember that the queue did not do what it was asked."""
        self._failure, self._failed_until_s = error, self._clock.monotonic_s() + LIFETIME_S

    def _ask(self) -> None:
        try:
            self._value, self._added = self._read(), 0
        except EverturnError as error:
            self.fail(error)
            raise
        self._failure, self._fresh_until_s = None, self._clock.monotonic_s() + LIFETIME_S
