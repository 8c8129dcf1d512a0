"""The door to the queue of conversations that wait for consolidation: offer, claim, settle."""

from dataclasses import dataclass
from enum import Enum
from typing import Final, Protocol

from everturn.errors import InvalidRequestError
from everturn.values.job import Job

# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
MAX_DELAY_S: Final = 900
MAX_LEASE_S: Final = 43_200
MAX_CLAIMED: Final = 10
# What fails so often fails for a reason of its own; the template says the same to SQS.
MAX_RECEIVES: Final = 5


class Offered(Enum):
    """What became of an offer."""

    QUEUED = "queued"
    WAITING = "waiting"
    """A job of the same conversation waits already, due no later: one will do for both."""
    FULL = "full"
    """As many jobs wait as may; this one was dropped."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A job that is its holder's for a while; `receives` counts how often it was claimed.

    `receipt` is opaque and stands for this claim alone: the next one of the job has another.
    """

    job: Job
    receipt: str
    receives: int


@dataclass(frozen=True, slots=True)
class Depth:
    """About how many jobs wait, those that still settle included, and how many are leased.

    `oldest_ns` is when the first of those that wait came due, in Unix time; None if none is due, or
    where the queue does not say.
    """

    waiting: int
    leased: int
    oldest_ns: int | None = None


def checked_delay(delay_s: int) -> int:
    """Return a delay in seconds that every queue takes.

    Raises:
        InvalidRequestError: it is below 0 or above `MAX_DELAY_S`.
    """
    return _within(delay_s, "delay_s", 0, MAX_DELAY_S)


def checked_lease(lease_s: int) -> int:
    """Return the seconds of a lease that every queue grants.

    Raises:
        InvalidRequestError: they are below 1 or above `MAX_LEASE_S`.
    """
    return _within(lease_s, "lease_s", 1, MAX_LEASE_S)


def checked_limit(limit: int) -> int:
    """Return how many jobs one call may move.

    Raises:
        InvalidRequestError: it is below 1 or above `MAX_CLAIMED`.
    """
    return _within(limit, "limit", 1, MAX_CLAIMED)


def _within(value: int, name: str, least: int, most: int) -> int:
    if not least <= value <= most:
        raise InvalidRequestError(f"{name} is out of range least={least} most={most} value={value}")
    return value


class JobQueue(Protocol):
    """Jobs of many processes, in no promised order; each is handed out at least once.

    A job that was taken is handed out until somebody says `done`, or until it was claimed too often
    (`MAX_RECEIVES` times as the product opens queues) and is a dead letter. What is offered is
    tried as often as any other, however often a job of its conversation failed before. A process
    that dies with a lease holds the job no longer than the lease. What is in the queue but is no
    job becomes a dead letter as well and is never handed out.

    Every method raises `UnavailableError` when the queue does not answer, which leaves open whether
    the call happened (a second one does no harm), and `MisconfiguredError` when it never will:
    there is no such queue, no permission, or no folder.
    """

    def offer(self, job: Job, *, delay_s: int, even_if_full: bool = False) -> Offered:
        """Put a job in, unless the queue is full; it can be claimed after `delay_s` seconds.

        How full it is may be known from some seconds ago; jobs that are leased take no room. A
        queue that did not answer may be left alone for some seconds: then this raises at once.

        Args:
            job: which conversation.
            delay_s: how long turns that follow at once may join in.
            even_if_full: do not ask how full it is: for one who has just ended a job, so that the
                queue grows by none. Where the count is old, it would refuse him though the queue is
                empty, and nobody would be left to end a job and offer the next.

        Raises:
            InvalidRequestError: `delay_s` is not within 0 and `MAX_DELAY_S`.
        """
        ...

    def claim(self, limit: int, *, lease_s: int) -> list[Lease]:
        """Take up to `limit` jobs that are due, each for `lease_s` seconds; does not wait for any.

        None does not mean that there are none: a queue of many machines asks some of them.

        Raises:
            InvalidRequestError: `limit` is not within 1 and `MAX_CLAIMED`, or `lease_s` is not
                within 1 and `MAX_LEASE_S`.
        """
        ...

    def done(self, lease: Lease) -> None:
        """Remove the job; nothing is wrong where the lease ended long ago.

        A job that was offered meanwhile for the same conversation stays. One that somebody else
        claimed after the lease had ended may stay or go, as the queue likes.
        """
        ...

    def give_back(self, lease: Lease, *, delay_s: int) -> None:
        """End a lease early: the job comes due again after `delay_s` seconds.

        The claim counts. Nothing is wrong, and nothing promised, where the lease ended before.

        Raises:
            InvalidRequestError: `delay_s` is not within 0 and `MAX_DELAY_S`.
        """
        ...

    def depth(self) -> Depth:
        """Count the jobs, about."""
        ...

    @property
    def seen_depth(self) -> int | None:
        """How many jobs wait, as the calls of the last seconds tell; None if they do not.

        Asks nobody and raises nothing.
        """
        ...

    def count_dead(self) -> int:
        """Count the dead letters, about."""
        ...

    def redrive(self, limit: int) -> int:
        """Put up to `limit` dead letters back, due at once and claimed never, however full it is.

        Returns:
            How many were put back; none does not mean that there are none.

        Raises:
            InvalidRequestError: `limit` is not within 1 and `MAX_CLAIMED`.
        """
        ...
