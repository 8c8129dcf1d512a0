"""The memories that this process caches: records by etag, and the rows of the scopes used last.

Records are read many at once, and those read last are kept.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from everturn.errors import AccessDeniedError, CorruptRecordError
from everturn.memory.index.row import MemoryRow
from everturn.memory.model.codec import parse_memory
from everturn.memory.model.memory import Memory
from everturn.memory.model.supersession import Lineages
from everturn.ports.object_store import ObjectStore, StoredObject
from everturn.storage.lru_cache import BoundedCache
from everturn.values.keys import Scope, memory_key

# A memory takes some 2 KB once it is parsed.
_RECORD_BYTES: Final = 16 * 1_048_576
# What a parsed record takes beside its bytes.
_FRAME_BYTES: Final = 1_024
# 100,000 rows take some 120 MB.
_ROWS_BYTES: Final = 192 * 1_048_576
_WATERMARK_BYTES: Final = 1_048_576
ROW_BYTES: Final = 1_200
"""What a row takes in memory, about."""
READERS: Final = 16
"""Records are read in parallel: a GET waits some 30 ms for S3."""


@dataclass(frozen=True, slots=True)
class LoadedRows:
    """The rows of all memories of a scope, as of one listing.

    `rows` are in the order of their ids. `pending` could not be read in time, or were refused: the
    next call goes on. `unreadable` ones are left out. `hidden` are the ids of what does not hold
    now, since something came in its place. `fresh` rows are in no stored bucket yet. `stored` is
    the etag of each bucket that was read.
    """

    rows: Mapping[str, MemoryRow]
    lineages: Lineages
    hidden: frozenset[str] = frozenset()
    changes_ns: int | None = None
    """When something else begins to hold, without anything being said: one may begin later."""
    listed: tuple[Sequence[str], Sequence[str]] = ((), ())
    """Keys and etags, as listed."""
    pending: int = 0
    unreadable: frozenset[tuple[str, str]] = frozenset()
    fresh: frozenset[str] = frozenset()
    stored: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to read."""
        return not self.pending

    def holds_at(self, now_ns: int) -> bool:
        """Say whether it is complete and still true at a time, if nothing was written since."""
        return self.is_complete and (self.changes_ns is None or now_ns < self.changes_ns)

    def current(self) -> list[MemoryRow]:
        """Return the rows of what holds now, in the order of their ids."""
        return [
            row for rid, row in self.rows.items() if not row.is_forgotten and rid not in self.hidden
        ]


class HowFar(NamedTuple):
    """What a watermark says: how many turns were read, and when, in Unix ns; 0 for never."""

    turns: int
    read_ns: int


class MemoryCache:
    """The records and the rows of this process."""

    def __init__(self, *, record_bytes: int = _RECORD_BYTES, rows_bytes: int = _ROWS_BYTES) -> None:
        """Bound each in bytes."""
        self.records: BoundedCache[Memory] = BoundedCache(record_bytes)
        self.rows: BoundedCache[LoadedRows] = BoundedCache(rows_bytes)
        self.watermarks: BoundedCache[HowFar] = BoundedCache(_WATERMARK_BYTES)


@dataclass(frozen=True, slots=True)
class StoredMemory:
    """A memory and its version."""

    memory: Memory
    etag: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """What stands in the place of a record that cannot be read, by its etag if that is known.

    One that the store refused may be sound, and be read once it is allowed.
    """

    etag: str
    refused: bool = False


@dataclass(frozen=True, slots=True)
class MemoryRecords:
    """The records of one scope."""

    store: ObjectStore
    scope: Scope
    cache: MemoryCache
    executor: Executor

    def read(self, etags: Mapping[str, str]) -> dict[str, StoredMemory | Unreadable | None]:
        """Return records by id: each as known at this etag, else as it is now; None where absent.

        Raises:
            UnavailableError: the store does not answer.
        """
        wanted = list(etags.items())
        found = self.executor.map(lambda one: self._read(*one), wanted)
        return {rid: one for (rid, _), one in zip(wanted, found, strict=True)}

    def memories(self, etags: Mapping[str, str]) -> dict[str, Memory]:
        """Return those that can be read and were not forgotten."""
        return {
            rid: one.memory
            for rid, one in self.read(etags).items()
            if isinstance(one, StoredMemory) and not one.memory.is_forgotten
        }

    def _read(self, rid: str, etag: str) -> StoredMemory | Unreadable | None:
        key = memory_key(self.scope, rid)
        known = self.cache.records.get((key, etag))
        if known is not None:
            return StoredMemory(known, etag)
        try:
            stored = self.store.get(key)
            if not isinstance(stored, StoredObject):
                return None
            memory = parse_memory(stored.body, rid)
        except AccessDeniedError:
            return Unreadable(etag, refused=True)
        except CorruptRecordError:
            return Unreadable(stored.etag if isinstance(stored, StoredObject) else etag)
        self.cache.records.keep((key, stored.etag), memory, 4 * len(stored.body) + _FRAME_BYTES)
        return StoredMemory(memory, stored.etag)
