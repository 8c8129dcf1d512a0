"""Rank turns for a query: words, vectors and cues as scaled scores, fused.

Weights were chosen on LoCoMo and BEAM together. Ties go to the newest turn.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from everturn.recall.index.turn_index import TurnIndex
from everturn.recall.language.terms import (
    hash_of_text,
    identifiers_of,
    matchable_text,
    naming_terms_of,
    terms_of,
)
from everturn.recall.ranking import query_signals
from everturn.recall.ranking.dense_scores import cosines, in_context
from everturn.recall.ranking.fusion import (
    LOOKED_AT,
    QUERY_CHARS,
    Ranking,
    asked_terms,
    comparable,
    evidence,
    fused,
    named_by,
    scaled_cosines,
    scaled_words,
)
from everturn.recall.ranking.lexical_scores import LexicalLane, lexical_lane

# What each lane and cue weighs. An identifier outweighs whatever else a turn has.
_WEIGHTS: Final = {
    "lexical": 1.0, "dense": 0.7, "speaker": 0.4, "session": 0.3, "time": 0.25, "date": 0.3,
    "user": 0.4, "order": 0.2, "asking": -0.4, "identifier": 1.0,
}  # fmt: skip
# In fewer turns than these all are near one another, and words alone tell them apart: what a cue
# adds to any turn of a user would outweigh the one turn that says what was asked for.
_LONG: Final = 64
# Sums of shares come near 1 and not always to it.
_NEARLY: Final = 0.999


def query_text(index: TurnIndex, query: str) -> str:
    """Return what of a query is embedded: names of speakers left out, unless nothing else is there.

    Names pull towards turns that speak to somebody instead of being his.
    """
    return query_signals.without_names(index, matchable_text(query)[:QUERY_CHARS]).text


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
    text = matchable[:QUERY_CHARS]
    asked = query_signals.without_names(index, text)
    words = lexical_lane(index, asked_terms([*terms_of(asked.text), *identifiers_of(asked.text)]))
    named = named_by(index, asked_terms(naming_terms_of(asked.text)))
    alone = _cosines(index, vector)
    lanes = {**_lanes(index, text, asked, words), "identifier": named.astype(np.float64)}
    repeats = _repeats(index, matchable)
    speaks = (words.covered > 0) | repeats
    if not speaks.any():
        speaks = lanes["speaker"] > 0
    if alone is not None:
        lanes["dense"] = scaled_cosines(in_context(index, alone), index.scales > 0)
        speaks |= alone > 0
    found = speaks & index.readable & (True if allowed is None else allowed)
    scores = fused(lanes, _WEIGHTS, found)
    first = Ranking(scores, lanes).best(LOOKED_AT)
    if len(first):
        sure = evidence(first, words, names=len(asked.speakers), cosines=alone, named=named)
        scores = comparable(scores, sure)
    return Ranking(np.where(repeats & found, 1.0, scores), lanes)


def _lanes(
    index: TurnIndex, text: str, asked: query_signals.Asked, words: LexicalLane
) -> dict[str, NDArray[np.float64]]:
    length = min(1.0, len(index) / _LONG)
    return {
        "lexical": scaled_words(words),
        "session": query_signals.session_cue(index, words.own),
        "speaker": query_signals.speaker_cue(index, asked),
        "time": query_signals.time_cue(index, text),
        "date": query_signals.date_cue(index, asked.text),
        "user": query_signals.user_cue(index, text) * length,
        "order": query_signals.order_cue(index) * length,
        "asking": query_signals.asking_cue(index) * ~_only_one(words.whole),
    }


def _only_one(whole: NDArray[np.float64]) -> NDArray[np.bool_]:
    """bool[n]: the turn that says all of the query, if it is the only one: a question or not."""
    says_all = whole > _NEARLY
    return np.asarray(says_all & (np.count_nonzero(says_all) == 1))


def _cosines(index: TurnIndex, vector: NDArray[np.float32] | None) -> NDArray[np.float64] | None:
    """float64[n]; None where the query or all turns are without a vector."""
    if vector is None or not vector.any() or not index.scales.any():
        return None
    return cosines(index, vector)


def _repeats(index: TurnIndex, matchable: str) -> NDArray[np.bool_]:
    """bool[n]: turns that say exactly what the query says."""
    own = hash_of_text(matchable)
    return np.asarray((index.hashes == np.uint64(own)) & bool(own))
