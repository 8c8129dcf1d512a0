"""What speaks for memories besides their own words: whom a query names, when, and their weight.

Each cue is float64[n], 0 to 1.
"""

import re
from collections.abc import Collection
from typing import Final

import numpy as np
from numpy.typing import NDArray

from everturn.memory.index.columns import MemoryIndex
from everturn.memory.index.row import PINNED
from everturn.memory.model.salience import HALF_LIFE_NS, PINNED_FLOOR
from everturn.recall.index.turn_index import shifted
from everturn.recall.language.language import ENGLISH
from everturn.recall.language.terms import common_terms, terms_of

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
