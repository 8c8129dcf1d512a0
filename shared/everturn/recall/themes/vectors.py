"""Turns of an index as points: what each is about, by its vector or by its words.

A turn is taken together with those around it as far as they are alike: an answer of two words is
about what was asked, and where people talk of two things by turns, neither becomes the other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from everturn.recall.index.turn_index import TurnIndex
from everturn.recall.themes.spherical_kmeans import UNIT, Points, as_points

# What the turns so far away weigh, in tenths, times how alike they are. Chosen on turns of six
# chats of BEAM: how well groups agree with chats (normalised mutual information) rises from .79 to
# .86 with vectors and from .88 to .93 with words; where all turns are shuffled it does not change.
_AROUND: Final = {1: 7, -1: 7, 2: 5, -2: 5, 3: 3, -3: 3}
_ALONE: Final = 10
# Of none, half and all of it, half tells shuffled turns apart best, by .03; it costs .02 where
# chats take turns in runs of six.
_COMMON_LEFT_OUT: Final = 0.5
# Rarer words tell no more of a group: those of one turn alone join it to nothing.
_MAX_WORDS: Final = 1_024
# Whole numbers, so that no sum depends on its order.
_STEPS: Final = 256
# Where there is but one block all words are alike but for their rarity.
_LEAST_RESIDUAL: Final = 0.2
# A word that a turn says ten times is not ten times what it is about.
_MAX_TIMES: Final = 3
# Rows are widened to float64 by so many, to bound memory.
_BLOCK: Final = 1_024

Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class TermCounts:
    """Which of some turns holds which term how often, as m triples; `terms` holds t terms.

    `rows` counts the turns from 0, `columns` points into `terms`.
    """

    terms: NDArray[np.uint32]
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    times: NDArray[np.int64]

    @classmethod
    def of(cls, index: TurnIndex, at: Rows, without: Sequence[int] = ()) -> "TermCounts":
        """Take the terms of some turns, but for these.

        Args:
            index: with n turns.
            at: the turns, in order.
            without: terms.
        """
        places = np.full(len(index), -1)
        places[at] = np.arange(len(at))
        rows = places[index.term_rows]
        kept = (rows >= 0) & ~np.isin(index.terms, np.array(without, np.uint32))
        terms, columns = np.unique(index.terms[kept], return_inverse=True)
        times = np.minimum(index.counts[kept], _MAX_TIMES).astype(np.int64)
        return cls(terms, rows[kept], columns, times)


def vector_points(index: TurnIndex, at: Rows) -> Points:
    """int16[len(at), d]: turns by their vectors; zeros where one has none."""
    blocks = np.searchsorted(index.starts, at, side="right") - 1
    points = [np.zeros((0, index.vectors[0].shape[1] if index.vectors else 0), np.int16)]
    for number in np.unique(blocks):
        rows = at[blocks == number]
        inside = rows - index.starts[number]
        for part in _parts(len(inside)):
            vectors = index.vectors[number][inside[part]].astype(np.float64)
            # The length of a vector does not matter, and so its scale does not.
            points.append(as_points(vectors * (index.scales[rows[part], None] > 0)))
    return np.concatenate(points)


def term_points(counts: TermCounts, blocks: NDArray[np.int32]) -> Points:
    """int16[n, d]: turns by the words they share with others.

    Args:
        counts: of n turns.
        blocks: int32[n], which stretch of talk each is in.
    """
    turns, worth = len(blocks), _worth(counts, blocks)
    df = np.bincount(counts.columns, minlength=len(counts.terms))
    chosen = np.sort(np.argsort(-df * worth, kind="stable")[:_MAX_WORDS])
    places = np.full(len(counts.terms), -1)
    places[chosen] = np.arange(len(chosen))
    columns = places[counts.columns]
    weights = counts.times * worth[counts.columns]
    points = [np.zeros((0, len(chosen)), np.int16)]
    for part in _parts(turns):
        held = (columns >= 0) & (counts.rows >= part.start) & (counts.rows < part.stop)
        block = np.zeros((min(part.stop, turns) - part.start, len(chosen)))
        block[counts.rows[held] - part.start, columns[held]] = weights[held]
        points.append(as_points(block))
    return np.concatenate(points)


def _worth(counts: TermCounts, blocks: NDArray[np.int32]) -> NDArray[np.float64]:
    """float64[t]: how much each term says of what a turn is about, in whole steps.

    The rarer, and the more it comes in few blocks instead of in as many as by chance:
    "thanks" is everywhere, "pottery" where people talk of it. This is the residual idf of Church
    and Gale, "Poisson mixtures" (1995), https://doi.org/10.1017/S1351324900000139.
    """
    at, count = np.unique(blocks, return_inverse=True)[1], len(np.unique(blocks))
    held = np.unique(counts.columns * count + at[counts.rows]) // max(count, 1)
    met = np.maximum(np.bincount(held, minlength=len(counts.terms)), 1)
    df = np.maximum(np.bincount(counts.columns, minlength=len(counts.terms)), 1)
    by_chance = count * -np.expm1(-df / max(count, 1))
    residual = np.maximum(np.log(by_chance / met), 0) + _LEAST_RESIDUAL
    return np.asarray(np.rint(np.log1p(len(blocks) / df) * residual * _STEPS))


def told_apart(points: Points) -> Points:
    """int16[n, d]: points without half of what all have in common; zeros stay zeros.

    Vectors of some models, and turns of one chat, all point more or less the same way.
    """
    has = np.asarray(points.any(axis=1))
    common = points.sum(axis=0, dtype=np.int64) / max(np.count_nonzero(has), 1)
    shift = np.rint(common * _COMMON_LEFT_OUT)
    parts = [as_points((points[part] - shift) * has[part, None]) for part in _parts(len(points))]
    return np.concatenate([points[:0], *parts])


def in_context(index: TurnIndex, at: Rows, points: Points) -> Points:
    """int16[len(at), d]: each point drawn to those around it that are like it.

    Only turns of `at` count, and only those of the same session.
    """
    drawn = [np.zeros((0, points.shape[1]), np.int16)]
    around = {offset: _neighbours(index, at, offset) for offset in _AROUND}
    for part in _parts(len(at)):
        alone = points[part].astype(np.float64)
        total = alone * (_ALONE * UNIT)
        for offset, weight in _AROUND.items():
            there = around[offset][part]
            others = points[there].astype(np.float64) * (there >= 0)[:, None]
            alike = np.rint((alone * others).sum(axis=1) / UNIT).clip(0)
            total += (weight * alike)[:, None] * others
        drawn.append(as_points(total))
    return np.concatenate(drawn)


def _neighbours(index: TurnIndex, at: Rows, offset: int) -> Rows:
    """intp[len(at)]: where in `at` the turn stands that is `offset` before each; -1 for none."""
    places = np.full(len(index), -1)
    places[at] = np.arange(len(at))
    there = at - offset
    inside = (there >= 0) & (there < len(index)) & index.near(offset)[at]
    return np.where(inside, places[np.where(inside, there, 0)], -1)


def _parts(count: int) -> Iterator[slice]:
    return (slice(start, start + _BLOCK) for start in range(0, count, _BLOCK))
