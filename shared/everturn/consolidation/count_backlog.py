"""Count what consolidation has not done yet: of one scope, and in the queue of all.

Whoever asks how things are wants an answer when they are bad: a number that cannot be had now is
left out.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, TypeVar

from everturn.consolidation.read_watermarks import Watermarks
from everturn.consolidation.token_quota import TokenUse
from everturn.errors import MisconfiguredError, StoreError, UnavailableError
from everturn.listing.model.cache_root import LIMITS
from everturn.listing.walk_rows import ListedRow, open_rows
from everturn.memory.index.record_cache import MemoryCache
from everturn.ports.clock import Clock
from everturn.ports.object_store import ObjectStore
from everturn.ports.queue import JobQueue
from everturn.storage.budget import Budget
from everturn.values.keys import Scope, scope_prefix

# A request ends within 20 s, and a person waits for this one.
_SECONDS: Final = 4.0
_READERS: Final = 16
# So many watermarks are read between two looks at the clock, most of them from this process.
_CHUNK: Final = 256
_FAULTS: Final = (StoreError, UnavailableError, MisconfiguredError)

Number = TypeVar("Number")


@dataclass(frozen=True, slots=True)
class Backlog:
    """Numbers, None where one cannot be had; times in Unix nanoseconds."""

    depth: int | None = None
    """Jobs of all users that wait in the queue, about."""
    in_flight: int | None = None
    """Jobs that somebody works on, about."""
    oldest_ns: int | None = None
    """When the first of those that wait came due."""
    dead: int | None = None
    """Jobs that failed too often."""
    pending: int | None = None
    """Conversations of the scope with turns that were not read."""
    pending_turns: int | None = None
    quarantined: int | None = None
    """Turns of the scope that no extractor could read."""
    last_success_ns: int | None = None
    """When turns of the scope were consolidated last; where not all was counted, maybe later."""
    is_spent: bool = False
    """Whether the tenant is known to have used up what it may use of models today."""

    @property
    def is_complete(self) -> bool:
        """Whether all of the scope was counted."""
        return self.pending is not None and self.quarantined is not None


def count_backlog(
    *,
    data: ObjectStore,
    derived: ObjectStore,
    clock: Clock,
    scope: Scope,
    cache: MemoryCache,
    queue: JobQueue | None,
    tokens: TokenUse,
) -> Backlog:
    """Count, for some four seconds at most; never raises for a store or a queue that is away.

    The requests of a list of conversations, a LIST per 1,000 watermarks and quarantined turns, a
    GET for each watermark that moved since this process read it, two requests of the queue, and one
    where tokens are limited.
    """
    budget = Budget(clock=clock, seconds=_SECONDS)
    with ThreadPoolExecutor(2) as executor:
        queued = executor.submit(_queued, queue)
        quarantined = executor.submit(_had, lambda: _quarantined(data, scope, budget))
        behind = _behind(
            data=data, derived=derived, clock=clock, scope=scope, cache=cache, budget=budget
        )
    return replace(
        behind,
        quarantined=quarantined.result(),
        depth=queued.result().depth,
        in_flight=queued.result().in_flight,
        oldest_ns=queued.result().oldest_ns,
        dead=queued.result().dead,
        is_spent=bool(_had(lambda: tokens.is_spent)),
    )


def _had(ask: Callable[[], Number]) -> Number | None:
    """Return what is asked for, None where nobody answers."""
    try:
        return ask()
    except _FAULTS:
        return None


def _queued(queue: JobQueue | None) -> Backlog:
    if queue is None:
        return Backlog()
    depth, dead = _had(queue.depth), _had(queue.count_dead)
    if depth is None:
        return Backlog(dead=dead)
    return Backlog(depth.waiting, depth.leased, depth.oldest_ns, dead)


def _quarantined(data: ObjectStore, scope: Scope, budget: Budget) -> int | None:
    prefix = scope_prefix("q", scope)
    page = data.list(prefix)
    count = len(page.keys)
    while page.more:
        if budget.is_over:
            return None
        page = data.list(prefix, start_after=page.keys[-1])
        count += len(page.keys)
    return count


def _behind(
    *,
    data: ObjectStore,
    derived: ObjectStore,
    clock: Clock,
    scope: Scope,
    cache: MemoryCache,
    budget: Budget,
) -> Backlog:
    marks = _had(lambda: Watermarks(store=data, scope=scope, cache=cache))
    if marks is None:
        return Backlog()
    left: list[int] | None = None
    try:
        with ThreadPoolExecutor(_READERS) as executor:
            list(executor.map(marks.of, marks.newest))
            with open_rows(
                data=data,
                derived=derived,
                scope=scope,
                clock=clock,
                limits=replace(LIMITS, reading_s=_SECONDS),
            ) as walk:
                left = _left(walk.newest_first(), marks, executor, budget)
    except _FAULTS:
        # A first list of very many conversations takes more than one request.
        left = None
    known = Backlog(last_success_ns=marks.last_read_ns)
    return known if left is None else replace(known, pending=len(left), pending_turns=sum(left))


def _left(
    rows: Iterator[ListedRow], marks: Watermarks, executor: Executor, budget: Budget
) -> list[int] | None:
    """Return how many turns are left of each conversation that is behind; None: out of time."""
    left: list[int] = []
    while some := list(islice(rows, _CHUNK)):
        if budget.is_over:
            return None
        read = executor.map(marks.of, [row.key for row in some])
        counts = (row.row.turn_count - turns for row, turns in zip(some, read, strict=True))
        left += [count for count in counts if count > 0]
    return left
