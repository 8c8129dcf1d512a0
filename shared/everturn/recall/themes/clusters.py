"""Group the turns of an index into themes: which turns, how near to the middle, by which terms."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from everturn.recall.index.recall_request import RecallRequest
from everturn.recall.index.turn_index import TurnIndex
from everturn.recall.index.turn_rows import NO_TIME
from everturn.recall.ranking.select_hits import allowed_rows
from everturn.recall.themes.spherical_kmeans import Clusters, Points, cluster
from everturn.recall.themes.theme_terms import telling_terms, terms_of_names
from everturn.recall.themes.vectors import (
    Rows,
    TermCounts,
    in_context,
    term_points,
    told_apart,
    vector_points,
)
from everturn.values.time_window import TimeWindow

MAX_TURNS: Final = 4_096
"""So many turns are grouped, the newest ones."""

# As many as a reader takes in: the root of half the number of turns, between these.
_LEAST, _MOST = 2, 8
# Of 20 terms each: at most 240 turns of a theme are opened to spell its terms.
_ROWS_PER_TERM: Final = 12


@dataclass(frozen=True, eq=False)
class Group:
    """n turns about the same, the nearest to its centre first, the newest of equal ones."""

    rows: Rows
    cosines: NDArray[np.float64]
    """float64[n]: how near each turn is, taken alone."""
    terms: Sequence[int]
    """What tells these turns from the others, the most telling term first."""
    spelled_in: Rows
    """Some of the rows that hold these terms, enough to see how they are spelled."""

    def distinct(self, index: TurnIndex) -> list[int]:
        """Return the places in `rows` whose text no place before has."""
        firsts = np.unique(index.hashes[self.rows], return_index=True)[1]
        return sorted(firsts.tolist())

    def times(self, index: TurnIndex) -> tuple[int | None, int | None]:
        """Return the times of the oldest and of the newest turn; None where none has one."""
        times = index.times[self.rows]
        known = times[times != NO_TIME]
        return (int(known.min()), int(known.max())) if len(known) else (None, None)


def newest_rows(index: TurnIndex, window: TimeWindow) -> tuple[Rows, bool]:
    """Return the newest turns of a window that say something, in order, and whether all of them."""
    allowed = allowed_rows(index, RecallRequest("", window=window))
    rows = np.flatnonzero(allowed)
    newest = np.argsort(~index.times[rows], kind="stable")[:MAX_TURNS]
    return np.sort(rows[newest]), len(newest) == len(rows)


def group_turns(index: TurnIndex, at: Rows, k: int | None) -> list[Group]:
    """Group turns, into fewer than k groups where fewer turns differ; the biggest group first.

    A turn without a vector, or without a word that says something, is in no group.

    Args:
        index: where the turns are.
        at: those to group, in order.
        k: how many groups, at least 1; None for as many as suit the number of turns.
    """
    counts = TermCounts.of(index, at, without=terms_of_names(index))
    points = told_apart(_points(index, at, counts))
    found = cluster(in_context(index, at, points), k or _suitable(len(at)))
    terms = telling_terms(counts, found.owners, len(found.centres))
    ranked = _ranked(index, at, found, found.cosines(points))
    return [
        Group(at[places], cosines, terms[number], at[_spelling(places, terms[number], counts)])
        for number, (places, cosines) in sorted(ranked.items(), key=lambda one: -len(one[1][0]))
    ]


def _suitable(turns: int) -> int:
    return min(max(isqrt(turns // 2), _LEAST), _MOST)


def _points(index: TurnIndex, at: Rows, counts: TermCounts) -> Points:
    """Take vectors where most turns have one, else words."""
    if 2 * np.count_nonzero(index.scales[at]) > len(at):
        return vector_points(index, at)
    return term_points(counts, index.blocks[at])


def _ranked(
    index: TurnIndex, at: Rows, found: Clusters, cosines: NDArray[np.float64]
) -> dict[int, tuple[Rows, NDArray[np.float64]]]:
    """Return for each group its places in `at`, the nearest first, and their cosines."""
    ranked: dict[int, tuple[Rows, NDArray[np.float64]]] = {}
    for number in range(len(found.centres)):
        places = np.flatnonzero(found.owners == number)
        order = np.lexsort((-places, ~index.times[at[places]], -cosines[places]))
        ranked[number] = places[order], cosines[places[order]]
    return ranked


def _spelling(places: Rows, terms: Sequence[int], counts: TermCounts) -> Rows:
    """Return the first few places that hold each of the terms."""
    columns = np.searchsorted(counts.terms, np.array(terms, np.uint32))
    held = np.isin(counts.columns, columns)
    rows, owners = counts.rows[held], counts.columns[held]
    chosen = [np.zeros(0, np.intp)]
    for column in columns:
        holding = rows[owners == column]
        chosen.append(places[np.isin(places, holding)][:_ROWS_PER_TERM])
    return np.unique(np.concatenate(chosen))
