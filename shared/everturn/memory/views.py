"""A memory as a reader sees it: with the time for which it holds, and what came in its place."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from everturn.errors import (
    CorruptRecordError,
    EverturnError,
    NotFoundError,
    UnavailableError,
)
from everturn.memory.index.record_cache import READERS, LoadedRows, MemoryCache, MemoryRecords
from everturn.memory.model.memory import Memory
from everturn.ports.object_store import ObjectStore
from everturn.values.keys import Scope
from everturn.values.timestamps import NANOSECONDS


@dataclass(frozen=True, slots=True)
class MemoryView:
    """A memory; `valid_to_ns` and `superseded_by` are None while it holds."""

    memory: Memory
    valid_from_ns: int | None = None
    valid_to_ns: int | None = None
    superseded_by: str | None = None


def view_of(memory: Memory, loaded: LoadedRows) -> MemoryView:
    """Return the view of a memory."""
    rid, lineages = memory.rid, loaded.lineages
    if lineages.lone(rid):
        return MemoryView(memory, memory.valid_from_ns)
    periods = lineages.periods(rid)
    since, until = periods[-1] if periods else (memory.valid_from_ns, memory.first_seen_ns)
    # A successor that was forgotten is none that a reader could ask for.
    current = loaded.rows.get(lineages.current_of(rid) or rid)
    is_replaced = current is not None and current.rid != rid and not current.is_forgotten
    return MemoryView(memory, since, until, current.rid if current and is_replaced else None)


def shown_since(memory: Memory, loaded: LoadedRows, at_ns: int | None = None) -> int | None:
    """Return since when a memory holds, to be shown: None where nobody said so.

    Of one that was replaced or said anew it is the period that a time is in, else the last one, to
    the second.
    """
    if memory.valid_from_ns is None or loaded.lineages.lone(memory.rid):
        return memory.valid_from_ns
    periods = loaded.lineages.periods(memory.rid)
    begins = [begin for begin, _ in periods if at_ns is None or begin <= at_ns]
    return begins[-1] // NANOSECONDS * NANOSECONDS if begins else memory.valid_from_ns


def current_rid(rid: str, loaded: LoadedRows) -> str:
    """Return the id of what holds now in the place of a memory: its own, or its successor's.

    Raises:
        NotFoundError: there is no such memory, or it was forgotten.
        CorruptRecordError: it cannot be read.
        UnavailableError: it is not among those that were read in time.
    """
    row = loaded.rows.get(rid)
    if row is None:
        raise _missing(rid, loaded)
    current = loaded.lineages.current_of(rid)
    found = loaded.rows.get(current or rid)
    if found is None or (found.is_forgotten and row.is_forgotten):
        raise no_such_memory()
    # Where its successor was forgotten, the old one is shown as what it is: replaced.
    return rid if found.is_forgotten else found.rid


def _missing(rid: str, loaded: LoadedRows) -> EverturnError:
    if any(rid == other for other, _ in loaded.unreadable):
        return CorruptRecordError(f"a stored memory cannot be read memory={rid}")
    if loaded.pending:
        return UnavailableError(f"memories are not all read yet pending={loaded.pending}")
    return no_such_memory()


def read_views(
    rids: Sequence[str],
    loaded: LoadedRows,
    *,
    store: ObjectStore,
    scope: Scope,
    cache: MemoryCache,
) -> list[MemoryView]:
    """Read memories in the order of their ids given; what is gone or unreadable is left out.

    Raises:
        UnavailableError: the store does not answer.
    """
    with ThreadPoolExecutor(READERS) as executor:
        records = MemoryRecords(store, scope, cache, executor)
        found = records.memories({rid: loaded.rows[rid].etag for rid in rids if rid in loaded.rows})
    return [view_of(found[rid], loaded) for rid in rids if rid in found]


def no_such_memory() -> NotFoundError:
    """Return the error for an id at which there is nothing: unknown, foreign and forgotten."""
    return NotFoundError("there is no such memory")
