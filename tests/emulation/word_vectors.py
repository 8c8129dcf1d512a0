"""Vectors of a model that knows nothing but words: texts that share words are near each other."""

import hashlib
import math


def word_vector(text: str, dimensions: int) -> list[float]:
    """Return the sum of one fixed vector per word, not of unit length; the same in every run."""
    total = [0.0] * dimensions
    for word in text.lower().split() or [text]:
        # Each word has its own directions, and more of them than one.
        data = word.encode("utf-8", "surrogatepass")
        for turn in range(4):
            digest = hashlib.sha256(b"%d %s" % (turn, data)).digest()
            place = int.from_bytes(digest[:4], "big") % dimensions
            total[place] += 1.0 if digest[4] & 1 else -1.0
    return total if any(total) else [1.0 / math.sqrt(dimensions)] * dimensions
