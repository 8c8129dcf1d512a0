"""Where in a text the words stand that somebody says he copied from it.

What nobody sees makes no difference: white space, case, typographic quotes, joiners; nor does what
makes markup inert.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from everturn.recall.language.recalled_blocks import Span

MAX_QUOTE_CHARS: Final = 500
"""As much as shows what was said; the whole turn is to be had by its number."""

# What values/prompt_text.py writes for the first character of markup.
_INERT: Final = {"&lt;": "<", "&#91;": "["}
_TOKEN = re.compile(r"&lt;|&#91;|\s+|.", re.DOTALL)
_TYPED = str.maketrans("\u2018\u2019\u201c\u201d\u00ab\u00bb\u2013\u2014", '\'\'""""--')
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs"})
# A model may leave out the middle, or copy the head of the line.
_ELLIPSIS = re.compile(r"\[?(?:\.{3,}|\u2026)\]?")
_LINE_HEAD = re.compile(r"^[^#\n]{0,160}#\d+(?: \d{4}-\d\d-\d\dT\d\d:\d\dZ)?: ")
_ENDS: Final = " \t\n\"'`.,;:!?\u2018\u2019\u201c\u201d\u00ab\u00bb"
# Thai and what follows it is written without spaces: every place is between two words.
_FIRST_UNSPACED: Final = 0x0E00
# A quote that stands in this many words as a part is a letter, and no quote.
_MOST_PLACES: Final = 100


class FoldedText:
    """A text as it is compared, and where each of its characters comes from."""

    def __init__(self, text: str, parts: Sequence[Span]) -> None:
        """Fold the parts of a text; a quote may not go over the border of one."""
        self._text = text
        self._folded = [_fold(text, *part) for part in parts]

    def find(self, quote: str) -> Span | None:
        """Return where a quote stands in the text: whole words, at most `MAX_QUOTE_CHARS`.

        Returns:
            None if it does not, or says nothing.
        """
        for said in _readings(quote):
            for folded, begins, ends in self._folded:
                at = _place_of(said, folded)
                if at is not None:
                    begin, end = begins[at], ends[at + len(said) - 1]
                    return begin, cut_end(self._text, begin, end)
        return None


def cut_end(text: str, begin: int, end: int) -> int:
    """Return where a quote from `begin` ends that may be no longer than `MAX_QUOTE_CHARS`."""
    if end - begin <= MAX_QUOTE_CHARS:
        return end
    words = re.search(r"\s+\S*\Z", text[begin : begin + MAX_QUOTE_CHARS + 1])
    return begin + (words.start() if words and words.start() else MAX_QUOTE_CHARS)


def _readings(quote: str) -> list[str]:
    """Return what may have been copied, most likely first; what holds no letter is nothing."""
    whole = _LINE_HEAD.sub("", quote)
    parts = sorted(_ELLIPSIS.split(whole), key=len, reverse=True)
    folded = (_fold(text, 0, len(text))[0].strip(_ENDS) for text in (whole, parts[0]))
    return [text for text in dict.fromkeys(folded) if any(map(str.isalnum, text))]


def _fold(text: str, begin: int, end: int) -> tuple[str, list[int], list[int]]:
    """Return a part of a text folded, and where each character of that begins and ends."""
    folded: list[str] = []
    begins: list[int] = []
    ends: list[int] = []
    for token in _TOKEN.finditer(text, begin, end):
        for char in _folded_token(token[0]):
            folded.append(char)
            begins.append(token.start())
            ends.append(token.end())
    return "".join(folded), begins, ends


def _folded_token(read: str) -> str:
    if read.isspace():
        return " "
    if len(read) > 1:
        return _INERT[read]
    is_plain = " " <= read <= "~"
    if not is_plain and unicodedata.category(read) in _UNSEEN:
        return ""
    return read.translate(_TYPED).casefold()


def _place_of(said: str, folded: str) -> int | None:
    """Return where words stand as a whole: a part of a word is another word."""
    at = -1
    for _ in range(_MOST_PLACES):
        at = folded.find(said, at + 1)
        if at < 0:
            return None
        if not _joins(folded, at) and not _joins(folded, at + len(said)):
            return at
    return None


def _joins(text: str, at: int) -> bool:
    """Say whether an index is inside a word."""
    around = text[max(0, at - 1) : at + 1]
    return len(around) > 1 and all(map(_is_of_word, around))


def _is_of_word(char: str) -> bool:
    return (char.isalnum() or char == "_") and ord(char) < _FIRST_UNSPACED
