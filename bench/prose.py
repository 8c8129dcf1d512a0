"""Made-up prose of a given length, the same each time: words as frequent as words are.

The most frequent words are those that say nothing in English, four in ten of all; the others are
syllables. Frequencies follow Zipf and Mandelbrot, 1 / (rank + 2.7):
https://doi.org/10.3758/s13423-014-0585-6
"""

import numpy as np

from everturn.recall.language.language import ENGLISH

_WORDS, _SHIFT = 30_000, 2.7
_SYLLABLES = [
    first + second for first in "bcdfghklmnprstvz" for second in ("a", "e", "i", "o", "u")
]


class Prose:
    """Draws texts from one vocabulary, by a seed."""

    def __init__(self, seed: int = 7) -> None:
        self._random = np.random.default_rng(seed)
        silent = sorted(ENGLISH.stop_words, key=lambda word: (len(word), word))
        self._words = np.array([*silent, *map(_made_up, range(_WORDS - len(silent)))])
        shares = 1 / (np.arange(_WORDS) + 1 + _SHIFT)
        self._until = np.cumsum(shares / shares.sum())

    def words(self, count: int) -> list[str]:
        """Draw words."""
        drawn = np.searchsorted(self._until, self._random.random(count))
        return list(map(str, self._words[drawn.clip(max=_WORDS - 1)]))

    def text(self, size: int) -> str:
        """Draw a text of so many characters."""
        return f"{' '.join(self.words(size // 2))}."[:size]


def _made_up(number: int) -> str:
    word = ""
    number += len(_SYLLABLES)
    while number:
        number, syllable = divmod(number, len(_SYLLABLES))
        word += _SYLLABLES[syllable]
    return word
