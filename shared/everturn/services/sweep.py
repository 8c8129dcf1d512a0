"""Sweep all scopes of a store: what nobody asked for again, and what a crash left behind.

Not here: what becomes of one head (services/sweep_head.py) or of segments
(services/sweep_segments.py).

A pass walks the listing of all heads, then that of all segments; a call does as much of it as it
may and says in `i/.sweep` where the next one goes on. Losing that only costs another pass, and two
sweeps at once do no harm. Segments are looked at when one of a conversation came of age since the
last complete pass: those of lost writes do, those that a redaction replaced lie beside a new one,
and those that a pop failed to remove are found by their head, which was written then.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Final

from everturn.domain.go_json import JsonObject
from everturn.domain.keys import SWEEP_KEY, Scope, conversation_of, segments_prefix
from everturn.domain.sweep_pass import SweepPass, parse_sweep_pass
from everturn.domain.swept import Swept
from everturn.errors import OutcomeUnknownError, StoreError, UnavailableError
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import Entry, ObjectStore, StoredObject
from everturn.services.budget import Budget
from everturn.services.list_keys import list_all
from everturn.services.sweep_head import Broom, sweep_head
from everturn.services.sweep_segments import GRACE_NS, sweep_segments

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


@dataclass(frozen=True, slots=True)
class _Task:
    """One piece of work, and the key by which it is known: its stage is done up to it then."""

    run: Callable[[], Swept]
    until: str


def sweep(
    *,
    data: ObjectStore,
    derived: ObjectStore,
    clock: Clock,
    entropy: Entropy,
    budget: Budget,
    idle_days: int = 0,
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

    Raises:
        AccessDeniedError, UnavailableError: a store does not list or keep how far it is.
    """
    going = _going_on(derived, clock, idle_days)
    broom = Broom(data, derived, clock, entropy, going.started_ns, idle_days)
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
    prefix = "c/" if going.stage == "heads" else "s/"
    page = broom.data.list(prefix, start_after=going.after)
    budget.spend()
    tasks = _head_tasks if going.stage == "heads" else _segment_tasks
    due = list(tasks(going, broom, page.entries))
    swept = Swept()
    for first in range(0, len(due), _SWEEPERS):
        wave = due[first : first + _SWEEPERS]
        done = list(executor.map(lambda task: task.run(), wave))
        swept = sum(done, swept)
        budget.spend(len(wave))
        failing = [task.until for task, it in zip(wave, done, strict=True) if it.failed]
        going = going.at(wave[-1].until).with_failing(failing)
        if budget.is_over and first + _SWEEPERS < len(due):
            return going, swept
    if page.more:
        return going.at(page.keys[-1]), swept
    return going.next_stage(), swept


def _head_tasks(going: SweepPass, broom: Broom, entries: Sequence[Entry]) -> Iterator[_Task]:
    for entry in entries:
        if going.is_due(entry.modified_ns, entry.size) or entry.key in going.again:
            yield _Task(partial(sweep_head, broom, entry), entry.key)


def _segment_tasks(going: SweepPass, broom: Broom, entries: Sequence[Entry]) -> Iterator[_Task]:
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
            yield _Task(partial(_sweep_folder, broom, *whose), until)
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
