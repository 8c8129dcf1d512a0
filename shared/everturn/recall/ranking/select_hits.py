"""Choose which ranked turns are shown: distinct texts, best first, within a budget of tokens."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from everturn.recall.index.recall_request import RecallRequest
from everturn.recall.index.turn_index import TurnIndex
from everturn.recall.index.turn_rows import HAS_TEXT, NO_TIME
from everturn.recall.ranking.fusion import Ranking
from everturn.values.token_estimate import tokens_of_bytes

# How many turns too big for the budget are passed over before the search for smaller ones ends.
_MAX_SKIPPED = 1_000
# To sort all turns takes longer than many of the lanes; hardly ever are so many looked at.
_LOOKED_AT_FIRST = 256


@dataclass(frozen=True, slots=True)
class PickedRow:
    """A row to show, with the rows around it, in order.

    `best` is the row of the same text that matched best: its score is the one to show.
    """

    row: int
    best: int
    neighbours: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Picked:
    """Rows, best first; `filtered` of the best were below `min_score`."""

    rows: tuple[PickedRow, ...]
    filtered: int
    over_budget: bool


def allowed_rows(index: TurnIndex, request: RecallRequest) -> NDArray[np.bool_]:
    """bool[n]: turns of the roles and the times asked for, without the newest `exclude_last`."""
    # One of which nothing can be matched would come for its neighbours' sake alone.
    allowed = _shown(index, request.exclude_last) & (index.flags & HAS_TEXT > 0)
    if request.roles:
        wanted = [at for at, name in enumerate(index.names) if name in request.roles]
        allowed &= np.isin(index.roles, wanted)
    window = request.window
    if window.since_ns is not None:
        allowed &= index.times >= window.since_ns
    if window.until_ns is not None:
        allowed &= (index.times < window.until_ns) & (index.times != NO_TIME)
    return allowed


def _shown(index: TurnIndex, exclude_last: int) -> NDArray[np.bool_]:
    """bool[n]: readable turns without the newest so many, which the caller has already."""
    shown = index.readable.copy()
    if exclude_last:
        shown[np.flatnonzero(shown)[-exclude_last:]] = False
    return shown


def pick_hits(index: TurnIndex, ranking: Ranking, request: RecallRequest) -> Picked:
    """Take the best rows that fit; where none fits, the best alone."""
    picked: list[PickedRow] = []
    left, filtered, skipped = request.budget_tokens, 0, 0
    first: PickedRow | None = None
    shown = _shown(index, request.exclude_last)
    for found in _distinct(index, ranking):
        if len(picked) + filtered >= request.top_k or skipped > _MAX_SKIPPED:
            break
        if ranking.scores[found.best] < request.min_score:
            filtered += 1
            continue
        first = first or found
        around = _around(index, found.row, request.neighbours, shown)
        fitting = _fitting(index, found, around, left)
        if fitting is None:
            skipped += 1
            continue
        picked.append(fitting)
        left -= _tokens(index, (fitting.row, *fitting.neighbours))
    if not picked and first is not None:
        return Picked((first,), min(filtered, request.top_k - 1), over_budget=True)
    return Picked(tuple(picked), filtered, over_budget=False)


def _distinct(index: TurnIndex, ranking: Ranking) -> Iterator[PickedRow]:
    """Yield rows best first; of equal texts the newest, in the place of the best."""
    seen: set[int] = set()
    for row in _in_order(ranking):
        text = int(index.hashes[row])
        if text not in seen:
            seen.add(text)
            yield PickedRow(_newest(index, ranking, int(row)), int(row))


def _in_order(ranking: Ranking) -> Iterator[int]:
    """Yield rows best first, sorting the others only when they are asked for."""
    first = ranking.best(_LOOKED_AT_FIRST)
    yield from first
    yield from ranking.order()[len(first) :]


def _newest(index: TurnIndex, ranking: Ranking, row: int) -> int:
    same = np.flatnonzero((index.hashes == index.hashes[row]) & (ranking.scores > 0))
    return int(max(same, key=lambda at: (int(index.times[at]), int(at))))


def _fitting(
    index: TurnIndex, found: PickedRow, around: tuple[int, ...], left: int
) -> PickedRow | None:
    """Return a row with its neighbours, or without them where they are too much."""
    if around and _tokens(index, (found.row, *around)) <= left:
        return replace(found, neighbours=around)
    return found if _tokens(index, (found.row,)) <= left else None


def _around(index: TurnIndex, row: int, count: int, shown: NDArray[np.bool_]) -> tuple[int, ...]:
    """Return the shown turns of the same conversation on either side, in order."""
    if not count:
        return ()
    same = np.flatnonzero(shown & (index.owners == index.owners[row]))
    at = int(np.searchsorted(same, row))
    return tuple(map(int, (*same[max(at - count, 0) : at], *same[at + 1 : at + 1 + count])))


def _tokens(index: TurnIndex, rows: tuple[int, ...]) -> int:
    return sum(tokens_of_bytes(int(index.sizes[row])) for row in rows)
