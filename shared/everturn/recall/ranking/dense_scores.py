"""The dense lane: the cosine between a query and each turn together with its neighbours.

Rows are stored as int8 with one scale each, and the query is split into two int8 parts, so that
every product and every sum is a whole number that float32 holds exactly: the order does not depend
on threads or on the kernel that multiplies.
"""

from collections.abc import Sequence
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from everturn.recall.index.turn_index import TurnIndex, shifted
from everturn.recall.index.turn_rows import EXACT_COLUMNS

# The turn before and the turn after say what a turn is about; {turns before: weight}.
_CONTEXT: Final = {1: 0.3, -1: 0.2}
_STEPS: Final = 127
# Against division by the length of nothing: a turn without vectors around it.
_LEAST: Final = 1e-12


class VectorIndex(Protocol):
    """Vectors of n texts, in blocks of rows: int8[k, d], or float32 of the same whole numbers."""

    def __len__(self) -> int:
        """Return n."""
        ...

    @property
    def scales(self) -> NDArray[np.float32]:
        """float32[n]; 0 where there is no vector."""
        ...

    @property
    def vectors(self) -> Sequence[NDArray[Any]]:
        """The blocks, in order; a row times its scale is the unit vector."""
        ...


def cosines(index: VectorIndex, query: NDArray[np.float32]) -> NDArray[np.float64]:
    """float64[n]: the cosine of each turn alone with a unit vector float32[d]; 0 without one."""
    peak = float(np.abs(query).max(initial=0.0))
    if not peak:
        return np.zeros(len(index))
    coarse = np.rint(query / peak * _STEPS)
    fine = np.rint((query / peak * _STEPS - coarse) * _STEPS)
    parts = np.stack([coarse, fine], axis=1).astype(np.float32)
    both = np.concatenate([np.zeros((0, 2)), *(_sums(block, parts) for block in index.vectors)])
    scale = index.scales.astype(np.float64) * (peak / _STEPS)
    return np.asarray((both[:, 0] + both[:, 1] / _STEPS) * scale)


def _sums(rows: NDArray[Any], parts: NDArray[np.float32]) -> NDArray[np.float64]:
    """float64[k, 2]: the sums of products, in columns few enough to be exact."""
    total = np.zeros((len(rows), 2))
    for start in range(0, rows.shape[1], EXACT_COLUMNS):
        columns = slice(start, start + EXACT_COLUMNS)
        total += rows[:, columns].astype(np.float32, copy=False) @ parts[columns]
    return total


def in_context(index: TurnIndex, alone: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[n]: the cosine with v[i] + .3 v[i - 1] + .2 v[i + 1], within a session."""
    total = alone.copy()
    for offset, weight in _CONTEXT.items():
        here, there = shifted(len(index), offset)
        total[here] += weight * alone[there] * index.near(offset)[here]
    return total / _lengths(index)


def _lengths(index: TurnIndex) -> NDArray[np.float64]:
    """float64[n]: the length of each turn's vector with its context; kept for the next query."""
    weights = tuple(_CONTEXT.values())
    if weights not in index.context_lengths:
        index.context_lengths[weights] = np.sqrt(np.maximum(_squares(index), _LEAST))
    return index.context_lengths[weights]


def _squares(index: TurnIndex) -> NDArray[np.float64]:
    """float64[n]: the squared length of each turn's vector with its context."""
    (before, after), (next_one, next_but_one) = _CONTEXT.values(), index.links
    has, near_before, near_after = index.scales > 0, index.near(1), index.near(-1)
    previous = _moved(has, 1) & near_before
    following = _moved(has, -1) & near_after
    squares = has + before**2 * previous + after**2 * following
    squares = squares + 2 * before * _moved(next_one, 1) * near_before
    squares = squares + 2 * after * next_one * near_after
    across = 2 * before * after * _moved(next_but_one, 1)
    return np.asarray(squares + across * (near_before & near_after))


def _moved(column: NDArray[Any], offset: int) -> NDArray[Any]:
    """Return the column in which row i holds what row i - offset held."""
    moved = np.zeros_like(column)
    here, there = shifted(len(column), offset)
    moved[here] = column[there]
    return moved
