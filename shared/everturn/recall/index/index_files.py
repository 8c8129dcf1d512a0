"""The files of a side index: chunks of 1,024 rows, one folder a model, in the derived store."""

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from everturn.errors import StoreError, UnavailableError
from everturn.ports.object_store import ObjectStore, StoredObject
from everturn.recall.index.index_chunk import decode_chunk, encode_chunk
from everturn.recall.index.turn_rows import TurnRows
from everturn.values.keys import Scope, chunk_key

# A GET waits some 30 ms for S3.
_READERS = 16


@dataclass(frozen=True, slots=True)
class IndexFiles:
    """The chunks of one conversation and one model; `dimensions` 0 for terms without vectors."""

    derived: ObjectStore
    scope: Scope
    conversation_id: str
    model: str
    dimensions: int

    def key(self, number: int) -> str:
        """Return where a chunk lies."""
        return chunk_key(self.scope, self.conversation_id, self.model, number)

    def read(self, numbers: Iterable[int]) -> dict[int, TurnRows]:
        """Read chunks in parallel; what is absent, damaged or cannot be read is left out."""
        wanted = list(numbers)
        if len(wanted) <= 1:
            read = list(map(self._read, wanted))
        else:
            with ThreadPoolExecutor(_READERS) as executor:
                read = list(executor.map(self._read, wanted))
        return {at: rows for at, rows in zip(wanted, read, strict=True) if rows is not None}

    def write(self, chunks: Mapping[int, TurnRows]) -> frozenset[int]:
        """Write chunks; the numbers of those that are not there for certain."""
        left = set(chunks)
        try:
            for number, rows in chunks.items():
                self.derived.overwrite(self.key(number), encode_chunk(rows, self.model))
                left.remove(number)
        except (StoreError, UnavailableError):
            # The others would wait for the same store.
            pass
        return frozenset(left)

    def remove(self, numbers: Iterable[int]) -> bool:
        """Remove chunks; whether they are gone for certain."""
        try:
            return not self.derived.delete_many([self.key(number) for number in numbers])
        except (StoreError, UnavailableError):
            return False

    def _read(self, number: int) -> TurnRows | None:
        try:
            stored = self.derived.get(self.key(number))
        except (StoreError, UnavailableError):
            return None
        if not isinstance(stored, StoredObject):
            return None
        return decode_chunk(stored.body, model=self.model, dimensions=self.dimensions)
