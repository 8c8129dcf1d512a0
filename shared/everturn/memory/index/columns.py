"""The memories that one retrieval ranks: rows of an actor, as flat columns.

Rows come in buckets, so that a change rebuilds the columns of one bucket only.

`SaidOrder` has the words of memories in the order in which their sources said them, for the lexical
scorer. Statements that one conversation made in quick succession belong together, as its turns do.
A query may match two of them together.

`held_at` and `in_window` select the memories of a point in time and of a time window.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from itertools import chain
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from everturn.memory.index.row import MemoryRow
from everturn.memory.index.vectors import StoredVector
from everturn.memory.model.supersession import Lineages
from everturn.recall.index.turn_index import dates_of, shifted
from everturn.recall.index.turn_rows import NO_TIME
from everturn.recall.language.language import ENGLISH
from everturn.recall.language.terms import term_of_word
from everturn.recall.ranking.lexical_scores import TermIndex
from everturn.values.memory_kind import KINDS
from everturn.values.timestamps import NANOSECONDS, TimeWindow

# As turns: what comes after a night, or half a day of work, is about something else.
_PAUSE_NS: Final = 4 * 3_600 * NANOSECONDS


class SaidIndex(TermIndex, Protocol):
    """n texts, each said first by one of its sources."""

    @property
    def lengths(self) -> NDArray[np.uint32]:
        """uint32[n]: how many terms."""
        ...

    @property
    def first_times(self) -> NDArray[np.int64]:
        """int64[n]: when each was said first, in Unix nanoseconds."""
        ...

    @property
    def sources(self) -> NDArray[np.uint64]:
        """uint64[k]: the sources of each text, text by text."""
        ...

    @property
    def source_rows(self) -> NDArray[np.int32]:
        """int32[k]: the text that each is of."""
        ...


@dataclass(frozen=True, eq=False)
class SaidOrder:
    """n texts, ordered by their first source and the time at which it said them.

    `places` are intp[n]: where each text of the index stands here; `groups` int32[n]: which of the
    texts, as they stand here, belong together.
    """

    places: NDArray[np.intp]
    groups: NDArray[np.int32]
    terms: NDArray[np.uint32]
    term_rows: NDArray[np.int32]
    counts: NDArray[np.uint8]
    lengths: NDArray[np.uint32]
    _near: dict[int, NDArray[np.bool_]] = field(default_factory=dict)

    @classmethod
    def of(cls, index: SaidIndex) -> "SaidOrder":
        """Put the texts of an index in order."""
        count, times = len(index), index.first_times
        sources = np.zeros(count, np.uint64)
        having, firsts = np.unique(index.source_rows, return_index=True)
        sources[having] = index.sources[firsts]
        order = np.lexsort((times, sources))
        places = np.empty(count, np.intp)
        places[order] = np.arange(count)
        breaks = np.zeros(count, np.int32)
        breaks[1:] = np.diff(times[order]) > _PAUSE_NS
        breaks[1:] |= sources[order][1:] != sources[order][:-1]
        # What has no source belongs to nothing.
        breaks[sources[order] == 0] = 1
        return cls(
            places=places,
            groups=np.cumsum(breaks).astype(np.int32),
            terms=index.terms,
            term_rows=places[index.term_rows].astype(np.int32),
            counts=index.counts,
            lengths=index.lengths[order],
        )

    def __len__(self) -> int:
        """Return n."""
        return len(self.places)

    @cached_property
    def answers(self) -> NDArray[np.bool_]:
        """bool[n]: none, since a statement answers nothing."""
        return np.zeros(len(self), np.bool_)

    def near(self, offset: int) -> NDArray[np.bool_]:
        """bool[n]: whether text i - offset belongs to text i; kept for later."""
        if offset not in self._near:
            near = np.zeros(len(self), np.bool_)
            here, there = shifted(len(self), offset)
            near[here] = self.groups[here] == self.groups[there]
            self._near[offset] = near
        return self._near[offset]


# Of a uint32 in hexadecimal.
_TERM_DIGITS: Final = 8
# As the pattern of the language has them.
_YEARS: Final = range(1900, 2100)
_NUMBER_OF_KIND: Final[dict[str, int]] = {kind: number for number, kind in enumerate(KINDS)}


@dataclass(frozen=True, eq=False)
class MemoryColumns:
    """n memories of one bucket; every column but those of terms and sources has a row a memory."""

    rids: tuple[str, ...]
    kinds: NDArray[np.uint8]
    """uint8[n]: where in `KINDS`."""
    flags: NDArray[np.uint8]
    salience: NDArray[np.float64]
    """float64[n]: the log value, which time does not change (memory/model/salience.py)."""
    first_times: NDArray[np.int64]
    last_times: NDArray[np.int64]
    valid_from: NDArray[np.int64]
    """int64[n] each, Unix nanoseconds: said first and last; valid from, `NO_TIME` where unknown."""
    hashes: NDArray[np.uint64]
    """uint64[n] of the matchable text, 0 for a memory without any."""
    lengths: NDArray[np.uint32]
    """uint32[n] how many different terms: so many of the m of `terms` belong to the row."""
    says_when: NDArray[np.bool_]
    """bool[n]: memories that name a time, or have one from which they hold."""
    terms: NDArray[np.uint32]
    source_counts: NDArray[np.uint32]
    """uint32[n] how many of the k of `sources` belong to the row."""
    sources: NDArray[np.uint64]
    scales: NDArray[np.float32]
    vectors: NDArray[np.int8]
    """float32[n], int8[n, d]: row times scale is the unit vector; scale 0 where there is none."""

    @classmethod
    def of(
        cls,
        rows: Sequence[MemoryRow],
        vectors: Mapping[int, StoredVector],
        dimensions: int,
    ) -> "MemoryColumns":
        """Lay rows out.

        Args:
            rows: n, each with a kind of `KINDS`.
            vectors: by `text_hash`, of length d; what is not there is not embedded yet.
            dimensions: d; 0 without a semantic embedder.
        """
        nothing = StoredVector(0.0, bytes(dimensions))
        found = [vectors.get(row.text_hash, nothing) for row in rows]
        values = np.frombuffer(b"".join(one.values for one in found), np.int8)
        numbers = _numbers(rows)
        terms = _from_hex((row.terms for row in rows), "<u4")
        lengths = np.array([len(row.terms) // _TERM_DIGITS for row in rows], np.uint32)
        return cls(
            rids=tuple(row.rid for row in rows),
            terms=terms,
            lengths=lengths,
            says_when=_says_when(terms, lengths) | (numbers["valid_from"] != NO_TIME),
            # As the number that 16 digits say: the most significant byte comes first.
            sources=_from_hex(chain.from_iterable(row.sources for row in rows), ">u8"),
            source_counts=np.array([len(row.sources) for row in rows], np.uint32),
            scales=np.array([one.scale for one in found], np.float32),
            vectors=values.reshape(len(rows), dimensions),
            **numbers,
        )

    def __len__(self) -> int:
        """Return n."""
        return len(self.rids)

    @property
    def size_bytes(self) -> int:
        """Bytes of all arrays."""
        columns = (getattr(self, field.name) for field in fields(self))
        return sum(column.nbytes for column in columns if isinstance(column, np.ndarray))


class MemoryIndex:
    """n memories, as columns: those of each bucket follow those of the one before.

    The columns are as in `MemoryColumns`. Two buckets may hold what was said in one breath:
    neighbours stand together in `said_order`.
    """

    def __init__(self, parts: Sequence[MemoryColumns]) -> None:
        """Join buckets, all of one d."""
        self.parts = tuple(parts)
        self.rids = tuple(chain.from_iterable(part.rids for part in parts))
        self.kinds = _joined(parts, "kinds", np.uint8)
        self.flags = _joined(parts, "flags", np.uint8)
        self.salience = _joined(parts, "salience", np.float64)
        self.first_times = _joined(parts, "first_times", np.int64)
        self.last_times = _joined(parts, "last_times", np.int64)
        self.valid_from = _joined(parts, "valid_from", np.int64)
        self.hashes = _joined(parts, "hashes", np.uint64)
        self.lengths = _joined(parts, "lengths", np.uint32)
        self.says_when = _joined(parts, "says_when", np.bool_)
        self.scales = _joined(parts, "scales", np.float32)
        self.terms = _joined(parts, "terms", np.uint32)
        self.term_rows = np.repeat(np.arange(len(self), dtype=np.int32), self.lengths)
        # Rows hold different terms only.
        self.counts = np.ones(len(self.terms), np.uint8)
        self.vectors = [part.vectors for part in parts]

    def __len__(self) -> int:
        """Return n."""
        return len(self.rids)

    @cached_property
    def readable(self) -> NDArray[np.bool_]:
        """bool[n]: memories that can be found; a forgotten one has no text."""
        return self.hashes > 0

    @cached_property
    def dates(self) -> NDArray[np.int32]:
        """int32[4, n]: the day from which each holds, else that on which it was said first."""
        return dates_of(np.where(self.valid_from == NO_TIME, self.first_times, self.valid_from))

    @cached_property
    def said_order(self) -> SaidOrder:
        """The memories in the order in which their sources said them."""
        return SaidOrder.of(self)

    def rows_of_vectors(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """float64[k, d]: the vectors of some memories, unscaled: whole numbers."""
        blocks = np.searchsorted(self._starts, rows, side="right") - 1
        pairs = zip(blocks, rows - self._starts[blocks], strict=True)
        found = [self.vectors[block][at] for block, at in pairs]
        return np.array(found, np.float64)

    @cached_property
    def _starts(self) -> NDArray[np.intp]:
        return np.cumsum([0, *map(len, self.parts)])[:-1]

    @cached_property
    def sources(self) -> NDArray[np.uint64]:
        """uint64[k]: the sources row by row, as the numbers that their digits say."""
        return _joined(self.parts, "sources", np.uint64)

    @cached_property
    def source_rows(self) -> NDArray[np.int32]:
        """int32[k]: the memory that each of `sources` belongs to."""
        counts = _joined(self.parts, "source_counts", np.uint32)
        return np.repeat(np.arange(len(self), dtype=np.int32), counts)

    @property
    def size_bytes(self) -> int:
        """Bytes of all columns, about: flat ones, those of the parts, and vectors."""
        stored = sum(part.size_bytes for part in self.parts)
        return 2 * stored - sum(block.nbytes for block in self.vectors)


def _numbers(rows: Sequence[MemoryRow]) -> dict[str, NDArray[Any]]:
    valid_from = (NO_TIME if row.valid_from_ns is None else row.valid_from_ns for row in rows)
    return {
        "kinds": np.array([_NUMBER_OF_KIND[row.kind] for row in rows], np.uint8),
        "flags": np.array([row.flags for row in rows], np.uint8),
        "salience": np.array([row.salience for row in rows], np.float64),
        "first_times": np.array([row.first_ns for row in rows], np.int64),
        "last_times": np.array([row.last_ns for row in rows], np.int64),
        "valid_from": np.array(list(valid_from), np.int64),
        "hashes": np.array([row.text_hash for row in rows], np.uint64),
    }


def _says_when(terms: NDArray[np.uint32], lengths: NDArray[np.uint32]) -> NDArray[np.bool_]:
    rows = np.repeat(np.arange(len(lengths)), lengths)
    return np.bincount(rows, np.isin(terms, _time_terms()), len(lengths)) > 0


@cache
def _time_terms() -> NDArray[np.uint32]:
    """Return the terms of words that say when: those of the language, and years."""
    words = (*ENGLISH.time_forms, *map(str, _YEARS))
    terms = (term_of_word(word) for word in words)
    return np.array([term for term in terms if term is not None], np.uint32)


def _from_hex(texts: Iterable[str], dtype: str) -> NDArray[Any]:
    numbers = np.frombuffer(bytes.fromhex("".join(texts)), dtype)
    return numbers.astype(np.dtype(dtype).newbyteorder("="))


def _joined(parts: Sequence[MemoryColumns], name: str, kind: type) -> NDArray[Any]:
    return np.concatenate([np.zeros(0, kind), *(getattr(part, name) for part in parts)])


def held_at(index: MemoryIndex, lineages: Lineages, time_ns: int) -> NDArray[np.bool_]:
    """bool[n]: memories that were known or valid at a time, and that nothing had replaced by then.

    One that was never replaced holds from the time that it names on, else from when it was said.
    """
    since = np.where(index.valid_from == NO_TIME, index.first_times, index.valid_from)
    held = since <= time_ns
    for at, rid in enumerate(index.rids):
        if not lineages.lone(rid):
            held[at] = any(
                begin <= time_ns and (end is None or time_ns < end)
                for begin, end in lineages.periods(rid)
            )
    return np.asarray(held)


def in_window(index: MemoryIndex, window: TimeWindow) -> NDArray[np.bool_]:
    """bool[n]: memories whose time lies in a window: that from which they hold, else the last."""
    times = np.where(index.valid_from == NO_TIME, index.last_times, index.valid_from)
    inside = np.ones(len(index), bool)
    if window.since_ns is not None:
        inside &= times >= window.since_ns
    if window.until_ns is not None:
        inside &= times < window.until_ns
    return inside
