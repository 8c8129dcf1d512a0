"""What a theme is called: the terms that tell it from the others, as words that a reader knows.

The class-based TF-IDF of BERTopic, tf / |theme| x ln(1 + A / f), https://arxiv.org/abs/2203.05794,
times the part of a term's uses that fall into the theme: without that, words of every conversation
("great", "thanks") come first.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from everturn.recall.index.turn_index import TurnIndex
from everturn.recall.language.terms import matchable_text, term_of_word, words_of
from everturn.recall.themes.vectors import TermCounts

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
