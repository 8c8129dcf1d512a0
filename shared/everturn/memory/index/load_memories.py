"""Give the memories of a scope for ranking: rows as they are stored, with vectors and columns."""

from collections.abc import Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everturn.memory.index.buckets import bucket_of, depth_of
from everturn.memory.index.columns import MemoryColumns, MemoryIndex
from everturn.memory.index.files import MemoryFiles
from everturn.memory.index.fill_vectors import VectorFill
from everturn.memory.index.index_cache import LoadedMemories, MemoryIndexes
from everturn.memory.index.load_rows import load_rows
from everturn.memory.index.record_cache import LoadedRows, MemoryCache
from everturn.memory.index.records import READERS, MemoryRecords
from everturn.memory.index.row import MemoryRow
from everturn.memory.model.memory import Memory
from everturn.ports.clock import Clock
from everturn.ports.embedder import Embedder
from everturn.ports.object_store import ObjectStore
from everturn.recall.index.load_index import Work
from everturn.values.keys import Scope, memories_prefix


@dataclass(frozen=True, slots=True)
class MemoryLoader:
    """Loads the memories of one scope, for one embedder."""

    store: ObjectStore
    derived: ObjectStore
    scope: Scope
    clock: Clock
    embedder: Embedder
    cache: MemoryCache
    indexes: MemoryIndexes
    work: Work

    @property
    def dimensions(self) -> int:
        """Length of the vectors that are kept: 0 for a model that is not semantic."""
        return self.embedder.dimensions if self.embedder.semantic else 0

    @property
    def model(self) -> str:
        """The name of the folder: vectors of two models, or of two lengths, never meet."""
        return f"{self.embedder.model}.{self.dimensions}"

    def rows(self) -> LoadedRows:
        """Return the rows alone, for what needs no ranking.

        Raises:
            AccessDeniedError, UnavailableError: the store does not list or read.
        """
        return load_rows(
            store=self.store,
            derived=self.derived,
            scope=self.scope,
            clock=self.clock,
            cache=self.cache,
        )

    def load(self) -> LoadedMemories:
        """Return the index of all memories as they are stored now.

        Raises:
            AccessDeniedError, UnavailableError: the store does not list or read.
        """
        rows = self.rows()
        key = memories_prefix(self.scope), self.model
        known = self.indexes.indexes.get(key)
        if known is not None and known.rows is rows and known.is_complete:
            return known
        loaded = self._built(rows, known)
        self.indexes.indexes.keep(key, loaded, loaded.index.size_bytes)
        return loaded

    def read(self, etags: Mapping[str, str]) -> dict[str, Memory]:
        """Return records by id, at the versions that rows name; those that are gone left out.

        Raises:
            UnavailableError: the store does not answer.
        """
        with ThreadPoolExecutor(READERS) as executor:
            records = MemoryRecords(self.store, self.scope, self.cache, executor)
            return records.memories(etags)

    def _built(self, rows: LoadedRows, known: LoadedMemories | None) -> LoadedMemories:
        buckets, changed, went = _buckets(rows, known)
        with ThreadPoolExecutor(READERS) as executor:
            fill = self._fill(executor, known, is_whole=rows.is_complete)
            fill.stale |= went
            # What is as it was has its vectors already, unless some were left.
            was_left = known is None or known.pending_vectors or known.unsaved or known.stale
            touched = buckets.keys() if was_left else changed
            before = known.columns if known else {}
            fill.take(part for bucket, part in before.items() if bucket in touched)
            pending = fill.fill(
                {bucket: buckets[bucket] for bucket in touched if bucket in buckets},
                all_buckets=frozenset(buckets),
                may_hold_more=known is None and any(row.is_forgotten for row in rows.rows.values()),
            )
        columns = {}
        for bucket, members in buckets.items():
            part = before.get(bucket)
            if part is None or bucket in changed or _gained(part, fill):
                part = MemoryColumns.of(members, fill.vectors, self.dimensions)
            columns[bucket] = part
        index = MemoryIndex(list(columns.values()))
        return LoadedMemories(
            rows,
            index,
            columns,
            _current(index, rows),
            fill.stored,
            frozenset(fill.refused),
            frozenset(fill.unsaved),
            frozenset(fill.stale),
            pending,
        )

    def _fill(
        self, executor: Executor, known: LoadedMemories | None, *, is_whole: bool
    ) -> VectorFill:
        return VectorFill(
            MemoryFiles(self.store, self.derived, self.scope, executor),
            MemoryRecords(self.store, self.scope, self.cache, executor),
            self.work.embedding,
            self.model,
            self.dimensions,
            dict(known.stored) if known else {},
            set(known.refused) if known else set(),
            is_whole=is_whole,
            unsaved=set(known.unsaved) if known else set(),
            stale=set(known.stale) if known else set(),
        )


def _buckets(
    rows: LoadedRows, known: LoadedMemories | None
) -> tuple[dict[str, list[MemoryRow]], set[str], set[str]]:
    """Return the rows that are no tombstones by bucket, and which buckets are not as before.

    The last are those of which a memory was forgotten or went since: its vector may be in a file,
    if whoever did that did not reach the index.
    """
    depth = depth_of(len(rows.rows))
    before = known.rows.rows if known else {}
    buckets: dict[str, list[MemoryRow]] = {}
    changed: set[str] = set()
    went = {bucket_of(rid, depth) for rid in before.keys() - rows.rows.keys()}
    for rid, row in rows.rows.items():
        bucket = bucket_of(rid, depth)
        if before.get(rid) is not row:
            changed.add(bucket)
            if row.is_forgotten and rid in before:
                went.add(bucket)
        if not row.is_forgotten:
            buckets.setdefault(bucket, []).append(row)
    return buckets, changed | went, went


def _gained(columns: MemoryColumns, fill: VectorFill) -> bool:
    """Say whether there are vectors now for rows that had none."""
    if not fill.vectors:
        return False
    lacking = columns.hashes[columns.scales == 0]
    return any(int(text_hash) in fill.vectors for text_hash in lacking)


def _current(index: MemoryIndex, rows: LoadedRows) -> NDArray[np.bool_]:
    """bool[n]: memories that nothing came in the place of."""
    if not rows.hidden:
        return np.ones(len(index), bool)
    return np.array([rid not in rows.hidden for rid in index.rids], bool)
