"""Bring the side index of one conversation up to its head, and return it for ranking.

Rows are taken from this process, then from the stored chunks. Only turns that were not read before
are opened, and only those are embedded. `ChunkRenewal` brings the rows of one chunk up to the turns
they represent.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from everturn.conversations.read_record import StoredRecord
from everturn.conversations.turn_reader import TurnSource
from everturn.errors import GoneError
from everturn.ports.clock import Clock
from everturn.ports.embedder import Embedder
from everturn.ports.object_store import ObjectStore
from everturn.recall.index.build_rows import renewed
from everturn.recall.index.embed_rows import Embedding
from everturn.recall.index.index_cache import IndexCache, LoadedIndex
from everturn.recall.index.index_files import IndexFiles, save_chunks
from everturn.recall.index.turn_index import Stretch, TurnIndex
from everturn.recall.index.turn_rows import TRIED, SegmentSpan, TurnRows, join_rows, no_rows
from everturn.storage.budget import Budget
from everturn.values.keys import CHUNK_ROWS, Scope, vectors_prefix

# So many segments of 640 KiB are parsed and looked at between two looks at the time.
_WAVE: Final = 8


@dataclass(frozen=True, slots=True)
class RenewedRows:
    """Rows as of now, but for `pending` ones that there was no time to look at.

    `opened` segments were read, `fresh` rows are new or were made anew, `replaced` rows that were
    known before stand for nothing any more. `unchecked` pending ones were known before, and may
    stand for something that was taken back since.
    """

    rows: TurnRows
    pending: int = 0
    opened: int = 0
    fresh: int = 0
    replaced: int = 0
    unchecked: int = 0


class ChunkRenewal:
    """The turns `first` to `last` of one conversation, and the rows known of them before."""

    def __init__(self, source: TurnSource, before: TurnRows, first: int, last: int) -> None:
        """Take them; rows beyond `last` fall away."""
        self._source, self._before, self._first, self._last = source, before, first, last
        spans = (
            SegmentSpan(max(ref.first, first), min(ref.last, last), ref.name)
            for ref in source.holding(first, last)
        )
        self._sealed = tuple(spans)
        self._seen = {span for span in self._sealed if self._is_seen(span)}

    def renew(self, budget: Budget) -> RenewedRows:
        """Return the rows: those of segments seen before as they are, all others compared.

        What there is no time to open keeps the rows that it had, for the next call to compare.

        Raises:
            GoneError: a segment went meanwhile; read the head again.
            CorruptRecordError, AccessDeniedError, UnavailableError: one cannot be read.
        """
        if self._is_as_before:
            return RenewedRows(self._before)
        unseen = [span for span in self._sealed if span not in self._seen]
        made: dict[SegmentSpan, TurnRows] = {}
        # The newest first: they are asked for most.
        for wave in _waves(list(reversed(unseen))):
            if budget.is_over:
                break
            self._source.open((span.first, span.last) for span in wave)
            made |= {span: self._renewed(span.first, span.last) for span in wave}
            self._source.close()
        parts = [made.get(span) or self._kept(span) for span in self._sealed]
        start = self._sealed[-1].last + 1 if self._sealed else self._first
        if start <= self._last:
            parts.append(self._renewed(start, self._last))
        sources = [span for span in self._sealed if span in self._seen or span in made]
        rows = join_rows(parts, sources)
        left = [span for span in unseen if span not in made]
        fresh, replaced = _differing(self._before, rows)
        return RenewedRows(
            rows,
            pending=sum(map(_count, left)),
            opened=len(made),
            fresh=fresh,
            replaced=replaced,
            unchecked=sum(_known(self._rows_before(span.first, span.last)) for span in left),
        )

    @property
    def _is_as_before(self) -> bool:
        """Whether all turns are in segments that the rows were made of."""
        is_sealed = bool(self._sealed) and self._sealed[-1].last == self._last
        is_whole = len(self._before) == self._last + 1 - self._first
        return is_sealed and is_whole and len(self._seen) == len(self._sealed)

    def _is_seen(self, span: SegmentSpan) -> bool:
        has_rows = span.last - self._first < len(self._before)
        return has_rows and any(
            known.name == span.name and known.first <= span.first and known.last >= span.last
            for known in self._before.sources
        )

    def _renewed(self, first: int, last: int) -> TurnRows:
        return renewed(self._source.turns(first, last), self._rows_before(first, last))

    def _kept(self, span: SegmentSpan) -> TurnRows:
        rows = self._rows_before(span.first, span.last)
        lacking = no_rows(_count(span) - len(rows), self._before.dimensions)
        return join_rows([rows, lacking])

    def _rows_before(self, first: int, last: int) -> TurnRows:
        stop = min(last + 1 - self._first, len(self._before))
        return self._before.part(min(first - self._first, stop), stop)


def _differing(before: TurnRows, rows: TurnRows) -> tuple[int, int]:
    """Return how many rows are new, and how many of those known before are not there any more."""
    both = min(len(before), len(rows))
    differ = np.zeros(both, bool)
    for name in ("hashes", "sizes", "flags"):
        differ |= getattr(rows, name)[:both] != getattr(before, name)[:both]
    fresh = int(differ.sum()) + len(rows) - both
    return fresh, int((differ & (before.flags[:both] > 0)).sum()) + len(before) - both


def _known(rows: TurnRows) -> int:
    return int((rows.flags > 0).sum())


def _count(span: SegmentSpan) -> int:
    return span.last + 1 - span.first


def _waves(spans: Sequence[SegmentSpan]) -> Iterator[Sequence[SegmentSpan]]:
    yield from (spans[start : start + _WAVE] for start in range(0, len(spans), _WAVE))


# The newest so many turns are searched: 128 chunks, some 220 MB with 384 dimensions.
MAX_CHUNKS: Final = 128
# Above this vectors stay int8 in memory: ranking then takes some 2.5 times as long.
_WIDE_BYTES: Final = 192 * 1_048_576
# A chunk of terms alone is written again every so many rows: fewer cost less than the write.
_FEW_ROWS: Final = 64
# A turn and its answer: to embed them costs less than to read whether another process did.
_FEW_LACKING: Final = 2
# A request ends within 20 s, and may have waited 5 s for two models that did not answer at all. A
# model takes 4 s more at most for what it was given in time; the next call goes on with the rest.
_INDEXING_S: Final = 5.0
_EMBEDDING_S: Final = 4.0
_ASKING_S: Final = 9.0
_MAX_EMBEDDED: Final = 2_048


@dataclass(frozen=True, slots=True)
class Work:
    """How much one request may do before it answers with what it has."""

    indexing: Budget
    embedding: Embedding

    @classmethod
    def of(cls, embedder: Embedder, clock: Clock) -> "Work":
        """Start the stopwatches of one request."""
        indexing = Budget(clock=clock, seconds=_INDEXING_S)
        giving = Budget(clock=clock, seconds=_EMBEDDING_S, reads=_MAX_EMBEDDED)
        asking = Budget(clock=clock, seconds=_ASKING_S)
        return cls(indexing, Embedding(embedder, giving, asking))


@dataclass(slots=True)
class _Build:
    """The chunks of one conversation by number: in this process, in the store, as they are made."""

    files: IndexFiles
    numbers: range
    known: dict[int, TurnRows]
    is_behind: bool = False
    stored: dict[int, TurnRows] = field(default_factory=dict)
    rows: dict[int, TurnRows] = field(default_factory=dict)
    changed: dict[int, TurnRows] = field(default_factory=dict)
    unsaved: set[int] = field(default_factory=set)
    pending: int = 0

    def with_stored(self, number: int, rows: TurnRows) -> TurnRows:
        """Return rows with the vectors that other processes may have stored meanwhile."""
        lacking = int((rows.wanted & (rows.flags & TRIED == 0)).sum()) if rows.dimensions else 0
        if number not in self.known or lacking <= (0 if self.is_behind else _FEW_LACKING):
            return rows
        found = self.files.read([number]).get(number)
        return rows if found is None else rows.with_vectors_of(found)


@dataclass(frozen=True, slots=True)
class IndexLoader:
    """Loads the indexes of the conversations of one scope, for one embedder."""

    data: ObjectStore
    derived: ObjectStore
    scope: Scope
    embedder: Embedder
    indexes: IndexCache
    work: Work

    @property
    def dimensions(self) -> int:
        """Length of the vectors that are kept: 0 for a model that is not semantic."""
        return self.embedder.dimensions if self.embedder.semantic else 0

    @property
    def model(self) -> str:
        """The name of the folder: vectors of two models, or of two lengths, never meet."""
        return f"{self.embedder.model}.{self.dimensions}" if self.dimensions else "terms"

    def cached(self, conversation_id: str) -> LoadedIndex | None:
        """Return what this process knows of a conversation."""
        return self.indexes.indexes.get(self._cache_key(conversation_id))

    def source(self, found: StoredRecord) -> TurnSource:
        """Return where the turns of a conversation are read."""
        segments = self.indexes.segments
        return TurnSource(found, data=self.data, scope=self.scope, segments=segments)

    def load(self, found: StoredRecord) -> LoadedIndex:
        """Return the index of a conversation as of a head that was just read.

        Raises:
            GoneError: a segment went, or a turn was taken back meanwhile; read the head again.
            CorruptRecordError, AccessDeniedError, UnavailableError: a segment cannot be read.
        """
        head = found.record.head
        known = self.cached(head.conversation_id)
        if known is not None and known.found.etag == found.etag and known.is_complete:
            return known
        files = IndexFiles(
            self.derived, self.scope, head.conversation_id, self.model, self.dimensions
        )
        end = -(-head.turn_count // CHUNK_ROWS)
        numbers = range(max(end - MAX_CHUNKS, 0), end)
        new_turns = head.turn_count - (known.found.record.head.turn_count if known else 0)
        build = _Build(files, numbers, _rows_of(known, numbers), new_turns > _FEW_LACKING)
        build.stored = files.read(number for number in numbers if number not in build.known)
        self._make(found, build, known.unsaved if known else frozenset())
        saved = save_chunks(
            build.changed, found=found, files=files, data=self.data, scope=self.scope
        )
        build.unsaved -= saved.numbers
        # The columns of a long thread need not be there twice; its rows are in the new index too.
        del known
        self.indexes.indexes.drop(self._cache_key(head.conversation_id))
        loaded = self._keep(found, build)
        if saved.is_stale:
            raise GoneError("a turn was taken back meanwhile")
        return loaded

    def _make(self, found: StoredRecord, build: _Build, unsaved: frozenset[int]) -> None:
        source = self.source(found)
        last_turn = found.record.head.turn_count - 1
        nothing = no_rows(0, self.dimensions)
        # The newest first: they are asked for most.
        for number in reversed(build.numbers):
            first, last = number * CHUNK_ROWS, min((number + 1) * CHUNK_ROWS - 1, last_turn)
            before = build.known.get(number, build.stored.get(number, nothing))
            renewed = ChunkRenewal(source, before, first, last).renew(self.work.indexing)
            taken = renewed.rows
            if not self.work.embedding.is_over:
                taken = build.with_stored(number, taken)
            rows = self._embedded(taken, source, first)
            build.rows[number] = rows
            build.pending += renewed.pending
            is_new = rows is not taken or _is_worth_writing(before, renewed)
            if number in unsaved or is_new:
                build.unsaved.add(number)
            # What may have been taken back is not written again, once it was removed.
            if number in build.unsaved and not renewed.unchecked:
                build.changed[number] = rows

    def _embedded(self, rows: TurnRows, source: TurnSource, first: int) -> TurnRows:
        if not self.dimensions:
            return rows
        given = self.work.embedding.give(rows, lambda a, b: source.turns(first + a, first + b))
        source.close()
        return given

    def _keep(self, found: StoredRecord, build: _Build) -> LoadedIndex:
        id_, numbers = found.record.head.conversation_id, sorted(build.rows)
        parts = [build.rows[number] for number in numbers]
        lacking = [part.flags[part.wanted] & TRIED for part in parts] if self.dimensions else []
        pending_vectors = sum(int((tried == 0).sum()) for tried in lacking)
        # The next call changes what is pending; until then its wide form is not worth the memory.
        is_whole = not (build.pending or pending_vectors)
        index = TurnIndex(
            [Stretch(id_, number * CHUNK_ROWS, build.rows[number]) for number in numbers],
            widen=is_whole and 4 * sum(map(len, parts)) * self.dimensions <= _WIDE_BYTES,
        )
        loaded = LoadedIndex(
            found,
            index,
            pending_turns=build.pending,
            pending_vectors=pending_vectors,
            refused=sum(int((tried > 0).sum()) for tried in lacking),
            unsearched=numbers[0] * CHUNK_ROWS if numbers else 0,
            unsaved=frozenset(build.unsaved),
        )
        size = index.size_bytes + 4 * len(found.body)
        self.indexes.indexes.keep(self._cache_key(id_), loaded, size)
        return loaded

    def _cache_key(self, conversation_id: str) -> tuple[str, str]:
        return vectors_prefix(self.scope, conversation_id), self.model


def _rows_of(known: LoadedIndex | None, numbers: range) -> dict[int, TurnRows]:
    stretches = known.index.stretches if known else ()
    rows = {stretch.first // CHUNK_ROWS: stretch.rows for stretch in stretches}
    return {number: rows[number] for number in numbers if number in rows}


def _is_worth_writing(before: TurnRows, renewed: RenewedRows) -> bool:
    """Whether others would have to make the rows again at a cost, vectors apart.

    After a turn was taken back the stored chunk is gone, and this process has what was in it; or
    it was another program's work, and the stored chunk has a row that stands for nothing.
    """
    crossed = len(before) // _FEW_ROWS != len(renewed.rows) // _FEW_ROWS
    return (
        renewed.opened > 0
        or renewed.replaced > 0
        or renewed.fresh >= _FEW_ROWS
        or (renewed.fresh > 0 and crossed)
    )
