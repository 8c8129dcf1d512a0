"""Vectors without a model: words and parts of words, hashed; the same on every machine.

Two texts are near each other only as far as they share spelling, which a good search for words
finds better; so it says that it is not `semantic`, and nothing is ranked by it.

The hashing trick with signs: https://arxiv.org/abs/0902.2206
"""

import re
import unicodedata
import zlib
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from everturn.ports.embedder import Purpose, Vectors
from everturn.values.visible_text import sent_text

_DIMENSIONS: Final = 256
_MAX_TEXT_BYTES: Final = 24_000
_WORDS: Final = re.compile(r"\w+")
# Letters count by threes, across the ends of words, for scripts without spaces and for endings; a
# word has about as many of them as letters, so that all of them weigh as much as the word.
_GRAM: Final = 3
_GRAM_WEIGHT: Final = 0.25

_Codes = NDArray[np.uint64]


class HashEmbedder:
    """Signed feature hashing to 256 dimensions; a change of it is another `model`."""

    model: Final = f"hash-{_DIMENSIONS}.1"
    dimensions: Final = _DIMENSIONS
    semantic: Final = False
    max_batch: Final = 1_024

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Vectors:
        """Embed texts in the order given; see ports/embedder.py. Asks nobody and never fails."""
        del purpose
        rows = np.zeros((len(texts), _DIMENSIONS), dtype=np.float32)
        for number, text in enumerate(texts):
            rows[number] = _row(sent_text(text, max_bytes=_MAX_TEXT_BYTES))
        return rows


def _row(text: str) -> NDArray[np.float64]:
    folded = unicodedata.normalize("NFKC", text).casefold()
    # A text of signs alone, such as emoji, has no word.
    words = _WORDS.findall(folded) or folded.split()
    row = _hashed(np.array([zlib.crc32(word.encode()) for word in words], dtype=np.uint64))
    row += _GRAM_WEIGHT * _hashed(_grams(f" {' '.join(words)} "))
    length = np.linalg.norm(row)
    # Opposite signs may cancel all there is.
    return row / length if length else row


def _grams(text: str) -> _Codes:
    codes = np.frombuffer(text.encode("utf-32-le"), dtype="<u4").astype(np.uint64)
    if len(codes) < _GRAM:
        return codes[:0]
    # A code point takes 21 bits, so that three of them are one number.
    return codes[:-2] << np.uint64(42) | codes[1:-1] << np.uint64(21) | codes[2:]


def _hashed(features: _Codes) -> NDArray[np.float64]:
    # The end of splitmix64, which spreads every bit over all others.
    # https://prng.di.unimi.it/splitmix64.c
    mixed = (features ^ features >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ mixed >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    places = (mixed % np.uint64(_DIMENSIONS)).astype(np.intp)
    signs = np.where(mixed >> np.uint64(63), 1.0, -1.0)
    return np.bincount(places, weights=signs, minlength=_DIMENSIONS).astype(np.float64)
