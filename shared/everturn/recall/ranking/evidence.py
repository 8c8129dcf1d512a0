"""How much speaks for a conversation having what a query asks: what makes scores comparable.

The best turn of a conversation that knows nothing of a question is still its best turn; a caller's
`min_score` has to tell it from an answer.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from everturn.recall.ranking.lexical_scores import LexicalLane, TermIndex, unknown_idf

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
