"""Texts to word pieces, as BERT's uncased models want them.

Markers such as `[SEP]` inside a text are plain text.

Source: https://github.com/google-research/bert/blob/master/tokenization.py
"""

import functools
import itertools
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

from everturn.errors import MisconfiguredError

CLASS, SEPARATOR, UNKNOWN = "[CLS]", "[SEP]", "[UNK]"

# The original's limit: a longer word is unknown as a whole.
_MAX_WORD: Final = 100
# Words repeat; the cache is bounded since every order number is a new one.
_CACHED_WORDS: Final = 16_384
_CONTINUED: Final = "##"

# The blocks that the original calls CJK: there every character is a word.
_IDEOGRAPHS: Final = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)


class _Spelling(dict[int, str]):
    """What each code point becomes before words are split; filled as they occur."""

    def __missing__(self, code: int) -> str:
        """Decide once: a mark or control goes, a space is one, a sign stands for itself."""
        character = chr(code)
        category = unicodedata.category(character)
        if character in "\t\n\r":
            spelled = " "
        elif category == "Mn" or category.startswith("C") or character == "\ufffd":
            spelled = ""
        elif character.isspace():
            spelled = " "
        else:
            spelled = f" {character} " if _stands_alone(character, category) else character
        self[code] = spelled
        return spelled


def _stands_alone(character: str, category: str) -> bool:
    code = ord(character)
    # ASCII signs count as punctuation here even where Unicode calls them symbols.
    ascii_sign = character.isascii() and character.isprintable() and not character.isalnum()
    ideograph = any(first <= code <= last for first, last in _IDEOGRAPHS)
    return ascii_sign or category.startswith("P") or ideograph


class WordPiece:
    """Splits texts into pieces of one vocabulary; safe to use from several threads."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        """Take the vocabulary; a piece's number is its place in it.

        Raises:
            MisconfiguredError: one of the three markers is not in it.
        """
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}
        missing = [mark for mark in (CLASS, SEPARATOR, UNKNOWN) if mark not in self._numbers]
        if missing:
            raise MisconfiguredError(f"the vocabulary lacks a marker marker={missing[0]}")
        self._spelling = _Spelling()
        self._word = functools.lru_cache(maxsize=_CACHED_WORDS)(self._split)

    def pieces(self, text: str, *, limit: int) -> list[int]:
        """Return the numbers of a text's pieces between the two markers; never raises.

        Args:
            text: any text; case, accents, control characters and lone surrogates fall away.
            limit: the greatest length of the result, markers included; what is beyond is cut.

        Returns:
            At least the two markers.
        """
        words = itertools.chain.from_iterable(map(self._word, self._words(text)))
        inner = itertools.islice(words, limit - 2)
        return [self._numbers[CLASS], *inner, self._numbers[SEPARATOR]]

    def _words(self, text: str) -> list[str]:
        spelled = unicodedata.normalize("NFD", text.lower()).translate(self._spelling)
        return spelled.split()

    def _split(self, word: str) -> tuple[int, ...]:
        if len(word) > _MAX_WORD:
            return (self._numbers[UNKNOWN],)
        pieces = tuple(self._longest_pieces(word))
        return (self._numbers[UNKNOWN],) if None in pieces else pieces  # type: ignore[return-value]  # None is ruled out

    def _longest_pieces(self, word: str) -> Iterator[int | None]:
        """Yield the longest piece that fits, again and again; None where none does."""
        start = 0
        while start < len(word):
            mark = _CONTINUED if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if mark + word[start:end] in self._numbers), None)
            if end is None:
                yield None
                return
            yield self._numbers[mark + word[start:end]]
            start = end
