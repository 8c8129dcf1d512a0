"""What ranking needs of consecutive turns, as columns: one row a turn."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

READABLE, HAS_TEXT, SAYS_WHEN, TRIED, ENDS_ASKING, ORDERS = 1, 2, 4, 8, 16, 32
"""Bits of `flags`: it can be read; something of it can be matched; it names a time; the model gave
no vector for it although it was asked; it ends in a question; it says what to do from now on."""

NO_TIME: Final = -(2**63)


class SegmentSpan(NamedTuple):
    """The rows `first` to `last`, by the numbers of their turns, are those of a segment."""

    first: int
    last: int
    name: str


EXACT_COLUMNS: Final = 1_024
"""So many products of two int8 numbers add up to less than 2^24, which float32 holds exactly."""


@dataclass(frozen=True, eq=False)
class TurnRows:
    """n rows; `names` holds the roles and the speakers that the columns point to."""

    names: tuple[str, ...]
    sources: tuple[SegmentSpan, ...]
    hashes: NDArray[np.uint64]
    """uint64[n] of the matchable text, 0 without any."""
    times: NDArray[np.int64]
    """int64[n] Unix nanoseconds, `NO_TIME` where a turn has none."""
    flags: NDArray[np.uint8]
    asked: NDArray[np.uint8]
    """uint8[n] how much of the text stands in questions, of 255."""
    roles: NDArray[np.uint16]
    speakers: NDArray[np.uint16]
    """uint16[n] each: who said it, the turn's `name` or else its role."""
    sizes: NDArray[np.uint32]
    """uint32[n] bytes of the text in UTF-8."""
    lengths: NDArray[np.uint32]
    """uint32[n] how many terms, each as often as it comes."""
    widths: NDArray[np.uint32]
    """uint32[n] how many different terms: so many of the m next columns belong to the row."""
    terms: NDArray[np.uint32]
    counts: NDArray[np.uint8]
    """uint32[m], uint8[m]: the terms row by row, and how often each comes."""
    scales: NDArray[np.float32]
    vectors: NDArray[np.int8]
    """float32[n], int8[n, d]: row times scale is the unit vector; scale 0 where there is none."""

    def __len__(self) -> int:
        """Return n."""
        return len(self.hashes)

    @property
    def dimensions(self) -> int:
        """Return d."""
        return int(self.vectors.shape[1])

    @property
    def wanted(self) -> NDArray[np.bool_]:
        """bool[n]: rows that may have a vector and have none."""
        return np.asarray((self.flags & HAS_TEXT > 0) & (self.scales == 0))

    @cached_property
    def wide(self) -> NDArray[np.float32]:
        """float32[n, d]: the vectors as whole numbers that multiply fast."""
        return self.vectors.astype(np.float32)

    @property
    def size_bytes(self) -> int:
        """Bytes of all columns."""
        return sum(getattr(self, name).nbytes for name in DTYPES)

    @cached_property
    def links(self) -> NDArray[np.float64]:
        """float64[2, n]: the cosine of each row with the next one, and with the one after that."""
        rows, links = self.vectors.astype(np.float32), np.zeros((2, len(self)))
        for step in (1, 2):
            ahead = rows[step:]
            products = _products(rows[: len(ahead)], ahead)
            scales = self.scales.astype(np.float64)
            links[step - 1, : len(ahead)] = products * scales[: len(ahead)] * scales[step:]
        return links

    def cosine(self, at: int, other: "TurnRows", there: int) -> float:
        """Return the cosine of one row with a row of others of the same model."""
        rows = self.vectors[at : at + 1 or None], other.vectors[there : there + 1]
        product = float(_products(*(row.astype(np.float32) for row in rows))[0])
        return product * float(self.scales[at]) * float(other.scales[there])

    def part(self, start: int, stop: int) -> "TurnRows":
        """Return some rows, without sources."""
        ends = np.concatenate([[0], np.cumsum(self.widths, dtype=np.int64)])
        inner = slice(int(ends[start]), int(ends[stop]))
        columns = {name: getattr(self, name)[start:stop] for name in ROW_COLUMNS}
        columns |= {name: getattr(self, name)[inner] for name in TERM_COLUMNS}
        return TurnRows(names=self.names, sources=(), **columns)

    def with_vectors(self, at: NDArray[np.intp], vectors: NDArray[np.float32]) -> "TurnRows":
        """Return the rows with unit vectors float32[k, d] set; rows of zeros are marked tried."""
        scales, quantised = quantise(vectors)
        rows = replace(
            self, scales=self.scales.copy(), vectors=self.vectors.copy(), flags=self.flags.copy()
        )
        rows.scales[at], rows.vectors[at] = scales, quantised
        rows.flags[at[scales == 0]] |= TRIED
        return rows

    def with_vectors_of(self, others: "TurnRows") -> "TurnRows":
        """Return the rows with the vectors that they lack, where others have them for one text."""
        both = min(len(self), len(others))
        same = (self.hashes[:both] == others.hashes[:both]) & (self.hashes[:both] > 0)
        at = np.flatnonzero(same & (self.scales[:both] == 0) & (others.scales[:both] > 0))
        if not len(at):
            return self
        rows = replace(self, scales=self.scales.copy(), vectors=self.vectors.copy())
        rows.scales[at], rows.vectors[at] = others.scales[at], others.vectors[at]
        return rows


