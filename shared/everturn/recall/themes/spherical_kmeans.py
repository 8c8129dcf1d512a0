"""Spherical k-means: directions, grouped by the nearest of k centres.

Dhillon and Modha, "Concept Decompositions for Large Sparse Text Data Using Clustering" (2001),
https://doi.org/10.1023/A:1007612920971, begun greedily instead of by chance.

Points and centres are whole numbers, and so are all products and sums of them, which float64 holds
exactly: the groups do not depend on threads or on the kernel that multiplies.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

UNIT: Final = 16_384
"""The length of a point: a whole number of int16. A product of two is exact up to d = 2^24."""

# So many points, spread evenly, may be where a centre begins.
_SEEDS: Final = 128
_MAX_ROUNDS: Final = 16
# When no more than one in so many still moves, further rounds show nothing to a reader.
_FEW: Final = 500
# Points are widened to float64 by so many rows, to bound memory.
_BLOCK: Final = 1_024

Points = NDArray[np.int16]


@dataclass(frozen=True, eq=False)
class Clusters:
    """k groups of n points; k is at most the number asked for, and none is empty."""

    centres: Points
    """int16[k, d] of length `UNIT`."""
    owners: NDArray[np.intp]
    """intp[n]: the centre of the highest product, the first of equal ones; -1 for no direction."""

    @property
    def sizes(self) -> NDArray[np.intp]:
        """intp[k]: how many points each has."""
        return np.bincount(self.owners[self.owners >= 0], minlength=len(self.centres))

    def cosines(self, points: Points) -> NDArray[np.float64]:
        """float64[n], -1 to 1: the cosine of each of n points with the centre of its group.

        In whole parts of `UNIT`; 0 for one without a group. They may be other points than those
        that were grouped.
        """
        found = [np.zeros(0)]
        for start in range(0, len(points), _BLOCK):
            block = points[start : start + _BLOCK].astype(np.float64)
            owners = self.owners[start : start + _BLOCK]
            grouped = owners >= 0
            product = np.zeros(len(block))
            product[grouped] = (block[grouped] * self.centres[owners[grouped]]).sum(axis=1)
            found.append(np.rint(product / UNIT) / UNIT)
        return np.concatenate(found).clip(-1.0, 1.0)


def as_points(vectors: NDArray[np.float64]) -> Points:
    """int16[n, d]: the directions of float64[n, d]; zeros where a row has none or is not finite."""
    peaks = np.abs(vectors).max(axis=1, initial=0.0)
    usable = np.isfinite(peaks) & (peaks > 0)
    rows = np.zeros_like(vectors)
    # Whole numbers from here on: the order of a sum of squares does not matter then.
    rows[usable] = np.rint(vectors[usable] / peaks[usable, None] * UNIT)
    lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    return np.rint(rows / np.where(lengths > 0, lengths, 1.0) * UNIT).astype(np.int16)


def cluster(points: Points, k: int) -> Clusters:
    """Group points, into fewer than k groups where fewer are different.

    Every point belongs to its nearest centre. Equal input gives equal groups on every machine.

    Args:
        points: int16[n, d] of length `UNIT`, or zeros, which belong to no group.
        k: at least 1.
    """
    centres = _begun(points, k)
    sums = np.zeros(centres.shape)
    before = np.full(len(points), -1)
    owners = _nearest(points, centres)
    for _ in range(_MAX_ROUNDS):
        if np.count_nonzero(owners != before) <= len(points) // _FEW:
            break
        sums += _gained(points, before, owners, len(centres))
        centres = as_points(sums)
        before, owners = owners, _nearest(points, centres)
    return _without_empty(Clusters(centres, owners))


def _begun(points: Points, k: int) -> Points:
    """Take points one by one, each time the one that brings all of them nearest to one taken.

    The greedy of Nemhauser, Wolsey and Fisher (1978), https://doi.org/10.1007/BF01588971, over a
    part of the points. No further one is taken where it brings nothing.
    """
    rows = np.flatnonzero(points.any(axis=1))
    count = min(len(rows), _SEEDS)
    seeds = points[rows[np.arange(count) * len(rows) // max(count, 1)]]
    near = np.concatenate([np.zeros((0, count)), *_products(points, seeds)])
    best = np.zeros(len(points))
    taken: list[int] = []
    while count and len(taken) < k:
        gains = np.maximum(near - best[:, None], 0).sum(axis=0)
        first = int(gains.argmax())
        if not gains[first]:
            break
        taken.append(first)
        best = np.maximum(best, near[:, first])
    return seeds[taken]


def _nearest(points: Points, centres: Points) -> NDArray[np.intp]:
    none = np.full(len(points), -1)
    if not len(centres) or not len(points):
        return none
    owners = np.concatenate([block.argmax(axis=1) for block in _products(points, centres)])
    return np.where(points.any(axis=1), owners, none)


def _products(points: Points, others: Points) -> Iterator[NDArray[np.float64]]:
    wide = others.T.astype(np.float64)
    for start in range(0, len(points), _BLOCK):
        yield points[start : start + _BLOCK].astype(np.float64) @ wide


def _gained(
    points: Points, before: NDArray[np.intp], owners: NDArray[np.intp], count: int
) -> NDArray[np.float64]:
    """float64[count, d]: what came to each group by points that moved, less what left."""
    gained, moved = np.zeros((count, points.shape[1])), np.flatnonzero(before != owners)
    numbers = np.arange(count)[:, None]
    for start in range(0, len(moved), _BLOCK):
        rows = moved[start : start + _BLOCK]
        signs = (owners[rows] == numbers).astype(np.float64) - (before[rows] == numbers)
        gained += signs @ points[rows].astype(np.float64)
    return gained


def _without_empty(found: Clusters) -> Clusters:
    kept = np.flatnonzero(found.sizes)
    places = np.full(len(found.centres) + 1, -1)
    places[kept] = np.arange(len(kept))
    return Clusters(found.centres[kept], places[found.owners])
