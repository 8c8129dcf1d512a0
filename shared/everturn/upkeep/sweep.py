"""Sweep all scopes of a store: what nobody asked for again, and what a crash left behind.

A pass walks the listing of all heads, then that of all segments, and so on; a call does as much of
it as it may and says in `i/.sweep` where the next one goes on. Losing that only costs another pass,
and two sweeps at once do no harm. Segments are looked at when one of a conversation came of age
since the last complete pass: those of lost writes do, those that a redaction replaced lie beside a
new one, and those that a pop failed to remove are found by their head, which was written then.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Final

from everturn.consolidation.enqueue_job import JobOffers
from everturn.errors import OutcomeUnknownError, StoreError, UnavailableError
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import Entry, ObjectStore, Page, StoredObject
from everturn.storage.budget import Budget
from everturn.storage.list_keys import list_all
from everturn.upkeep.sweep_head import Broom, sweep_head
from everturn.upkeep.sweep_markers import markers_due
from everturn.upkeep.sweep_pass import Stage, SweepPass, parse_sweep_pass
from everturn.upkeep.sweep_segments import GRACE_NS, sweep_segments
from everturn.upkeep.sweep_staged import staged_due
from everturn.upkeep.sweep_tasks import Due, Task
from everturn.upkeep.sweep_unconsolidated import tails_due
from everturn.upkeep.swept import Swept
from everturn.values.go_json import JsonObject
from everturn.values.keys import SWEEP_KEY, Scope, segments_prefix
from everturn.values.listed_keys import conversation_of

# A GET waits some 30 ms for S3, a deletion for ten of them.
_SWEEPERS: Final = 16
# A crash costs at most so many listings of 1,000 keys again.
_PAGES_PER_SAVE: Final = 20


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
    page = broom.data.list("c/", start_after=going.after)
    return Due(tuple(_head_tasks(going, broom, page.entries)), _end(page))


def _segments_due(going: SweepPass, broom: Broom) -> Due:
    page = broom.data.list("s/", start_after=going.after)
    return Due(tuple(_segment_tasks(going, broom, page.entries)), _end(page))


def _end(page: Page) -> str | None:
    return page.keys[-1] if page.more else None


_DUE: Final[Mapping[Stage, Callable[[SweepPass, Broom], Due]]] = {
    "heads": _heads_due,
    "segments": _segments_due,
    "tails": tails_due,
    "staged": staged_due,
    "markers": markers_due,
}


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
