"""Scores of rows for a query: scorers and signals, scaled, fused and made comparable.

Scores are rounded, so that the order is the same on every machine.

A conversation that knows nothing of a question still has a best turn. `evidence` measures how
likely it is to hold the answer. With that, a caller's `min_score` tells such a turn from an answer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from everturn.recall.ranking.lexical_scores import LexicalLane, TermIndex, unknown_idf

QUERY_CHARS: Final = 16_384
"""A query is a question, not a document: so much of it is looked into."""

_QUERY_TERMS: Final = 256
_DECIMALS: Final = 9
_FAINTEST: Final = 1e-4


@dataclass(frozen=True, slots=True)
class Ranking:
    """Rows of an index for one query.

    `scores` are float64[n], 0 to 1, comparable between queries; 0 for a row that nothing speaks
    for. `lanes` holds float64[n] of each lane and cue, unweighted. Of equals the one with more of
    `ties` comes first, then the later row; without any, the later row.
    """

    scores: NDArray[np.float64]
    lanes: Mapping[str, NDArray[np.float64]]
    ties: NDArray[np.int64] | None = None

    def order(self) -> NDArray[np.intp]:
        """Return the rows with a score, best first, the newest first of equals."""
        return self._ordered(np.flatnonzero(self.scores))

    def best(self, count: int) -> NDArray[np.intp]:
        """Return the first `count` of `order` or some more, without sorting all the others."""
        rows = np.flatnonzero(self.scores)
        if len(rows) <= count:
            return self._ordered(rows)
        least = np.partition(self.scores[rows], -count)[-count]
        return self._ordered(rows[self.scores[rows] >= least])

    def _ordered(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        newest_first = rows[::-1]
        if self.ties is not None:
            newest_first = newest_first[np.argsort(-self.ties[newest_first], kind="stable")]
        return newest_first[np.argsort(-self.scores[newest_first], kind="stable")]


def asked_terms(terms: Sequence[int]) -> Sequence[int]:
    """Return the different terms of a query, no more than a question has."""
    return list(dict.fromkeys(terms))[:_QUERY_TERMS]


def fused(
    lanes: Mapping[str, NDArray[np.float64]],
    weights: Mapping[str, float],
    found: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """float64[n]: the root of what each row has of the best; 0 for those that are not found.

    The root keeps a second answer near the first, and all that is far from both far.
    """
    total = np.zeros(len(found))
    for name, lane in lanes.items():
        total += weights[name] * lane
    # What was found stays found, whatever speaks against it.
    total = np.where(found, total.clip(_FAINTEST), 0.0)
    best = float(total.max(initial=0.0))
    return rounded(np.sqrt(total / (best or 1.0)))


def comparable(scores: NDArray[np.float64], sure: float) -> NDArray[np.float64]:
    """float64[n]: fused scores, as far as it is sure that the query belongs to the index."""
    # The root spreads what a plain product would crowd below a half.
    return rounded(np.sqrt(scores * sure))


def rounded(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[n]: as many decimals as are the same on every machine."""
    return np.round(scores, _DECIMALS)


def scaled_words(words: LexicalLane) -> NDArray[np.float64]:
    """Scale by the mean of the best and of what could be expected: a weak best row stays weak."""
    scale = (float(words.covered.max(initial=0.0)) + words.expected) / 2
    return words.covered / (scale or 1.0)


def scaled_cosines(
    cosine: NDArray[np.float64], has: NDArray[np.bool_], *, most_base: float = 1.0
) -> NDArray[np.float64]:
    """Scale so that the mean, or `most_base` where that is less, is 0 and the best 1.

    What is below that, or has no vector, has nothing: a vector takes no hit of words away.
    """
    base = min(float(cosine[has].mean()), most_base)
    span = float(cosine[has].max()) - base
    if span <= 0:
        return np.zeros(len(cosine))
    return np.where(has, ((cosine - base) / span).clip(0), 0.0)


# One turn may hold a few words of anything; an answer has company. Cosines of the first eight: the
# nearest turn by meaning need not be the first.
_BY_WORDS, _BY_MEANING = 3, 8
LOOKED_AT: Final = max(_BY_WORDS, _BY_MEANING)
"""How many of the turns that rank first say whether the query belongs to them."""
# Texts that have nothing to do with each other still have such a cosine.
_UNRELATED: Final = 0.2
# An identifier belongs to one thing: whoever asks for it and finds it has found what he asked for.
# So has he nearly who finds all his words in one turn.
_NAMED: Final = 0.95
# Whoever asks for a speaker alone gets whatever that one said.
_BY_NAME: Final = 0.1
# Only what repeats a query word for word is certain, and what is found at all is not impossible.
_MOST, _LEAST = 0.99, 0.01


def evidence(
    first: NDArray[np.intp],
    words: LexicalLane,
    *,
    names: int,
    cosines: NDArray[np.float64] | None,
    named: NDArray[np.bool_],
) -> float:
    """Return 0 to 1: whether the query belongs to these turns.

    Args:
        first: the rows of the turns that rank first, best first; at least one.
        words: of the query.
        names: how many speakers the query names: each is one more term that was found.
        cosines: float64[n] of the query and each turn; None without a semantic embedder.
        named: bool[n], turns with an identifier of the query.
    """
    known = names * unknown_idf(len(words.held))
    found = float(words.held[first[:_BY_WORDS]].mean()) + known
    by_words = found / ((words.asked + known) or 1.0)
    whole = float(words.whole[first[:_BY_WORDS]].max())
    least = _NAMED if named[first[0]] else max(_NAMED * whole, _LEAST)
    if cosines is None and not words.alone.any():
        return _BY_NAME
    if cosines is None:
        return min(max(by_words, least), _MOST)
    nearest = float(cosines[first[:_BY_MEANING]].max())
    if not words.asked:
        return min(max(nearest, _LEAST), _MOST)
    by_meaning = max(nearest - _UNRELATED, 0.0) / (1 - _UNRELATED)
    return min(max((by_words + by_meaning) / 2, least), _MOST)


def named_by(index: TermIndex, terms: Sequence[int]) -> NDArray[np.bool_]:
    """bool[n]: turns that hold one of these terms."""
    found = np.zeros(len(index), bool)
    for term in terms:
        found[index.term_rows[index.terms == np.uint32(term)]] = True
    return found
