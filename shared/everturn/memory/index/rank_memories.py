"""Rank memories for a query: words, vectors, dates and salience as scaled scores, fused.

Weights were chosen on what LoCoMo has of statements about its conversations. Of equals the one that
was said last comes first.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from everturn.memory.index.columns import MemoryIndex
from everturn.memory.index.signals import (
    in_said_context,
    named_subjects,
    salience_cue,
    subject_cue,
    when_cue,
    without_subjects,
)
from everturn.recall.language.terms import (
    hash_of_text,
    identifiers_of,
    matchable_text,
    naming_terms_of,
    terms_of,
)
from everturn.recall.ranking.dense_scores import cosines
from everturn.recall.ranking.evidence import LOOKED_AT, evidence, named_by
from everturn.recall.ranking.fusion import (
    QUERY_CHARS,
    Ranking,
    asked_terms,
    comparable,
    fused,
    rounded,
    scaled_cosines,
    scaled_words,
)
from everturn.recall.ranking.lexical_scores import LexicalLane, lexical_lane
from everturn.recall.ranking.query_signals import date_cue

# What each lane and cue weighs. Salience chooses among what says as much of the query, no more.
_WEIGHTS: Final = {
    "lexical": 1.0, "dense": 0.7, "subject": 0.3, "time": 0.2, "date": 0.3, "salience": 0.1,
    "identifier": 1.0,
}  # fmt: skip
# Where few memories are known all may be near: to be below their mean is not to be unrelated.
_MOST_BASE: Final = 0.2
# Two statements whose vectors are so near differ in a value or in their wording. What has less of
# the best score than so much says less of the query.
_SAME, _CLOSE = 0.8, 0.93
# Any number of memories may tie.
_COMPARED: Final = 2 * LOOKED_AT


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a query found: its words, who is named by how many names, what it names, cosines."""

    words: LexicalLane
    subjects: NDArray[np.float64]
    names: int
    named: NDArray[np.bool_]
    cosines: NDArray[np.float64] | None


def memory_query_text(index: MemoryIndex, query: str) -> str:
    """Return what of a query is embedded: whom many memories name is left out, if more is there.

    A name that most statements share pulls towards any of them.
    """
    text = matchable_text(query)[:QUERY_CHARS]
    return without_subjects(text, named_subjects(index, text))


def rank_memories(
    index: MemoryIndex,
    query: str,
    *,
    vector: NDArray[np.float32] | None = None,
    now_ns: int,
    allowed: NDArray[np.bool_] | None = None,
) -> Ranking:
    """Score the memories of an index; for a blank query by salience alone.

    Args:
        index: n memories.
        query: as asked.
        vector: float32[d], the unit vector of `memory_query_text`; None without a semantic
            embedder.
        now_ns: Unix nanoseconds at which salience is taken.
        allowed: bool[n], memories that may be found; all by default.
    """
    matchable = matchable_text(query)
    salience = salience_cue(index, now_ns)
    able = index.readable & (True if allowed is None else allowed)
    if not matchable:
        scores = rounded(np.where(able, salience, 0.0))
        return Ranking(scores, {"salience": salience}, index.last_times)
    text = matchable[:QUERY_CHARS]
    asked = _asked(index, text, vector)
    lanes = {**_lanes(index, text, asked), "salience": salience}
    repeats = _repeats(index, matchable)
    found = (_speaks(asked) | repeats) & able
    scores = fused(lanes, _WEIGHTS, found)
    first = Ranking(scores, lanes, index.last_times).best(LOOKED_AT)[:_COMPARED]
    if len(first):
        scores = _newest_of_same(index, scores, first)
        scores = comparable(scores, _sure(asked, first))
    return Ranking(np.where(repeats & found, 1.0, scores), lanes, index.last_times)


def _asked(index: MemoryIndex, text: str, vector: NDArray[np.float32] | None) -> _Asked:
    names = set(named_subjects(index, text).values())
    terms = asked_terms([*terms_of(text), *identifiers_of(text)])
    order = index.said_order
    words = lexical_lane(order, [term for term in terms if term not in names])
    return _Asked(
        words=words.moved(order.places),
        subjects=subject_cue(index, names),
        names=len(names),
        named=named_by(index, asked_terms(naming_terms_of(text))),
        cosines=_cosines(index, vector),
    )


def _cosines(index: MemoryIndex, vector: NDArray[np.float32] | None) -> NDArray[np.float64] | None:
    """float64[n]; None where the query or all memories are without a vector."""
    if vector is None or not vector.any() or not index.scales.any():
        return None
    return cosines(index, vector)


def _lanes(index: MemoryIndex, text: str, asked: _Asked) -> dict[str, NDArray[np.float64]]:
    lanes = {
        "lexical": scaled_words(asked.words),
        "subject": asked.subjects,
        "time": when_cue(index, text),
        "date": date_cue(index, text),
        "identifier": asked.named.astype(np.float64),
    }
    if asked.cosines is not None:
        dense = in_said_context(index, asked.cosines)
        lanes["dense"] = scaled_cosines(dense, index.scales > 0, most_base=_MOST_BASE)
    return lanes


def _speaks(asked: _Asked) -> NDArray[np.bool_]:
    """bool[n]: memories that have something of the query, and not only their neighbours."""
    names = asked.subjects > 0
    found = (asked.words.own > 0) | (asked.words.covered > 0) & names
    if not found.any():
        found = names
    return found if asked.cosines is None else found | (asked.cosines > 0)


def _sure(asked: _Asked, first: NDArray[np.intp]) -> float:
    return evidence(first, asked.words, names=asked.names, cosines=asked.cosines, named=asked.named)


def _newest_of_same(
    index: MemoryIndex, scores: NDArray[np.float64], first: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Give the newer of two that say nearly the same, and as much of the query, the better score.

    What was said later is what holds, even where nothing says that it replaced the other.
    """
    scores = scores.copy()
    vectors = index.rows_of_vectors(first)
    scales = index.scales[first].astype(np.float64)
    same = vectors @ vectors.T * np.outer(scales, scales) >= _SAME
    for better, worse in zip(*np.nonzero(np.triu(same, 1)), strict=True):
        one, other = first[better], first[worse]
        is_newer = index.last_times[other] > index.last_times[one]
        if is_newer and scores[other] >= _CLOSE * scores[one]:
            scores[other] = max(scores[one], scores[other])
    return scores


def _repeats(index: MemoryIndex, matchable: str) -> NDArray[np.bool_]:
    """bool[n]: memories that say exactly what the query says."""
    own = hash_of_text(matchable)
    return np.asarray((index.hashes == np.uint64(own)) & bool(own))
