"""Time and randomness from the operating system, and hand-driven fakes of both for tests.

Not here: deciding anything about time.
"""

import os
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


class CountingEntropy:
    """Bytes that count up: reproducible, and unique in one process."""

    def __init__(self) -> None:
        """Start at zero."""
        self._drawn = 0

    def token(self, size: int) -> bytes:
        """Return the next number in `size` bytes."""
        self._drawn += 1
        return self._drawn.to_bytes(size, "big")
