"""Read the records of memories, many at once; those read last stay in this process."""

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Final

from everturn.errors import AccessDeniedError, CorruptRecordError
from everturn.memory.index.record_cache import MemoryCache
from everturn.memory.model.codec import parse_memory
from everturn.memory.model.memory import Memory
from everturn.ports.object_store import ObjectStore, StoredObject
from everturn.values.keys import Scope, memory_key

READERS: Final = 16
"""Records are read in parallel: a GET waits some 30 ms for S3."""

# What a parsed record takes beside its bytes.
_FRAME_BYTES: Final = 1_024


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
