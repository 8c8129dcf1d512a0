"""The lexical lane: context-aware BM25 over terms.

The BM25 of Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009),
with the idf of Lucene, ln(1 + (n - df + .5) / (df + .5)), k1 1.2, b 1, and the length floored: a
short turn is no better for being short. A term of the query counts once, at its best place in the
window around a turn.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from everturn.recall.index.turn_index import shifted
from everturn.recall.language.terms import common_terms

# All chosen on LoCoMo and on BEAM together.
_K1: Final = 1.2
_FLOOR: Final = 20
# What a term weighs in the turns around, {turns before: weight}; what in the question that a turn
# answers, which says what the answer is about.
_WINDOW: Final = {1: 0.55, -1: 0.45, 2: 0.4, -2: 0.3}
_QUESTION: Final = 0.9
# A common word says less of a turn, and next to nothing of a conversation. What a conversation is
# about is in most of its turns: rare there or not, it shows that this is the right one.
_COMMON_IN_TURN, _COMMON_IN_TALK, _LEAST_IN_TALK = 0.7, 0.2, 0.6
# With a word of the query missing a turn says much less of what is asked, with two little.
_WHOLE_POWER: Final = 9
# Terms times turns that are looked at together: some 10 MB.
_CELLS: Final = 1_000_000


class TermIndex(Protocol):
    """n texts as m terms, each different one of a text once."""

    def __len__(self) -> int:
        """Return n."""
        ...

    @property
    def terms(self) -> NDArray[np.uint32]:
        """uint32[m]."""
        ...

    @property
    def term_rows(self) -> NDArray[np.int32]:
        """int32[m]: the text that each is of."""
        ...

    @property
    def counts(self) -> NDArray[np.uint8]:
        """uint8[m]: how often each comes there."""
        ...


class PlacedTerms(TermIndex, Protocol):
    """Texts of which one follows another: turns, or what was remembered one after another."""

    @property
    def lengths(self) -> NDArray[np.uint32]:
        """uint32[n]: how many terms."""
        ...

    @property
    def answers(self) -> NDArray[np.bool_]:
        """bool[n]: texts that answer the one before."""
        ...

    def near(self, offset: int) -> NDArray[np.bool_]:
        """bool[n]: whether text i - offset is there and belongs to text i."""
        ...


@dataclass(frozen=True, slots=True)
class LexicalLane:
    """What the words of a query find.

    `covered` and `own` are float64[n]: BM25 with the window, BM25 of the turn alone. `expected` is
    what a turn of average length gets that says all of it once. `held` is float64[n], how much of
    the query a turn holds with its window, of `asked` in all: there a term weighs as it tells one
    conversation from another. `alone` is what the turn itself says of it, however long it is.
    """

    covered: NDArray[np.float64]
    own: NDArray[np.float64]
    expected: float
    held: NDArray[np.float64]
    alone: NDArray[np.float64]
    asked: float

    @property
    def whole(self) -> NDArray[np.float64]:
        """float64[n], 0 to 1: near 1 where a turn itself says all of the query, else near 0."""
        share: NDArray[np.float64] = self.alone / (self.asked or 1.0)
        return share**_WHOLE_POWER

    def moved(self, places: NDArray[np.intp]) -> "LexicalLane":
        """Return the lane of an index in which row i stands where row `places[i]` stood."""
        rows = (self.covered, self.own, self.held, self.alone)
        covered, own, held, alone = (row[places] for row in rows)
        return LexicalLane(covered, own, self.expected, held, alone, self.asked)


def unknown_idf(count: int) -> float:
    """Return the idf of a term that none of so many turns has."""
    return float(np.log1p((count + 0.5) / 0.5))


def lexical_lane(index: PlacedTerms, terms: Sequence[int]) -> LexicalLane:
    """Score all turns by the different terms of a query."""
    count = len(index)
    covered, own, held, alone = (np.zeros(count) for _ in range(4))
    expected = asked = 0.0
    window, norms = _window(index), _norms(index)
    for part in _parts(list(dict.fromkeys(terms)), count):
        found = [np.flatnonzero(index.terms == np.uint32(term)) for term in part]
        in_turn, in_talk = _weights(part, np.array([len(at) for at in found]), count)
        which = np.repeat(np.arange(len(part)), [len(at) for at in found])
        at = np.concatenate(found)
        rows, times = index.term_rows[at], index.counts[at].astype(np.float64)
        scores = times * (_K1 + 1) / (times + norms[rows])
        best = _windowed(which, rows, scores, window, len(part))
        covered += (in_turn[:, None] * best).sum(axis=0)
        held += (in_talk[:, None] * best).sum(axis=0) / (_K1 + 1)
        alone += np.bincount(rows, in_talk[which], count)
        own += np.bincount(rows, in_turn[which] * scores, count)
        expected += float(in_turn[[len(at) > 0 for at in found]].sum())
        asked += float(in_talk.sum())
    return LexicalLane(covered, own, expected, held, alone, asked)


def _parts(terms: Sequence[int], count: int) -> Iterator[Sequence[int]]:
    step = max(_CELLS // max(count, 1), 1)
    for start in range(0, len(terms), step):
        yield terms[start : start + step]


def _norms(index: PlacedTerms) -> NDArray[np.float64]:
    """float64[n]: what BM25 adds to a term's count, by the length of the turn."""
    lengths = np.maximum(index.lengths, _FLOOR).astype(np.float64)
    mean = float(lengths.mean()) if len(lengths) else 1.0
    return np.asarray(_K1 * lengths / mean)


def _weights(
    terms: Sequence[int], having: NDArray[np.intp], count: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """float64[t] twice: what each term weighs in a turn, and in telling conversations apart."""
    idf = np.log1p((count - having + 0.5) / (having + 0.5))
    is_common = np.array([term in common_terms() for term in terms])
    in_talk = np.maximum(idf, _LEAST_IN_TALK * unknown_idf(count))
    in_turn = idf * np.where(is_common, _COMMON_IN_TURN, 1.0)
    return in_turn, in_talk * np.where(is_common, _COMMON_IN_TALK, 1.0)


def _window(index: PlacedTerms) -> dict[int, NDArray[np.float64]]:
    """Return {turns before: float64[n], what a term there weighs for each turn}."""
    window = {
        offset: weight * index.near(offset).astype(np.float64) for offset, weight in _WINDOW.items()
    }
    window[1][index.answers] = _QUESTION
    return window


def _windowed(
    which: NDArray[np.intp],
    rows: NDArray[np.int32],
    scores: NDArray[np.float64],
    window: dict[int, NDArray[np.float64]],
    terms: int,
) -> NDArray[np.float64]:
    """float64[t, n]: the best score of each term in the window around each turn."""
    count = len(window[1])
    placed = np.zeros((terms, count))
    placed[which, rows] = scores
    best = placed.copy()
    for offset, weight in window.items():
        here, there = shifted(count, offset)
        np.maximum(best[:, here], placed[:, there] * weight[here], out=best[:, here])
    return best
