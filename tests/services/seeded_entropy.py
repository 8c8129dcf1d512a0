"""Bytes that look random and are the same in every run.

Not here: the entropy that counts up (everturn.adapters.system_clock), whose shares are all near 0,
so that a loop that waits by them never reaches its deadline.
"""

import hashlib
import threading


class SeededEntropy:
    """SHA-256 of a seed and a counter; safe under threads."""

    def __init__(self, seed: str) -> None:
        """Start at the seed's first block."""
        self._seed = seed
        self._drawn = 0
        self._lock = threading.Lock()

    def token(self, size: int) -> bytes:
        """Return `size` bytes, at most 32."""
        with self._lock:
            self._drawn += 1
            drawn = self._drawn
        return hashlib.sha256(f"{self._seed} {drawn}".encode()).digest()[:size]

    def share(self) -> float:
        """Return a number in [0, 1)."""
        return int.from_bytes(self.token(4), "big") / 2**32
