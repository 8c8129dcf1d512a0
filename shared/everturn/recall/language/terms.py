"""Turn a text into terms, which scoring by words compares.

A term is a hash. It is made of a stem, of a word of another script, or of an identifier as a whole.
Where a script has no spaces, it is made of two neighbouring characters. Identifiers such as
`0x52...9EE7`, `src/parse_v2.ts` and `MARK-77120431` are terms in addition to their parts.

Blocks that were recalled into a text are found, so that only the text outside them counts.
"""

import hashlib
import re
import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise

from everturn.recall.language.language import ENGLISH

TERMS_VERSION = 2
"""Part of every stored row: another version of these rules makes other terms."""

# What was recalled once must not be found, embedded and recalled again.
_RECALLED_TAG = re.compile(r"<recalled_memory\b|</recalled_memory\s*>", re.IGNORECASE)
# Letters and digits, with the marks that write vowels in the scripts of India and beyond.
# One class repeated is read much faster than a choice of two; the underscore is taken out before.
_WORD = re.compile(
    r"[\w\u0300-\u036f\u0900-\u0dff\u0e31-\u0e4e\u0eb1-\u0ece\u102b-\u103e\u17b4-\u17d3]+"
)
_ASCII_WORD = re.compile(r"[a-z0-9]+")
# What is as often left out as written: Latin accents, the points of Hebrew and Arabic.
_ACCENTS = re.compile(r"[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u064b-\u065f\u0670]+")
# Scripts that are written without spaces: kana, Han, Hangul, Thai, Lao, Khmer, Myanmar.
# Hangul has spaces, but its particles cling to the words.
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
    r"\U00020000-\U0003ffff]+"
)
# A path, an order number, a version, an address: one run with a digit or a slash inside. One class
# repeated is read once; marks that only begin or end it are cut off afterwards.
_RUN = re.compile(r"[\w#@./\\:+-]+", re.ASCII)
_NO_BEGIN, _NO_END = ".:+-", "#@.:+-"
_TELLING = re.compile(r"[\d_/\\@]", re.ASCII)
_PARTED = re.compile(r"[^a-z0-9]", re.ASCII)
_LEAST_IDENTIFIER = 3
# Longer ones are no words but data; nobody keeps a thousand of them in memory.
_LONGEST_WORD = 64
# A year has four digits and is no name; `50mph` is a number with its unit, `A1B2` is a name.
_LONG_NUMBER, _LONG_NAME, _SHORT_NAME = 5, 6, 4
_SMALL_NUMBERS = 100
_POSSESSIVE = re.compile(r"['\u2019]s\b")


def matchable_text(text: str) -> str:
    """Return what of a turn is matched and embedded: white space collapsed, recalled blocks out."""
    if "<" in text:
        text = " ".join(text[begin:end] for begin, end in outside_recalled(text))
    return " ".join(text.split())


Span = tuple[int, int]
"""Where a part of a text begins and ends, as indices of code points."""


def outside_recalled(text: str) -> Iterator[Span]:
    """Yield the parts of a text that are in no recalled block, in order; none is empty.

    A block inside another ends with it, one that is left open with the text.
    """
    depth = begin = 0
    for tag in _RECALLED_TAG.finditer(text):
        if not tag[0].startswith("</"):
            if not depth and begin < tag.start():
                yield begin, tag.start()
            depth += 1
        elif depth:
            depth, begin = depth - 1, tag.end()
    if not depth and begin < len(text):
        yield begin, len(text)


def hash_of_text(matchable: str) -> int:
    """Return 64 bits that tell one matchable text from another; 0 for none."""
    if not matchable:
        return 0
    data = matchable.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little") or 1


def terms_of(matchable: str) -> list[int]:
    """Return the terms of a text in its order, each as often as it comes; uint32 values.

    Words that say nothing are left out.
    """
    return terms_of_words(words_of(matchable))


def terms_of_words(words: Sequence[str]) -> list[int]:
    """Return the terms of words as `words_of` gives them; see `terms_of`."""
    has_long = max(map(len, words), default=0) > _LONGEST_WORD
    terms = map(term_of_word if has_long else _term, words)
    return [term for term in terms if term is not None]


def identifiers_of(matchable: str) -> list[int]:
    """Return the terms of the identifiers in a text as wholes: those that have several parts."""
    if not _TELLING.search(matchable):
        return []
    # Nearly all runs are letters alone and no identifiers.
    runs = (run for run in _RUN.findall(matchable) if not run.isalpha())
    found = (run.lstrip(_NO_BEGIN).rstrip(_NO_END).lower() for run in runs)
    return [_hashed(f"={text}") for text in found if _is_identifier(text)]


def naming_terms_of(matchable: str) -> list[int]:
    """Return the terms in a text that name one thing: identifiers, and long words with a digit."""
    words = [word for word in words_of(matchable) if _names_one(word)]
    return [*identifiers_of(matchable), *map(_hashed, words)]


@cache
def common_terms() -> frozenset[int]:
    """Return the terms of words that are said of anything: common ones, and small numbers."""
    numbers = map(str, range(_SMALL_NUMBERS))
    terms = map(term_of_word, (*ENGLISH.common_words, *numbers))
    return frozenset(term for term in terms if term is not None)


def _names_one(word: str) -> bool:
    if word.isdigit():
        return len(word) >= _LONG_NUMBER
    least = _SHORT_NAME if word[0].isalpha() else _LONG_NAME
    return len(word) >= least and any(map(str.isdigit, word)) and word.isascii()


def _is_identifier(text: str) -> bool:
    is_long = len(text) >= _LEAST_IDENTIFIER
    return is_long and bool(_TELLING.search(text)) and bool(_PARTED.search(text))


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, stop words included, accents left out."""
    if text.isascii():
        return _ASCII_WORD.findall(_POSSESSIVE.sub("", text.lower()))
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", text.casefold()))
    whole = _POSSESSIVE.sub("", unicodedata.normalize("NFC", plain))
    found = _WORD.findall(whole.replace("_", " "))
    return [part for word in found for part in _parts(word)]


def term_of_word(word: str) -> int | None:
    """Return the term of one word as `words_of` gives it; None for a stop word."""
    return _term(word) if len(word) <= _LONGEST_WORD else _hashed(word)


def _parts(word: str) -> list[str]:
    if word.isascii() or not _UNSPACED.search(word):
        return [word]
    parts: list[str] = []
    for run in _UNSPACED.findall(word):
        parts += [first + second for first, second in pairwise(run)] or [run]
    return parts + _UNSPACED.sub(" ", word).split()


# A conversation uses some thousand words again and again; stemming one costs 20 microseconds.
@lru_cache(maxsize=65_536)
def _term(word: str) -> int | None:
    if word in ENGLISH.stop_words:
        return None
    return _hashed(ENGLISH.stem(ENGLISH.irregular_forms.get(word, word)))


def _hashed(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))
