"""Time that moves when somebody waits, and bytes that are the same in every run."""

import hashlib

from everturn.client.clock import AsyncSystemClock

# Of the present, so that a server does not take it for a clock that is wrong.
_START_NS = 1_767_225_600_123_456_789


class HandClock:
    """Moves on by what is waited for; `waits` says how long, in seconds, in order."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self._ns = _START_NS

    def now_ns(self) -> int:
        return self._ns

    def monotonic_s(self) -> float:
        return self._ns / 1e9

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.pass_by(seconds)

    def pass_by(self, seconds: float) -> None:
        self._ns += round(seconds * 1e9)


class AsyncHandClock(HandClock):
    """The same for tasks."""

    async def sleep(self, seconds: float) -> None:  # type: ignore[override]  # awaited
        HandClock.sleep(self, seconds)


class AsyncSkippingClock(AsyncSystemClock):
    """The machine's time for tasks, and on top of it what was waited for, which takes none."""

    def __init__(self) -> None:
        self._skipped_ns = 0

    def now_ns(self) -> int:
        return super().now_ns() + self._skipped_ns

    def monotonic_s(self) -> float:
        return super().monotonic_s() + self._skipped_ns / 1e9

    async def sleep(self, seconds: float) -> None:
        self._skipped_ns += round(seconds * 1e9)


class LongestWaits:
    """Draws the highest number there is: of any wait that is left to chance, the longest."""

    def token(self, size: int) -> bytes:
        return b"\xff" * size


class HandEntropy:
    """SHA-256 of a counter."""

    def __init__(self) -> None:
        self._drawn = 0

    def token(self, size: int) -> bytes:
        self._drawn += 1
        return hashlib.sha256(str(self._drawn).encode()).digest()[:size]
