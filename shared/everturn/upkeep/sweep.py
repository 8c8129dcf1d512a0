"""Sweep all scopes of a store: remove what is no longer used, and what a crash left behind.

A pass walks the listing of all heads, then that of all segments, and so on. A call does as much of
it as its budget allows, and stores in `i/.sweep` where the next one continues. Losing that only
costs another pass. Two sweeps at once do no harm.

Segments are checked when one of their conversation came of age since the last complete pass. Those
of lost writes come of age. Those that a redaction replaced are next to a new one. Those that a pop
failed to remove are found by their head, which was written then.

Jobs that a queue refused, and that no worker took since, are enqueued by their markers. Usually a
worker that ends a job takes a marker. That chain breaks where a worker ends before it did. A queue
that is still full has workers, which take markers themselves. So the rest of a page is left then.

Staged extractions that are a day old are removed: a crash left them behind. They hold text of turns
that may be redacted or popped by now. If their job is redelivered all the same, the turns are read
again.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import groupby
from typing import Final

from everturn.consolidation.enqueue_job import JobOffer, JobOffers
from everturn.errors import (
    GoneError,
    OutcomeUnknownError,
    PreconditionFailedError,
    StoreError,
    UnavailableError,
)
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import Entry, ObjectStore, Page, StoredObject
from everturn.storage.budget import Budget
from everturn.storage.deletes import erase_listed
from everturn.storage.list_keys import list_all
from everturn.upkeep.sweep_head import Broom, sweep_head
from everturn.upkeep.sweep_pass import DAY_NS, MINUTE_NS, Stage, SweepPass, parse_sweep_pass
from everturn.upkeep.sweep_segments import GRACE_NS, sweep_segments
from everturn.upkeep.sweep_tasks import Due, Swept, Task
from everturn.upkeep.sweep_unconsolidated import tails_due
from everturn.values.go_json import JsonObject
from everturn.values.job import Job, job_of
from everturn.values.keys import (
    DIRTY_PREFIX,
    HEADS_PREFIX,
    STAGED_PREFIX,
    SWEEP_KEY,
    Scope,
    conversation_of,
    segments_prefix,
)

# A GET waits some 30 ms for S3, a deletion for ten of them.
_SWEEPERS: Final = 16
# A crash costs at most so many listings of 1,000 keys again.
_PAGES_PER_SAVE: Final = 20
# A process relies on a marker for the minute that it names; the clocks of two may differ a little.
_REST_NS: Final = 2 * MINUTE_NS


@dataclass(frozen=True, slots=True)
class SweepOutcome:
    """What this call did; whether it ended a pass of which all that failed is remembered."""

    swept: Swept
    complete: bool

    def json(self) -> JsonObject:
        """Return it as the function and the command say it."""
        return {**asdict(self.swept), "complete": self.complete}


def sweep(
    *,
    data: ObjectStore,
    derived: ObjectStore,
    clock: Clock,
    entropy: Entropy,
    budget: Budget,
    idle_days: int = 0,
    offers: JobOffers | None = None,
) -> SweepOutcome:
    """Sweep until the pass is over or the budget is, at least one step.

    Args:
        data: all heads and segments.
        derived: keeps how far it is. Ages are those of `data`, and its present is the smaller of
            two clocks, that of this store and that of the process: the two stores may be kept by
            different machines, and one that is ahead alone makes nothing old.
        clock: for waits, and it bounds the time: see `derived`.
        entropy: for waits and write ids.
        budget: when to stop.
        idle_days: age at which a conversation is deleted that nobody writes to; 0: never.
        offers: takes the jobs of conversations that nobody consolidates any more; None where
            nothing is consolidated: then none is looked for.

    Raises:
        AccessDeniedError, UnavailableError: a store does not list or keep how far it is.
    """
    going = _going_on(derived, clock, idle_days)
    broom = Broom(data, derived, clock, entropy, going.started_ns, idle_days, offers=offers)
    swept, steps = Swept(), 0
    try:
        with ThreadPoolExecutor(_SWEEPERS) as sweepers:
            while going.stage != "done" and (not steps or not budget.is_over):
                going, done = _step(going, broom, budget, sweepers)
                swept, steps = swept + done, steps + 1
                if steps % _PAGES_PER_SAVE == 0:
                    _save(derived, going)
    finally:
        _save(derived, going)
    return SweepOutcome(swept, complete=going.stage == "done" and not going.failed)


def _going_on(derived: ObjectStore, clock: Clock, idle_days: int) -> SweepPass:
    """Return the pass under way, or a new one that begins now, by the slower of two clocks."""
    stored = derived.get(SWEEP_KEY)
    going = parse_sweep_pass(stored.body) if isinstance(stored, StoredObject) else SweepPass()
    if going.stage != "done" and going.idle_days == idle_days:
        return going
    _save(derived, replace(going, stage="done"))
    times = [e.modified_ns for e in list_all(derived, SWEEP_KEY) if e.key == SWEEP_KEY]
    if not times:
        raise UnavailableError("how far the sweep is was not kept")
    return going.begun(min(times[0], clock.now_ns()), idle_days)


def _save(derived: ObjectStore, going: SweepPass) -> None:
    try:
        derived.overwrite(SWEEP_KEY, going.encode())
    except OutcomeUnknownError as error:
        raise UnavailableError("how far the sweep is was perhaps not kept") from error


def _step(
    going: SweepPass, broom: Broom, budget: Budget, executor: Executor
) -> tuple[SweepPass, Swept]:
    """Do one page of a listing, or as much of it as the budget has room for."""
    due = _DUE[going.stage](going, broom)
    budget.spend(due.reads)
    swept = Swept()
    for first in range(0, len(due.tasks), _SWEEPERS):
        wave = due.tasks[first : first + _SWEEPERS]
        done = list(executor.map(lambda task: task.run(), wave))
        swept = sum(done, swept)
        budget.spend(len(wave))
        going = _noted(going, {task.until: it for task, it in zip(wave, done, strict=True)})
        if budget.is_over and first + _SWEEPERS < len(due.tasks):
            return going, swept
    return (going.next_stage() if due.until is None else going.at(due.until)), swept


def _noted(going: SweepPass, done: Mapping[str, Swept]) -> SweepPass:
    """Return the pass after these tasks, by their keys; what is to be looked at again is kept."""
    failing = [key for key, it in done.items() if it.failed]
    behind = [key for key, it in done.items() if it.offered_tails]
    settled = done.keys() - {*failing, *behind}
    return going.at(max(done)).with_failing(failing).with_behind(behind, settled)


def _heads_due(going: SweepPass, broom: Broom) -> Due:
    page = broom.data.list(HEADS_PREFIX, start_after=going.after)
    return Due(tuple(_head_tasks(going, broom, page.entries)), _end(page))


def _segments_due(going: SweepPass, broom: Broom) -> Due:
    page = broom.data.list("s/", start_after=going.after)
    return Due(tuple(_segment_tasks(going, broom, page.entries)), _end(page))


def _end(page: Page) -> str | None:
    return page.keys[-1] if page.more else None


def _head_tasks(going: SweepPass, broom: Broom, entries: Sequence[Entry]) -> Iterator[Task]:
    for entry in entries:
        if going.is_due(entry.modified_ns, entry.size) or entry.key in going.again:
            yield Task(partial(sweep_head, broom, entry), entry.key)


def _segment_tasks(going: SweepPass, broom: Broom, entries: Sequence[Entry]) -> Iterator[Task]:
    """Yield each conversation that has a segment that came of age, once, with all of them."""
    seen = ""
    for entry in entries:
        whose = conversation_of(entry.key)
        if whose is None:
            continue
        # Names of segments begin with digits: this comes after all of them.
        until = f"{segments_prefix(*whose)}~"
        due = going.reached(entry.modified_ns, GRACE_NS) or until in going.again
        if due and until != seen:
            yield Task(partial(_sweep_folder, broom, *whose), until)
            seen = until


def _sweep_folder(broom: Broom, scope: Scope, conversation_id: str) -> Swept:
    try:
        orphans = sweep_segments(
            store=broom.data,
            patience=broom.patience(),
            scope=scope,
            conversation_id=conversation_id,
            now_ns=broom.now_ns,
        )
    except (StoreError, UnavailableError):
        return Swept(failed=1)
    return Swept(orphans=orphans)


def markers_due(going: SweepPass, broom: Broom) -> Due:
    """Return the markers of the next page that are old.

    Raises:
        AccessDeniedError, UnavailableError: the store does not list.
    """
    if broom.offers is None:
        return Due((), None, reads=0)
    page = broom.derived.list(DIRTY_PREFIX, start_after=going.after)
    if not going.after:
        broom.offers.see_markers(page.keys)
    offering = _Offering(broom, broom.offers)
    old = [one for one in page.entries if one.modified_ns + _REST_NS <= going.started_ns]
    tasks = tuple(Task(partial(offering.offer, entry), entry.key) for entry in old)
    return Due(tasks, page.keys[-1] if page.more else None)


@dataclass(slots=True)
class _Offering:
    """What becomes of a page of markers."""

    broom: Broom
    offers: JobOffers
    is_refused: bool = False
    """Whether the queue did not take one of them: then no more are offered."""

    def offer(self, entry: Entry) -> Swept:
        """Offer the job of a marker, then remove it; a read, an offer, and a removal."""
        if self.is_refused:
            return Swept()
        derived = self.broom.derived
        try:
            stored = derived.get(entry.key)
            if not isinstance(stored, StoredObject):
                return Swept()
            job = job_of(stored.body)
            offer = self._offered(job) if job else None
            # A younger marker may stand for the job now.
            if offer is None or offer.queued or offer.marked:
                derived.delete(entry.key, expect=stored.etag)
        except (PreconditionFailedError, GoneError):
            # Somebody else took it, or it was left anew.
            return Swept()
        except (StoreError, UnavailableError):
            return Swept(failed=1)
        return Swept(offered_markers=int(offer is not None and offer.queued))

    def _offered(self, job: Job) -> JobOffer:
        offer = self.offers.offer_now(job.scope, job.conversation_id)
        self.is_refused |= not offer.queued
        return offer


def staged_due(going: SweepPass, broom: Broom) -> Due:
    """Return the conversations of the next page of staged extractions that have old ones.

    Raises:
        AccessDeniedError, UnavailableError: the store does not list.
    """
    page = broom.data.list(STAGED_PREFIX, start_after=going.after)
    old = [one for one in page.entries if one.modified_ns + DAY_NS <= going.started_ns]
    tasks = []
    for whose, group in groupby(old, key=lambda entry: conversation_of(entry.key)):
        entries = tuple(group)
        if whose is not None:
            tasks.append(Task(partial(_sweep, broom, entries), entries[-1].key))
    return Due(tuple(tasks), page.keys[-1] if page.more else None)


def _sweep(broom: Broom, entries: Sequence[Entry]) -> Swept:
    """Remove them as they were listed: a request for each."""
    try:
        changed = erase_listed(store=broom.data, entries=entries, patience=broom.patience())
    except (StoreError, UnavailableError):
        return Swept(failed=1)
    return Swept(staged=len(entries) - len(changed))


_DUE: Final[Mapping[Stage, Callable[[SweepPass, Broom], Due]]] = {
    "heads": _heads_due,
    "segments": _segments_due,
    "tails": tails_due,
    "staged": staged_due,
    "markers": markers_due,
}