def _products(rows: NDArray[np.float32], others: NDArray[np.float32]) -> NDArray[np.float64]:
    """float64[n]: the sum of products of each row with the other one, exact for whole numbers."""
    total = np.zeros(len(rows))
    for start in range(0, rows.shape[1], EXACT_COLUMNS):
        columns = slice(start, start + EXACT_COLUMNS)
        total += np.einsum("ij,ij->i", rows[:, columns], others[:, columns])
    return total


ROW_COLUMNS: Final = (
    "hashes", "times", "flags", "asked", "roles", "speakers", "sizes", "lengths", "widths",
    "scales", "vectors",
)  # fmt: skip
TERM_COLUMNS: Final = ("terms", "counts")
DTYPES: Final[dict[str, Any]] = {
    "hashes": np.uint64, "times": np.int64, "flags": np.uint8, "asked": np.uint8,
    "roles": np.uint16, "speakers": np.uint16, "sizes": np.uint32, "lengths": np.uint32,
    "widths": np.uint32, "terms": np.uint32, "counts": np.uint8, "scales": np.float32,
    "vectors": np.int8,
}  # fmt: skip


def no_rows(count: int, dimensions: int) -> TurnRows:
    """Return rows of turns that nobody has looked at: none of them can be found."""
    columns = {name: np.zeros(count, DTYPES[name]) for name in ROW_COLUMNS}
    columns |= {name: np.zeros(0, DTYPES[name]) for name in TERM_COLUMNS}
    columns["vectors"] = np.zeros((count, dimensions), np.int8)
    columns["times"][:] = NO_TIME
    return TurnRows(names=("",), sources=(), **columns)


def join_rows(parts: Sequence[TurnRows], sources: Sequence[SegmentSpan] = ()) -> TurnRows:
    """Return the rows of parts of one d, one after another; names that no row has fall away.

    Args:
        parts: at least one.
        sources: of the whole.
    """
    names: dict[str, int] = {}
    lookups = [_lookup(part, names) for part in parts]
    columns = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in (*ROW_COLUMNS, *TERM_COLUMNS)
    }
    for name in ("roles", "speakers"):
        pairs = zip(parts, lookups, strict=True)
        columns[name] = np.concatenate([lookup[getattr(part, name)] for part, lookup in pairs])
    return TurnRows(names=tuple(names), sources=tuple(sources), **columns)


def _lookup(part: TurnRows, names: dict[str, int]) -> NDArray[np.uint16]:
    """uint16: where each name of a part stands in `names`, to which those in use are added."""
    lookup = np.zeros(len(part.names), np.uint16)
    for at in np.union1d(part.roles, part.speakers):
        lookup[at] = names.setdefault(part.names[at], len(names))
    return lookup


def quantise(vectors: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """Return float32[n] scales and int8[n, d] whose product is the vectors, to half a scale."""
    peaks = np.abs(vectors).max(axis=1, initial=0.0)
    scales = (peaks / 127).astype(np.float32)
    safe = np.where(scales > 0, scales, np.float32(1))
    return scales, np.rint(vectors / safe[:, None]).astype(np.int8)
