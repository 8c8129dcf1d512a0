"""Group the turns of an index into themes, and find the terms that name each theme.

A group holds its turns, their nearness to its centre, and the terms that distinguish it. Terms are
spelled as words that a reader knows.

Terms are scored by the class-based TF-IDF of BERTopic, https://arxiv.org/abs/2203.05794:

    tf / |theme| x ln(1 + A / f) x the share of the term's uses that are in the theme

The last factor is an addition. Without it, words of every conversation ("great", "thanks") come
first.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from everturn.recall.index.recall_request import RecallRequest
from everturn.recall.index.turn_index import TurnIndex
from everturn.recall.index.turn_rows import NO_TIME
from everturn.recall.language.terms import matchable_text, term_of_word, words_of
from everturn.recall.ranking.select_hits import allowed_rows
from everturn.recall.themes.spherical_kmeans import Clusters, Points, cluster
from everturn.recall.themes.vectors import (
    Rows,
    TermCounts,
    in_context,
    term_points,
    told_apart,
    vector_points,
)
from everturn.values.timestamps import TimeWindow

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


# Of so many terms some are numbers, or cannot be spelled; the rest is enough to choose from.
_CANDIDATES: Final = 20
_DECIMALS: Final = 9
# Words with the marks that write accents and vowels, in the case in which they stand.
_SPELLED: Final = re.compile(r"(?:[^\W_]|[\u0300-\u036f\u0900-\u0dff])+")
# A hash or a blob names nothing to a reader; German has words of 30 letters.
_MAX_LETTERS: Final = 32
# What is behind that in a turn adds no new spelling.
_MAX_CHARS: Final = 65_536


def telling_terms(counts: TermCounts, owners: NDArray[np.intp], themes: int) -> list[list[int]]:
    """Return some terms of each theme, the most telling first; ties by term.

    Args:
        counts: of n turns.
        owners: intp[n], 0 to `themes` - 1, or -1 for a turn without a theme.
        themes: how many.
    """
    owner = owners[counts.rows]
    held = owner >= 0
    shape = (themes, len(counts.terms))
    places = owner[held] * shape[1] + counts.columns[held]
    # Whole numbers: their sums do not depend on their order.
    uses = np.bincount(places, counts.times[held], themes * shape[1]).reshape(shape)
    worth = _worth(uses.astype(np.float64))
    return [_best(counts.terms, row) for row in worth]


def _worth(uses: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[k, t]: what each term is worth as a name of each theme, by float64[k, t] uses."""
    totals = np.maximum(uses.sum(axis=0), 1)
    sizes = np.maximum(uses.sum(axis=1, keepdims=True), 1)
    rarity = np.log1p(uses.sum() / max(len(uses), 1) / totals)
    return np.asarray(np.round(uses / sizes * rarity * (uses / totals), _DECIMALS))


def _best(terms: NDArray[np.uint32], worth: NDArray[np.float64]) -> list[int]:
    order = np.argsort(-worth, kind="stable")[:_CANDIDATES]
    return [int(terms[at]) for at in order if worth[at] > 0]


def terms_of_names(index: TurnIndex) -> list[int]:
    """Return the terms of all that speakers are called: who speaks is not what it is about."""
    words = {word for name in index.names for word in words_of(name)}
    return sorted(term for word in words if (term := term_of_word(word)) is not None)


class Spellings:
    """How some terms are spelled in texts."""

    def __init__(self, terms: Collection[int]) -> None:
        """Look for these terms only."""
        self._wanted = frozenset(terms)
        self._found: dict[int, Counter[str]] = defaultdict(Counter)

    def add(self, text: str) -> None:
        """Take note of the words of a turn, each once; recalled blocks are none of its own."""
        matchable = unicodedata.normalize("NFC", matchable_text(text[:_MAX_CHARS]))
        for spelled in set(_SPELLED.findall(matchable)):
            # A script without spaces is matched by pairs of characters, which are the words then.
            words = words_of(spelled)
            for word in words:
                term = term_of_word(word)
                if term in self._wanted:
                    self._found[term][spelled if len(words) == 1 else word] += 1

    def words(self, terms: Sequence[int], count: int) -> tuple[str, ...]:
        """Return the words of the first `count` of these terms that a reader can make sense of."""
        words = (_commonest(self._found[term]) for term in terms if term in self._found)
        return tuple(word for word in words if _is_readable(word))[:count]


def _commonest(spellings: Counter[str]) -> str:
    """Return the commonest word in its commonest case; of equal ones the lower case."""
    folded: Counter[str] = Counter()
    for spelled, count in spellings.items():
        folded[spelled.casefold()] += count
    word = min(folded, key=lambda one: (-folded[one], one))
    cases = [spelled for spelled in spellings if spelled.casefold() == word]
    return min(cases, key=lambda one: (-spellings[one], one != one.lower(), one))


def _is_readable(word: str) -> bool:
    letters = sum(map(str.isalpha, word))
    return letters > 0 and (len(word) > 1 or not word.isascii()) and len(word) <= _MAX_LETTERS
