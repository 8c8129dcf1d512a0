"""Rank turns for a query: words, vectors and cues as scaled scores, fused.

Not here: which of the ranked turns are shown (domain/pick_hits.py). Weights were chosen on LoCoMo
and BEAM together. Scores are rounded to nine decimals and ties go to the newest turn, so that the
order is the same on every machine.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from everturn.domain import cues
from everturn.domain.dense_lane import cosines, in_context
from everturn.domain.evidence import LOOKED_AT, evidence, named_by
from everturn.domain.lexical_lane import LexicalLane, lexical_lane
from everturn.domain.terms import (
    hash_of_text,
    identifiers_of,
    matchable_text,
    naming_terms_of,
    terms_of,
)
from everturn.domain.turn_index import TurnIndex

# What each lane and cue weighs. An identifier outweighs whatever else a turn has.
_WEIGHTS: Final = {
    "lexical": 1.0, "dense": 0.7, "speaker": 0.4, "session": 0.3, "time": 0.25, "date": 0.3,
    "user": 0.4, "order": 0.2, "asking": -0.4, "identifier": 1.0,
}  # fmt: skip
# A query is a question, not a document: so much of it is looked into, and so many different terms.
# Whether a turn repeats it is asked of the whole.
_QUERY_CHARS, _QUERY_TERMS = 16_384, 256
_DECIMALS: Final = 9
_FAINTEST: Final = 1e-4
# Sums of shares come near 1 and not always to it.
_NEARLY: Final = 0.999


@dataclass(frozen=True, slots=True)
class Ranking:
    """Turns of an index for one query.

    `scores` are float64[n], 0 to 1, comparable between queries; 0 for a turn that nothing speaks
    for. `lanes` holds float64[n] of each lane and cue, unweighted.
    """

    scores: NDArray[np.float64]
    lanes: Mapping[str, NDArray[np.float64]]

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
        return newest_first[np.argsort(-self.scores[newest_first], kind="stable")]


def query_text(index: TurnIndex, query: str) -> str:
    """Return what of a query is embedded: names of speakers left out, unless nothing else is there.

    Names pull towards turns that speak to somebody instead of being his.
    """
    return cues.without_names(index, matchable_text(query)[:_QUERY_CHARS]).text


def rank_turns(
    index: TurnIndex,
    query: str,
    *,
    vector: NDArray[np.float32] | None = None,
    allowed: NDArray[np.bool_] | None = None,
) -> Ranking:
    """Score the turns of an index.

    Args:
        index: n turns.
        query: as asked; blank gives no scores.
        vector: float32[d], the unit vector of `query_text`; None without a semantic embedder.
        allowed: bool[n], turns that may be found; all by default.
    """
    matchable = matchable_text(query)
    text = matchable[:_QUERY_CHARS]
    asked = cues.without_names(index, text)
    words = lexical_lane(index, _first([*terms_of(asked.text), *identifiers_of(asked.text)]))
    named = named_by(index, _first(naming_terms_of(asked.text)))
    alone = _cosines(index, vector)
    lanes = {**_lanes(index, text, asked, words), "identifier": named.astype(np.float64)}
    repeats = _repeats(index, matchable)
    speaks = (words.covered > 0) | repeats
    if not speaks.any():
        speaks = lanes["speaker"] > 0
    if alone is not None:
        lanes["dense"] = _scaled(in_context(index, alone), index.scales > 0)
        speaks |= alone > 0
    found = speaks & index.readable & (True if allowed is None else allowed)
    scores = _fused(lanes, found)
    first = Ranking(scores, lanes).best(LOOKED_AT)
    if len(first):
        sure = evidence(first, words, names=len(asked.speakers), cosines=alone, named=named)
        # The root spreads what a plain product would crowd below a half.
        rooted: NDArray[np.float64] = np.sqrt(scores * sure)
        scores = np.round(rooted, _DECIMALS)
    return Ranking(np.where(repeats & found, 1.0, scores), lanes)


def _first(terms: Sequence[int]) -> Sequence[int]:
    return list(dict.fromkeys(terms))[:_QUERY_TERMS]


def _lanes(
    index: TurnIndex, text: str, asked: cues.Asked, words: LexicalLane
) -> dict[str, NDArray[np.float64]]:
    return {
        "lexical": _scaled_words(words),
        "session": cues.session_cue(index, words.own),
        "speaker": cues.speaker_cue(index, asked),
        "time": cues.time_cue(index, text),
        "date": cues.date_cue(index, asked.text),
        "user": cues.user_cue(index, text),
        "order": cues.order_cue(index),
        "asking": cues.asking_cue(index) * ~_only_one(words.whole),
    }


def _only_one(whole: NDArray[np.float64]) -> NDArray[np.bool_]:
    """bool[n]: the turn that says all of the query, if it is the only one: a question or not."""
    says_all = whole > _NEARLY
    return np.asarray(says_all & (np.count_nonzero(says_all) == 1))


def _fused(
    lanes: Mapping[str, NDArray[np.float64]], found: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """float64[n]: the root of what each turn has of the best; 0 for those that are not found.

    The root keeps a second answer near the first, and all that is far from both far.
    """
    total = np.zeros(len(found))
    for name, lane in lanes.items():
        total += _WEIGHTS[name] * lane
    # What was found stays found, whatever speaks against it.
    total = np.where(found, total.clip(_FAINTEST), 0.0)
    best = float(total.max(initial=0.0))
    relative: NDArray[np.float64] = np.sqrt(total / (best or 1.0))
    return np.round(relative, _DECIMALS)


def _cosines(index: TurnIndex, vector: NDArray[np.float32] | None) -> NDArray[np.float64] | None:
    """float64[n]; None where the query or all turns are without a vector."""
    if vector is None or not vector.any() or not index.scales.any():
        return None
    return cosines(index, vector)


def _repeats(index: TurnIndex, matchable: str) -> NDArray[np.bool_]:
    """bool[n]: turns that say exactly what the query says."""
    own = hash_of_text(matchable)
    return np.asarray((index.hashes == np.uint64(own)) & bool(own))


def _scaled_words(words: LexicalLane) -> NDArray[np.float64]:
    """Scale by the mean of the best and of what could be expected: a weak best turn stays weak."""
    scale = (float(words.covered.max(initial=0.0)) + words.expected) / 2
    return words.covered / (scale or 1.0)


def _scaled(cosine: NDArray[np.float64], has: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Scale so that the mean is 0 and the best 1.

    What is below the mean, or has no vector, has nothing: a vector takes no hit of words away.
    """
    mean = float(cosine[has].mean())
    span = float(cosine[has].max()) - mean
    if span <= 0:
        return np.zeros(len(cosine))
    return np.where(has, ((cosine - mean) / span).clip(0), 0.0)
