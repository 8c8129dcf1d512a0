"""The files of a side index: chunks of up to 1,024 rows, a folder per model, in the derived store.

A chunk is derived. One that cannot be read, or was made by other rules, counts as absent and is
made again.

    size of the header (4 bytes) | header, JSON | the columns one after another | checksum (8 bytes)
    header  {"format","model","rows","terms","dimensions","names","sources"}

Removing a turn changes the head first, and then deletes the chunks that hold the turn. A writer of
a chunk reads the head again last. At least one of the two sees the other, and the chunk is deleted.
A crash in between leaves a row of the removed turn, without its text. The row stays until a recall
compares it, or the sweep checks a deletion.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from everturn.conversations.read_record import StoredRecord, read_record
from everturn.errors import StoreError, UnavailableError
from everturn.ports.object_store import ObjectStore, StoredObject
from everturn.recall.index.turn_rows import DTYPES, ROW_COLUMNS, TERM_COLUMNS, SegmentSpan, TurnRows
from everturn.recall.language.terms import TERMS_VERSION
from everturn.values.keys import CHUNK_ROWS, Scope, chunk_key

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


_FORMAT: Final = f"1.{TERMS_VERSION}"
_SUM_BYTES: Final = 8
_SIZE_BYTES: Final = 4


def encode_chunk(rows: TurnRows, model: str) -> bytes:
    """Return the file of rows whose vectors are of a model."""
    header = {
        "format": _FORMAT,
        "model": model,
        "rows": len(rows),
        "terms": len(rows.terms),
        "dimensions": rows.dimensions,
        "names": rows.names,
        "sources": rows.sources,
    }
    front = json.dumps(header, separators=(",", ":")).encode()
    columns = [_little(name, rows) for name in (*ROW_COLUMNS, *TERM_COLUMNS)]
    body = b"".join([len(front).to_bytes(_SIZE_BYTES, "little"), front, *columns])
    return body + _checksum(body)


def decode_chunk(body: bytes, *, model: str, dimensions: int) -> TurnRows | None:
    """Read a file; None where it is none of this model and these rules, or is damaged."""
    rest, check = body[:-_SUM_BYTES], body[-_SUM_BYTES:]
    if _checksum(rest) != check:
        return None
    try:
        return _decoded(rest, model, dimensions)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return None


def _decoded(body: bytes, model: str, dimensions: int) -> TurnRows | None:
    start = _SIZE_BYTES + int.from_bytes(body[:_SIZE_BYTES], "little")
    header = json.loads(body[_SIZE_BYTES:start])
    made_by = header["format"], header["model"], header["dimensions"]
    if made_by != (_FORMAT, model, dimensions):
        return None
    columns = {}
    for name in (*ROW_COLUMNS, *TERM_COLUMNS):
        count = header["terms" if name in TERM_COLUMNS else "rows"]
        width = dimensions if name == "vectors" else 1
        dtype = np.dtype(DTYPES[name]).newbyteorder("<")
        columns[name] = np.frombuffer(body, dtype, count * width, start)
        start += count * width * dtype.itemsize
    columns["vectors"] = columns["vectors"].reshape(header["rows"], dimensions)
    sources = tuple(SegmentSpan(*source) for source in header["sources"])
    rows = TurnRows(names=tuple(header["names"]), sources=sources, **columns)
    return rows if start == len(body) and _is_sound(rows) else None


def _is_sound(rows: TurnRows) -> bool:
    """Say whether the columns fit one another: a checksum tells of damage, not of a mistake."""
    pointed = max(rows.roles.max(initial=0), rows.speakers.max(initial=0))
    return (
        all(isinstance(name, str) for name in rows.names)
        and all(tuple(map(type, source)) == (int, int, str) for source in rows.sources)
        and bool(np.isfinite(rows.scales).all())
        and len(rows) <= CHUNK_ROWS
        and int(pointed) < len(rows.names)
        and int(rows.widths.sum()) == len(rows.terms)
    )


def _little(name: str, rows: TurnRows) -> bytes:
    column: NDArray[Any] = getattr(rows, name)
    return column.astype(np.dtype(DTYPES[name]).newbyteorder("<")).tobytes()


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_SUM_BYTES).digest()


@dataclass(frozen=True, slots=True)
class SavedChunks:
    """The numbers of chunks that are there for certain; `is_stale` where the head is another."""

    numbers: frozenset[int] = frozenset()
    is_stale: bool = False


def save_chunks(
    chunks: Mapping[int, TurnRows],
    *,
    found: StoredRecord,
    files: IndexFiles,
    data: ObjectStore,
    scope: Scope,
) -> SavedChunks:
    """Write chunks made of a head that was read, unless a turn was taken back meanwhile.

    One request a chunk, and one for the head; what is not there is made again by the next recall.
    """
    if not chunks:
        return SavedChunks()
    lost = files.write(chunks)
    id_ = found.record.head.conversation_id
    try:
        now = read_record(store=data, scope=scope, conversation_id=id_, known=found)
    except (StoreError, UnavailableError):
        # Nobody knows what happened meanwhile.
        files.remove(chunks)
        return SavedChunks()
    if now is not None and _is_same_life(found, now):
        return SavedChunks(frozenset(chunks) - lost)
    files.remove(chunks)
    return SavedChunks(is_stale=True)


def _is_same_life(found: StoredRecord, now: StoredRecord) -> bool:
    """Say whether nothing was taken back between two looks at a head.

    Another program's file does not say whether anything was before it.
    """
    is_known = now is found or bool(now.ring.text)
    return is_known and now.record.head.deleted is None and now.ring.edits == found.ring.edits
