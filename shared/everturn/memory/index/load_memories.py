"""Load the memories of a scope for ranking: rows as they are stored, with vectors and columns.

Vectors come from this process, then from the stored files, then from the model. A vector belongs to
a text, by its hash. Only texts that no file knows are embedded, the most important first.

A file with the vector of a text that no memory has any more is written again without it. A file may
have one after a memory was forgotten or removed, if that deletion did not reach the index.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from everturn.memory.index.columns import MemoryColumns, MemoryIndex
from everturn.memory.index.files import MemoryFiles, VectorBucket, bucket_of, depth_of
from everturn.memory.index.index_cache import LoadedMemories, MemoryIndexes
from everturn.memory.index.load_rows import load_rows
from everturn.memory.index.record_cache import READERS, LoadedRows, MemoryCache, MemoryRecords
from everturn.memory.index.row import MemoryRow
from everturn.memory.index.vectors import StoredVector
from everturn.memory.model.memory import Memory
from everturn.ports.clock import Clock
from everturn.ports.embedder import Embedder
from everturn.ports.object_store import ObjectStore
from everturn.recall.index.embed_rows import Embedding
from everturn.recall.index.load_index import Work
from everturn.recall.index.turn_rows import quantise
from everturn.recall.language.terms import hash_of_text, matchable_text
from everturn.values.keys import Scope, memories_prefix

# To embed so few costs less than to look whether another process did.
_FEW: Final = 2
_MANY: Final = 2_048
_DIGITS: Final = 2

Buckets = Mapping[str, Sequence[MemoryRow]]


@dataclass(slots=True)
class VectorFill:
    """One call: the vectors of some buckets, by hash."""

    files: MemoryFiles
    records: MemoryRecords
    embedding: Embedding
    model: str
    dimensions: int
    stored: dict[str, str]
    """Etags of the files that were read or written."""
    refused: set[int]
    is_whole: bool = True
    """Whether all memories are known: else the files would lose the vectors of the others."""
    unsaved: set[int] = field(default_factory=set)
    """Hashes of what was embedded and is in no file yet."""
    stale: set[str] = field(default_factory=set)
    """Files that hold more than they should, or may."""
    vectors: dict[int, StoredVector] = field(default_factory=dict)
    _listed: dict[str, str] | None = None

    def take(self, columns: Iterable[MemoryColumns]) -> None:
        """Take over what this process knows."""
        for part in columns:
            for at in np.flatnonzero(part.scales):
                values = part.vectors[at].tobytes()
                self.vectors[int(part.hashes[at])] = StoredVector(float(part.scales[at]), values)

    def fill(
        self, buckets: Buckets, *, all_buckets: AbstractSet[str], may_hold_more: bool = False
    ) -> int:
        """Find or make the vectors of rows, and store what is new; how many are left.

        Args:
            buckets: the rows of those that are not as they were.
            all_buckets: the names of all that there are now.
            may_hold_more: whether to look at the files however few vectors are lacking.
        """
        if not self.dimensions:
            return 0
        if may_hold_more or len(self._lacking(buckets)) > _FEW:
            self._read(buckets, all_buckets)
        lacking = self._lacking(buckets)
        rows = sorted(lacking.values(), key=lambda row: (-row.salience, row.rid))
        if len(rows) > _MANY:
            # More than one call gives: bucket after bucket, else each call writes all files.
            rows.sort(key=lambda row: row.rid[:_DIGITS])
        self.unsaved |= self._embed(rows)
        if self.is_whole and (self.unsaved or self.stale):
            self._save(buckets, all_buckets)
        return len(self._lacking(buckets))

    def _lacking(self, buckets: Buckets) -> dict[int, MemoryRow]:
        return {
            row.text_hash: row
            for rows in buckets.values()
            for row in rows
            if row.text_hash
            and row.text_hash not in self.vectors
            and row.text_hash not in self.refused
        }

    def _read(self, buckets: Buckets, all_buckets: AbstractSet[str]) -> None:
        self._listed = self.files.vectors_listed(self.model)
        wanted = [name for name, etag in self._listed.items() if self.stored.get(name) != etag]
        for name, owned in self.files.read_vectors(self.model, self.dimensions, wanted).items():
            self.refused |= {one.text_hash for one in owned if not one.vector.scale}
            self.vectors |= {one.text_hash: one.vector for one in owned if one.vector.scale}
            self.stored[name] = self._listed[name]
            texts = {row.rid: row.text_hash for row in buckets.get(name, ())}
            is_sound = all(texts.get(one.rid) == one.text_hash for one in owned)
            if name not in all_buckets or (name in buckets and not is_sound):
                self.stale.add(name)

    def _embed(self, rows: Sequence[MemoryRow]) -> set[int]:
        """Embed as far as time and the model allow; return the hashes of what it answered for."""
        made: set[int] = set()
        step = self.embedding.embedder.max_batch
        for start in range(0, len(rows), step):
            if self.embedding.is_over:
                break
            texts = self._texts(rows[start : start + step])
            vectors = self.embedding.vectors_of(list(texts.values())) if texts else None
            if vectors is None:
                continue
            scales, values = quantise(vectors)
            for at, text_hash in enumerate(texts):
                if scales[at]:
                    stored = StoredVector(float(scales[at]), values[at].tobytes())
                    self.vectors[text_hash] = stored
                else:
                    self.refused.add(text_hash)
            made |= texts.keys()
        return made

    def _texts(self, rows: Collection[MemoryRow]) -> dict[int, str]:
        """Return what to embed; nothing of a memory that is another by now."""
        found = self.records.memories({row.rid: row.etag for row in rows})
        texts = {
            row.text_hash: matchable_text(found[row.rid].text) for row in rows if row.rid in found
        }
        return {at: text for at, text in texts.items() if hash_of_text(text) == at}

    def _save(self, buckets: Buckets, all_buckets: AbstractSet[str]) -> None:
        listed = self.files.vectors_listed(self.model) if self._listed is None else self._listed
        others = {name for name in listed if name not in all_buckets}
        changed = list(self._changed(buckets, all_of_them=bool(others)))
        answers = self.files.executor.map(lambda bucket: self._write(bucket, buckets), changed)
        for bucket, etag in zip(changed, answers, strict=True):
            if etag is not None:
                self.stored[bucket] = etag
                self.stale.discard(bucket)
                self.unsaved -= {row.text_hash for row in buckets[bucket]}
        if others and all_buckets <= self.stored.keys():
            self.files.remove_vectors(self.model, others)
            self.stale -= others

    def _write(self, bucket: str, buckets: Buckets) -> str | None:
        owners = {row.rid: row for row in buckets[bucket]}
        filled = VectorBucket(bucket, self._known(owners.values()), owners)
        return self.files.write_vectors(self.model, self.dimensions, filled)

    def _known(self, rows: Iterable[MemoryRow]) -> dict[int, StoredVector]:
        none = StoredVector(0.0, bytes(self.dimensions))
        hashes = {row.text_hash for row in rows}
        known = {at: self.vectors[at] for at in hashes if at in self.vectors}
        return known | {at: none for at in hashes if at in self.refused}

    def _changed(self, buckets: Buckets, *, all_of_them: bool) -> Iterator[str]:
        for bucket, rows in buckets.items():
            is_stale = all_of_them or bucket in self.stale
            if is_stale or any(row.text_hash in self.unsaved for row in rows):
                yield bucket


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
