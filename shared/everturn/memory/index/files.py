"""The files of the memory index: rows and vectors, one file per bucket, in the derived store.

Forgetting changes a memory's record first, and then removes it from these files. A writer of a file
lists the records last, and removes what has changed. At least one of the two sees the other. If a
writer dies in between, the next load finds what it left and writes the file again. No file holds a
text.

The first digits of a memory's id, which are evenly spread, name its bucket. A change rewrites one
bucket, so a scope with many memories has more buckets.

    "0"          all memories, up to 2,048
    "1a"         those whose id begins with a, up to 32,768 in all
    "2af"        those whose id begins with af
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Final

from everturn.errors import StoreError, UnavailableError
from everturn.memory.index.row import MemoryRow, decode_rows, encode_rows
from everturn.memory.index.vectors import (
    OwnedVector,
    StoredVector,
    decode_vectors,
    encode_vectors,
)
from everturn.ports.object_store import ObjectStore, StoredObject
from everturn.storage.list_keys import list_all, list_part
from everturn.values.keys import (
    Scope,
    memories_prefix,
    memory_rows_prefix,
    memory_vectors_prefix,
    rid_of_key,
)

_FAULTS = (StoreError, UnavailableError)
# Comes after every hexadecimal digit.
_BEHIND_DIGITS = "g"


@dataclass(frozen=True, slots=True)
class VectorBucket:
    """The vectors of one bucket by the hash of their texts, and whose texts these are."""

    bucket: str
    vectors: Mapping[int, StoredVector]
    owners: Mapping[str, MemoryRow]
    """The rows of the memories that have them, by id."""


@dataclass(frozen=True, slots=True)
class MemoryFiles:
    """The files of one scope; `executor` reads them in parallel."""

    store: ObjectStore
    derived: ObjectStore
    scope: Scope
    executor: Executor

    def rows_listed(self) -> dict[str, str]:
        """Return the etag of each bucket of rows; none where the store does not list."""
        return self._listed(memory_rows_prefix(self.scope))

    def vectors_listed(self, model: str) -> dict[str, str]:
        """Return the etag of each bucket of vectors of a model."""
        return self._listed(memory_vectors_prefix(self.scope, model))

    def read_rows(self, buckets: Iterable[str]) -> dict[str, list[MemoryRow]]:
        """Read buckets of rows; what is damaged or cannot be read is left out."""
        found = self._read(memory_rows_prefix(self.scope), buckets)
        decoded = {bucket: decode_rows(body) for bucket, body in found.items()}
        return {bucket: rows for bucket, rows in decoded.items() if rows is not None}

    def read_vectors(
        self, model: str, dimensions: int, buckets: Iterable[str]
    ) -> dict[str, list[OwnedVector]]:
        """Read buckets of vectors; what is damaged or cannot be read is left out."""
        found = self._read(memory_vectors_prefix(self.scope, model), buckets)
        decoded = {bucket: decode_vectors(body, dimensions) for bucket, body in found.items()}
        return {bucket: owned for bucket, owned in decoded.items() if owned is not None}

    def write_rows(self, bucket: str, rows: Collection[MemoryRow]) -> str | None:
        """Write a bucket of rows; its etag, None where it is not there for certain."""

        def body(owners: Mapping[str, MemoryRow]) -> bytes:
            return encode_rows(owners.values())

        key = memory_rows_prefix(self.scope) + bucket
        return self._write(key, bucket, {row.rid: row for row in rows}, body)

    def write_vectors(self, model: str, dimensions: int, filled: VectorBucket) -> str | None:
        """Write a bucket of vectors; its etag, None where it is not there for certain."""

        def body(owners: Mapping[str, MemoryRow]) -> bytes:
            texts = ((rid, row.text_hash) for rid, row in owners.items())
            known = filled.vectors
            kept = (OwnedVector(rid, at, known[at]) for rid, at in texts if at in known)
            return encode_vectors(kept, dimensions)

        key = memory_vectors_prefix(self.scope, model) + filled.bucket
        return self._write(key, filled.bucket, filled.owners, body)

    def remove_rows(self, buckets: Iterable[str]) -> None:
        """Remove buckets of rows that others took the place of; what stays costs room alone."""
        prefix = memory_rows_prefix(self.scope)
        self._remove(prefix + bucket for bucket in buckets)

    def remove_vectors(self, model: str, buckets: Iterable[str]) -> None:
        """Remove buckets of vectors that others took the place of."""
        prefix = memory_vectors_prefix(self.scope, model)
        self._remove(prefix + bucket for bucket in buckets)

    def _write(
        self,
        key: str,
        bucket: str,
        owners: Mapping[str, MemoryRow],
        body: Callable[[Mapping[str, MemoryRow]], bytes],
    ) -> str | None:
        try:
            etag = self.derived.overwrite(key, body(owners))
            now = self._etags_now(bucket)
            same = {rid: row for rid, row in owners.items() if now.get(rid) == row.etag}
            if len(same) < len(owners):
                # Conditional: who takes something out meanwhile must not lose against this.
                etag = self.derived.put(key, body(same), expect=etag)
        except _FAULTS:
            return None
        return etag

    def _etags_now(self, bucket: str) -> dict[str, str]:
        prefix = memories_prefix(self.scope)
        first = prefix + first_digits(bucket)
        pages = list_part(self.store, prefix, first, first + _BEHIND_DIGITS)
        return {
            rid_of_key(key): etag
            for page in pages
            for key, etag in zip(page.keys, page.etags, strict=True)
        }

    def _listed(self, prefix: str) -> dict[str, str]:
        try:
            entries = list_all(self.derived, prefix)
            return {entry.key.removeprefix(prefix): entry.etag for entry in entries}
        except _FAULTS:
            # Then everything is made anew: slower, and just as true.
            return {}

    def _read(self, prefix: str, buckets: Iterable[str]) -> dict[str, bytes]:
        wanted = list(buckets)
        bodies = self.executor.map(lambda bucket: self._body(prefix + bucket), wanted)
        found = zip(wanted, bodies, strict=True)
        return {bucket: body for bucket, body in found if body is not None}

    def _body(self, key: str) -> bytes | None:
        try:
            stored = self.derived.get(key)
        except _FAULTS:
            return None
        return stored.body if isinstance(stored, StoredObject) else None

    def _remove(self, keys: Iterable[str]) -> None:
        try:
            self.derived.delete_many(list(keys))
        except _FAULTS:
            return


_FEW, _SOME = 2_048, 32_768
_DIGITS: Final = "0123456789abcdef"


def depth_of(count: int) -> int:
    """Return by how many digits so many memories are parted."""
    return 0 if count <= _FEW else 1 if count <= _SOME else 2


def bucket_of(rid: str, depth: int) -> str:
    """Return the bucket of a memory at a depth."""
    return f"{depth}{rid[:depth]}"


def buckets_of(rid: str) -> tuple[str, ...]:
    """Return the buckets that a memory may be in, at whatever depth."""
    return tuple(bucket_of(rid, depth) for depth in range(3))


def first_digits(bucket: str) -> str:
    """Return what the ids in a bucket begin with."""
    return bucket[1:]


def even_edges(prefix: str, first_page_end: str) -> tuple[str, ...]:
    """Return where a listing of evenly spread ids may be parted, none where it is short.

    Args:
        prefix: of all keys.
        first_page_end: the key that ended the first page; other pages are about as long.
    """
    digits = first_page_end.removeprefix(prefix)[:2]
    try:
        share = (int(digits, 16) + 1) / 256
    except ValueError:
        return ()
    parts = min(round(1 / share), len(_DIGITS))
    step = len(_DIGITS) // parts if parts else len(_DIGITS)
    return tuple(prefix + digit for digit in _DIGITS[step::step]) if parts > 1 else ()
