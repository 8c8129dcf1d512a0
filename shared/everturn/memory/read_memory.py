"""Read one memory with its history: what was said before it and in its place."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from everturn.memory.index.load_rows import load_rows
from everturn.memory.index.record_cache import LoadedRows, MemoryCache
from everturn.memory.model.memory import Memory
from everturn.memory.model.pattern_spec import PatternSpec
from everturn.memory.views import MemoryView, current_rid, no_such_memory, read_views
from everturn.ports.clock import Clock
from everturn.ports.object_store import ObjectStore
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
