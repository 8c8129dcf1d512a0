"""Read one memory with its history, or list the memories of a scope.

The history has what was said before the memory and what replaced it. The list is in the order of
the ids.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from everturn.memory.index.load_rows import load_rows
from everturn.memory.index.record_cache import LoadedRows, MemoryCache
from everturn.memory.index.row import MemoryRow
from everturn.memory.model.memory import Memory
from everturn.memory.model.pattern_spec import PatternSpec
from everturn.memory.views import MemoryView, current_rid, no_such_memory, read_views
from everturn.ports.clock import Clock
from everturn.ports.object_store import ObjectStore
from everturn.values.cursors import MemoryCursor, parse_memory_cursor
from everturn.values.keys import Scope


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """What held from a time on, until another: a statement, a spec, or neither if forgotten."""

    rid: str
    since_ns: int
    until_ns: int | None
    statement: str = ""
    spec: PatternSpec | None = None
    forgotten: bool = False


@dataclass(frozen=True, slots=True)
class ReadMemory:
    """A memory and its history, oldest first."""

    view: MemoryView
    history: Sequence[HistoryEntry]


def read_memory(
    *,
    store: ObjectStore,
    derived: ObjectStore,
    scope: Scope,
    clock: Clock,
    cache: MemoryCache,
    rid: str,
) -> ReadMemory:
    """Return a memory as it is now; the id of one that was replaced answers its successor.

    Raises:
        NotFoundError: there is none, or it was forgotten.
        AccessDeniedError, UnavailableError: the store does not list or read.
    """
    loaded = load_rows(store=store, derived=derived, scope=scope, clock=clock, cache=cache)
    current = current_rid(rid, loaded)
    rids = loaded.lineages.members(current) or [current]
    views = read_views(
        list(dict.fromkeys([current, *rids])), loaded, store=store, scope=scope, cache=cache
    )
    by_rid = {view.memory.rid: view for view in views}
    if current not in by_rid:
        raise no_such_memory()
    history = [entry for one in by_rid.values() for entry in _entries(one.memory, loaded)]
    history += _forgotten(rids, loaded)
    return ReadMemory(by_rid[current], sorted(history, key=lambda one: (one.since_ns, one.rid)))


def _entries(memory: Memory, loaded: LoadedRows) -> Iterator[HistoryEntry]:
    """Yield what a memory was: each period of a statement, each spec of a pattern."""
    since = memory.valid_from_ns if memory.valid_from_ns is not None else memory.first_seen_ns
    for earlier in memory.earlier:
        yield HistoryEntry(memory.rid, since, earlier.replaced_ns, spec=earlier.spec)
        since = max(since, earlier.replaced_ns)
    lone = loaded.lineages.lone(memory.rid)
    periods = ((since, None),) if lone else loaded.lineages.periods(memory.rid)
    # What was replaced since before it was said never held, and was said all the same.
    periods = periods or ((since, since),)
    for begin, end in periods:
        yield HistoryEntry(memory.rid, begin, end, memory.statement, memory.spec)


def _forgotten(rids: Sequence[str], loaded: LoadedRows) -> Iterator[HistoryEntry]:
    for rid in rids:
        if rid in loaded.rows and loaded.rows[rid].is_forgotten:
            for begin, end in loaded.lineages.periods(rid):
                yield HistoryEntry(rid, begin, end, forgotten=True)


DEFAULT_LIMIT = 50
# A page is 3 MiB at most; what stands around a memory's text are its sources.
_PAGE_BYTES = 2 * 1_048_576
_FRAME_BYTES = 16_384


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """Memories; how many records could not be read, and whether some were not looked at yet."""

    views: Sequence[MemoryView]
    next_cursor: str | None
    skipped: int
    pending: int


def list_memories(
    *,
    store: ObjectStore,
    derived: ObjectStore,
    scope: Scope,
    clock: Clock,
    cache: MemoryCache,
    kind: str | None = None,
    superseded: bool = False,
    limit: int | None = None,
    cursor: str | None = None,
) -> MemoryPage:
    """List one page: one LIST per 1,000 memories, one GET for each on it that is not known.

    Args:
        store: where memories lie.
        derived: where their index lies.
        scope: whose they are.
        clock: ends the page in time.
        cache: what this process knows.
        kind: of which kind; all if not given.
        superseded: whether to show what was replaced as well.
        limit: at most so many, 50 by default.
        cursor: `next_cursor` of the page before.

    Raises:
        InvalidRequestError: `cursor` is none of such a list.
        AccessDeniedError, UnavailableError: the store does not list or read.
    """
    after = parse_memory_cursor(cursor).rid if cursor else ""
    loaded = load_rows(store=store, derived=derived, scope=scope, clock=clock, cache=cache)
    rows = [row for row in _shown(loaded, superseded=superseded) if kind in {None, row.kind}]
    left = [row for row in rows if row.rid > after]
    page = _affordable(left[: limit or DEFAULT_LIMIT])
    views = read_views([row.rid for row in page], loaded, store=store, scope=scope, cache=cache)
    next_cursor = MemoryCursor(page[-1].rid).encode() if len(left) > len(page) else None
    return MemoryPage(views, next_cursor, len(loaded.unreadable), loaded.pending)


def _shown(loaded: LoadedRows, *, superseded: bool) -> list[MemoryRow]:
    if not superseded:
        return loaded.current()
    return [row for row in loaded.rows.values() if not row.is_forgotten]


def _affordable(rows: Sequence[MemoryRow]) -> Sequence[MemoryRow]:
    """Return the first rows, as many as surely fit into an answer; one at least."""
    size = 0
    for number, row in enumerate(rows):
        size += row.size + min(row.coverage, 32) * 512 + _FRAME_BYTES // 32
        if size > _PAGE_BYTES and number:
            return rows[:number]
    return rows
