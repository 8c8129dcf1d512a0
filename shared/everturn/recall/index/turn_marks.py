"""How a text is said: whether it asks, names a time, or says what to do from now on."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from everturn.recall.index.turn_rows import ENDS_ASKING, HAS_TEXT, ORDERS, READABLE, SAYS_WHEN
from everturn.recall.language.language import ENGLISH

ALL_ASKED: Final = 255
"""What `asked_part` says of a text that is nothing but questions."""

# Question marks: ours, the Arabic and the Armenian one, and the wide one of Chinese and Japanese.
_ASKING: Final = ("?", "\u061f", "\u055e", "\uff1f")
_ENDS: Final = ".!?\u061f\u055e\uff1f\u3002\uff01"
_SENTENCE: Final = re.compile(rf"[^{_ENDS}]+[{_ENDS}]*")


def marks_of(matchable: str, words: Sequence[str]) -> int:
    """Return the bits of a text that can be read; `words` are those of the text."""
    marks = READABLE | (HAS_TEXT if matchable else 0)
    if _says_when(matchable, words):
        marks |= SAYS_WHEN
    if matchable.endswith(_ASKING):
        marks |= ENDS_ASKING
    return marks | (ORDERS if _orders(matchable, words) else 0)


def _says_when(matchable: str, words: Sequence[str]) -> bool:
    """Say whether a text names a time.

    To look through a text takes as long as all its terms. In ASCII a word between two borders is a
    word of `words_of`, unless an underscore clings to it.
    """
    if matchable.isascii() and "_" not in matchable:
        return any(map(_is_time_word, words))
    return ENGLISH.time_words.search(matchable) is not None


def _orders(matchable: str, words: Sequence[str]) -> bool:
    """Say whether a text wants something from now on; most have no word for it."""
    may = not (matchable.isascii() and ENGLISH.order_words.isdisjoint(words))
    return may and ENGLISH.standing_order.search(matchable) is not None


@lru_cache(maxsize=65_536)
def _is_time_word(word: str) -> bool:
    return ENGLISH.time_words.fullmatch(word) is not None


def asked_part(matchable: str) -> int:
    """Return how much of a text stands in questions, 0 to `ALL_ASKED`, by its characters."""
    if not any(mark in matchable for mark in _ASKING):
        return 0
    sentences = _SENTENCE.findall(matchable)
    total = sum(map(len, sentences))
    asked = sum(len(one) for one in sentences if one.rstrip().endswith(_ASKING))
    return round(asked / total * ALL_ASKED) if total else 0
