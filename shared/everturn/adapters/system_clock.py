"""Time and randomness from the operating system, and hand-driven fakes of both for tests."""

import hashlib
import os
import threading
import time


class SystemClock:
    """The machine's clock."""

    def now_ns(self) -> int:
        """Unix time in nanoseconds."""
        return time.time_ns()

    def monotonic_s(self) -> float:
        """Seconds since some instant."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait this long."""
        time.sleep(seconds)


class SystemEntropy:
    """`os.urandom`: unique even in a process that SnapStart has cloned."""

    def token(self, size: int) -> bytes:
        """Return `size` bytes."""
        return os.urandom(size)


class ManualClock:
    """A clock that moves only when told to, or by what somebody sleeps."""

    def __init__(self, now_ns: int = 1_767_225_600_000_000_000) -> None:
        """Start at this Unix time in nanoseconds (default 2026-01-01T00:00:00Z)."""
        self._now_ns = now_ns

    def now_ns(self) -> int:
        """Unix time in nanoseconds."""
        return self._now_ns

    def monotonic_s(self) -> float:
        """Seconds of the same clock."""
        return self._now_ns / 1e9

    def sleep(self, seconds: float) -> None:
        """Move the clock on."""
        self._now_ns += round(seconds * 1e9)


class SeededEntropy:
    """SHA-256 of a seed and a counter: looks random, the same in every run; thread-safe."""

    def __init__(self, seed: str = "") -> None:
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
