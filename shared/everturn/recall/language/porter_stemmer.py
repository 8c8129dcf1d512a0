"""English word stems after Porter (1980), so that "moved" finds "moving".

M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980:
https://tartarus.org/martin/PorterStemmer/def.txt
"""

import re

_MEASURE = re.compile("v+c+")
_STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"),
    ("abli", "able"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"),
    ("ization", "ize"), ("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("iveness", "ive"),
    ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"),
)  # fmt: skip
_STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"),
    ("ful", ""), ("ness", ""),
)  # fmt: skip
# Longest first, as the paper asks.
_STEP_4 = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous",
    "ive", "ize", "al", "er", "ic", "ou",
)  # fmt: skip
_SHORT = 2


def stem(word: str) -> str:
    """Return the stem of a lower-case ASCII word; what is no such word comes back as it is."""
    if len(word) <= _SHORT or not (word.isascii() and word.isalpha()):
        return word
    word = _without_past(_without_plural(word))
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(_replaced(word, _STEP_2), _STEP_3)
    return _tidied(_without_suffix(word))


def _shape(word: str) -> str:
    """Return `c` for a consonant and `v` for a vowel, letter by letter."""
    shape = ""
    for letter in word:
        is_vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if is_vowel else "c"
    return shape


def _measure(word: str) -> int:
    """Return the paper's m: how many times a consonant follows a vowel."""
    return len(_MEASURE.findall(_shape(word)))


def _has_vowel(word: str) -> bool:
    return "v" in _shape(word)


def _doubled(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _shape(word)[-1] == "c"


def _short_end(word: str) -> bool:
    """Whether it ends consonant, vowel, consonant, the last not w, x or y."""
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"


def _without_plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _without_past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        rest = word.removesuffix(suffix)
        if rest != word and _has_vowel(rest):
            return _mended(rest)
    return word


def _mended(word: str) -> str:
    """Give back what a past or a participle took: hop(p)ing, fil(e)ing, conflat(e)d."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if _doubled(word) and word[-1] not in "lsz":
        return word[:-1]
    return word + "e" if _measure(word) == 1 and _short_end(word) else word


def _replaced(word: str, table: tuple[tuple[str, str], ...]) -> str:
    for suffix, instead in table:
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            return rest + instead if _measure(rest) > 0 else word
    return word


def _without_suffix(word: str) -> str:
    for suffix in _STEP_4:
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            return rest if _measure(rest) > 1 else word
    rest = word.removesuffix("ion")
    return rest if rest != word and rest.endswith(("s", "t")) and _measure(rest) > 1 else word


def _tidied(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not _short_end(rest)):
            word = rest
    return word[:-1] if _doubled(word) and word[-1] == "l" and _measure(word) > 1 else word
