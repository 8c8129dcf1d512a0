"""Enqueue jobs of consolidation, and leave a marker for each job that the queue does not take.

A job that is not taken loses nothing: the next one of its conversation reads all that is new.

A marker is for all appends to its conversation within its minute. So one write a minute is enough
however many appends there are. Its job therefore begins when that minute is over, not before.

The key of a marker says its minute.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from everturn.conversations.read_record import read_live_record
from everturn.errors import (
    EverturnError,
    GoneError,
    MisconfiguredError,
    OutcomeUnknownError,
    PreconditionFailedError,
    StoreError,
    UnavailableError,
)
from everturn.ports.clock import Clock
from everturn.ports.object_store import ObjectStore, StoredObject
from everturn.ports.queue import JobQueue, Offered
from everturn.storage.lru_cache import BoundedCache
from everturn.values.job import Job, job_of
from everturn.values.keys import DIRTY_PREFIX, Scope, dirty_key, valid_id

NO_QUEUE: Final = "no_queue"
QUEUE_FULL: Final = "queue_full"
QUEUE_UNAVAILABLE: Final = "queue_unavailable"

MINUTE_S: Final = 60
_MAX_QUIET_S: Final = 30.0

_NS: Final = 1_000_000_000
# How far the clocks of two machines may be apart; those of AWS are much closer.
# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/set-time.html
_SKEW_S: Final = 1
# Some 4,000 conversations in each of both; of one that is forgotten a job is offered once more.
_MAX_BYTES: Final = 1_048_576
_ENTRY_BYTES: Final = 256

_QUEUE_FAULTS: Final = (UnavailableError, MisconfiguredError)
_STORE_FAULTS: Final = (StoreError, UnavailableError, MisconfiguredError)
_PASSING: Final = (UnavailableError, OutcomeUnknownError)


@dataclass(frozen=True, slots=True)
class JobOffer:
    """What became of an offer."""

    queued: bool
    """Whether a job waits that will read what was there when it was offered."""
    reason: str | None = None
    """Why none does: `no_queue`, `queue_full` or `queue_unavailable`."""
    sent: bool = False
    """Whether the queue was asked and took it."""
    marked: bool = False
    """Whether a marker stands for it: it is offered again when somebody has ended a job."""
    fault: EverturnError | None = None
    """What the queue raised, or else the store of markers."""

    @property
    def dropped(self) -> bool:
        """Whether the queue is full."""
        return self.reason == QUEUE_FULL

    @property
    def unsent(self) -> bool:
        """Whether the queue did not answer."""
        return self.reason == QUEUE_UNAVAILABLE


class JobOffers:
    """The offers of one process; it remembers the newest, within a bound."""

    def __init__(
        self,
        queue: JobQueue | None,
        derived: ObjectStore,
        clock: Clock,
        settle_s: int,
        *,
        quiet_s: float | None = None,
    ) -> None:
        """Take the queue and what goes with it; asks nothing yet.

        Args:
            queue: where jobs go; None if there is none.
            derived: where markers lie.
            clock: the time.
            settle_s: how long a job waits for turns that follow at once.
            quiet_s: how long after an offer that was taken its conversation needs no other; by
                default half of `settle_s`, 30 at most. 0 for a queue that may hand out a job
                before its time: each append asks it, and leaves a marker where it is refused.
        """
        self._queue = queue
        self._derived = derived
        self._clock = clock
        self._settle_s = settle_s
        self._quiet_s = min(_MAX_QUIET_S, settle_s / 2) if quiet_s is None else quiet_s
        self._taken: BoundedCache[float] = BoundedCache(_MAX_BYTES)
        self._marked: BoundedCache[int] = BoundedCache(_MAX_BYTES)
        self._dirty_age_s: int | None = None

    @property
    def depth(self) -> int | None:
        """How many jobs wait, if that was read within the last seconds; asks nobody."""
        return self._queue.seen_depth if self._queue else None

    def pop_dirty_age(self) -> int | None:
        """Return what the last look at the markers told, once; None if nobody has looked since.

        Seconds from the oldest one's minute to that look, or 0. Pop before work too: some failed.
        """
        age_s, self._dirty_age_s = self._dirty_age_s, None
        return age_s

    def see_markers(self, keys: Sequence[str]) -> None:
        """Take note of the first keys of the markers, as somebody listed them."""
        self._dirty_age_s = age_of_oldest(keys, now_ns=self._clock.now_ns())

    def offer(self, scope: Scope, conversation_id: str) -> JobOffer:
        """Offer a job after turns were stored: it begins when they have settled.

        Asks nobody while a job of this process settles; no fault of queue or markers fails it.
        """
        job = Job(scope, conversation_id)
        taken_s = self._taken.get(job.digest)
        if taken_s is not None and self._clock.monotonic_s() - taken_s < self._quiet_s:
            return JobOffer(queued=True)
        return self._offer(job, delay_s=self._settle_s)

    def offer_now(
        self, scope: Scope, conversation_id: str, *, even_if_full: bool = False
    ) -> JobOffer:
        """Offer a job that may begin at once, whatever was offered before; fails as `offer`.

        Args:
            scope: whose conversation.
            conversation_id: which.
            even_if_full: for whoever has just ended a job; see JobQueue.
        """
        return self._offer(Job(scope, conversation_id), delay_s=0, even_if_full=even_if_full)

    def take_marker(self, *, draw: int = 0, even_if_full: bool = True) -> bool:
        """Offer the job of a marker of the oldest minute, and remove the marker.

        Four requests. Offered first: whoever ends in between has offered it twice, which does no
        harm. A marker that is no job is removed, and another one is taken.

        Args:
            draw: any number; of workers that end at once those with other numbers take others of
                the first markers, so that a model does not read one conversation for all of them.
            even_if_full: for whoever has just ended a job: the queue grows by none. False for one
                who was idle: with a job in each of the minutes that its markers stand for, the
                queue would grow for as long as there are some.

        Returns:
            Whether a job was offered; False too where the queue is full or the queue or the store
            does not answer now, and then the marker stays.

        Raises:
            AccessDeniedError, MisconfiguredError: this process may never do it.
        """
        self._dirty_age_s = None
        if self._queue is None:
            return False
        try:
            keys = self._derived.list(DIRTY_PREFIX).keys
            self.see_markers(keys)
            for key in turned(keys, draw):
                offered = self._taken_up(key, self._queue, even_if_full=even_if_full)
                if offered is not None:
                    return offered is not Offered.FULL
        except _PASSING:
            # The marker stays, and whoever ends the next job comes for it.
            return False
        return False

    def _taken_up(self, key: str, queue: JobQueue, *, even_if_full: bool) -> Offered | None:
        """Offer the job of a marker; None where there is none."""
        found = self._derived.get(key)
        if not isinstance(found, StoredObject):
            return None
        job, offered = job_of(found.body), None
        if job is not None:
            offered = queue.offer(job, delay_s=self._until_over(key), even_if_full=even_if_full)
        if offered is not Offered.FULL:
            # One that an append has renewed meanwhile stays, where versions tell.
            with suppress(PreconditionFailedError, GoneError):
                self._derived.delete(key, expect=found.etag)
        return offered

    def _until_over(self, key: str) -> int:
        """Return the seconds until no process can rely on a marker any more."""
        if not self._quiet_s:
            return 0
        over_s = (minute_of(key) + 1) * MINUTE_S + _SKEW_S
        left_s = -(-(over_s * _NS - self._clock.now_ns()) // _NS)
        # One from a clock that is far ahead holds nobody up.
        return max(0, min(left_s, MINUTE_S + _SKEW_S))

    def _offer(self, job: Job, *, delay_s: int, even_if_full: bool = False) -> JobOffer:
        if self._queue is None:
            return _refused(NO_QUEUE)
        try:
            offered = self._queue.offer(job, delay_s=delay_s, even_if_full=even_if_full)
        except _QUEUE_FAULTS as fault:
            return self._marking(job, _refused(QUEUE_UNAVAILABLE, fault))
        if offered is Offered.FULL:
            return self._marking(job, _refused(QUEUE_FULL))
        # One that joined another, or may begin at once, may read before the next turns are there.
        if offered is Offered.QUEUED and delay_s:
            self._taken.keep(job.digest, self._clock.monotonic_s(), _ENTRY_BYTES)
        return JobOffer(queued=True, sent=True)

    def _marking(self, job: Job, offer: JobOffer) -> JobOffer:
        minute = self._clock.now_ns() // (MINUTE_S * _NS)
        if self._quiet_s and self._marked.get(job.digest) == minute:
            return replace(offer, marked=True)
        key = dirty_key(job.scope, job.conversation_id, minute=minute)
        try:
            self._derived.overwrite(key, job.encode().encode("ascii"))
        except _STORE_FAULTS as fault:
            return replace(offer, fault=offer.fault or fault)
        self._marked.keep(job.digest, minute, _ENTRY_BYTES)
        return replace(offer, marked=True)


def offer_stored(
    *, offers: JobOffers, store: ObjectStore, scope: Scope, conversation_id: str
) -> JobOffer:
    """Offer the job of a conversation that somebody asks for by name; fails as `offer` does.

    Raises:
        InvalidRequestError: the id is none.
        NotFoundError: it is unknown or was deleted.
        CorruptRecordError, AccessDeniedError, UnavailableError: it cannot be read.
    """
    id_ = valid_id(conversation_id, field="conversation_id")
    found = read_live_record(store=store, scope=scope, conversation_id=id_)
    return offers.offer_now(scope, found.record.head.conversation_id)


def _refused(reason: str, fault: EverturnError | None = None) -> JobOffer:
    return JobOffer(queued=False, reason=reason, fault=fault)


_MINUTE: Final = re.compile(r"[0-9]{10}", re.ASCII)
# So many workers may end at once and take different markers; more are as well for some of them.
_ABREAST: Final = 16


def minute_of(key: str) -> int:
    """Return the minute of Unix time that a listed key names; 0 where none of ours is there."""
    minute = key.removeprefix(DIRTY_PREFIX).partition("/")[0]
    return int(minute) if _MINUTE.fullmatch(minute) else 0


def turned(keys: Sequence[str], draw: int) -> Sequence[str]:
    """Return listed keys, begun at one of the first that are of the same minute."""
    first = [key for key in keys[:_ABREAST] if minute_of(key) == minute_of(keys[0])]
    place = draw % len(first) if first else 0
    return [*keys[place:], *keys[:place]]


def age_of_oldest(keys: Sequence[str], *, now_ns: int) -> int:
    """Return the seconds since the minute of the first of listed keys began; 0 without any."""
    oldest = next((minute for minute in map(minute_of, keys) if minute), None)
    return 0 if oldest is None else max(0, now_ns // _NS - oldest * MINUTE_S)
