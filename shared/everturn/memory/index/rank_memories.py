"""Rank memories for a query: words, vectors, dates and salience as scaled scores, fused.

Weights were chosen on LoCoMo's statements about its conversations. Of equal memories the one that
was said last comes first.

Besides a memory's own words, signals count: the subjects and times that a query names, and the
memory's weight. Each signal is float64[n], 0 to 1.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from everturn.memory.index.columns import MemoryIndex
from everturn.memory.index.row import PINNED
from everturn.memory.model.salience import HALF_LIFE_NS, PINNED_FLOOR
from everturn.recall.index.turn_index import shifted
from everturn.recall.language.language import ENGLISH
from everturn.recall.language.terms import (
    common_terms,
    hash_of_text,
    identifiers_of,
    matchable_text,
    naming_terms_of,
    terms_of,
)
from everturn.recall.ranking.dense_scores import cosines
from everturn.recall.ranking.fusion import (
    LOOKED_AT,
    QUERY_CHARS,
    Ranking,
    asked_terms,
    comparable,
    evidence,
    fused,
    named_by,
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


# Whom so many memories name is no word that tells one from another, but the one who is asked for;
# of a handful of memories nobody is in many.
_SUBJECT_SHARE, _LEAST_SUBJECT = 0.3, 8
_NAME: Final = re.compile(r"[^\W\d_][\w'\u2019]*")
# What was said before and after says what a statement is about; {statements before: weight}.
_CONTEXT: Final = {1: 0.2, -1: 0.2}


def named_subjects(index: MemoryIndex, query: str) -> dict[str, int]:
    """Return the names in a query of those whom many memories name, each with its term."""
    least = max(_SUBJECT_SHARE * len(index), _LEAST_SUBJECT)
    names = dict.fromkeys(name for name in _NAME.findall(query) if name[0].isupper())
    terms = {name: terms_of(name) for name in names}
    return {
        name: found[0]
        for name, found in terms.items()
        if len(found) == 1 and found[0] not in common_terms() and _having(index, found[0]) >= least
    }


def _having(index: MemoryIndex, term: int) -> int:
    return int(np.count_nonzero(index.terms == np.uint32(term)))


def without_subjects(query: str, names: Collection[str]) -> str:
    """Take names out of a query, unless it says nothing else."""
    if not names:
        return query
    alternatives = "|".join(map(re.escape, names))
    bare = re.sub(rf"(?<!\w)(?:{alternatives})(?!\w)", " ", query)
    return " ".join(bare.split()) if terms_of(bare) else query


def subject_cue(index: MemoryIndex, terms: Collection[int]) -> NDArray[np.float64]:
    """How many of some different subjects each memory names."""
    found = np.zeros(len(index))
    for term in terms:
        found[index.term_rows[index.terms == np.uint32(term)]] += 1 / len(terms)
    return found


def when_cue(index: MemoryIndex, query: str) -> NDArray[np.float64]:
    """Memories that name a time or have one, where the query asks for one."""
    return index.says_when * float(ENGLISH.asks_when.search(query) is not None)


def salience_cue(index: MemoryIndex, now_ns: int) -> NDArray[np.float64]:
    """What `salience.salience` gives for each memory at a time in Unix nanoseconds."""
    weights = np.exp2(np.minimum(index.salience - now_ns / HALF_LIFE_NS, 0.0))
    floors = np.where(index.flags & PINNED > 0, PINNED_FLOOR, 0.0)
    return np.asarray(np.maximum(weights, floors))


def in_said_context(index: MemoryIndex, alone: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[n]: the cosine of each memory, and something of those said before and after it."""
    order = index.said_order
    placed = np.empty(len(index))
    placed[order.places] = alone
    total = placed.copy()
    for offset, weight in _CONTEXT.items():
        here, there = shifted(len(index), offset)
        total[here] += weight * placed[there] * order.near(offset)[here]
    return total[order.places]
