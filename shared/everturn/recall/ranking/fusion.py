"""Scores of rows for a query, from lanes and cues: scaled, fused, and in order.

Scores are rounded, so that the order is the same on every machine.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from everturn.recall.ranking.lexical_scores import LexicalLane

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
