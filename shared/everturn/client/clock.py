"""Time, waiting and randomness: what the client takes from outside, and the system's own."""

import asyncio
import os
import time
from typing import Protocol


class Stopwatch(Protocol):
    """Wall time, and time that never steps back."""

    def now_ns(self) -> int:
        """Unix time in nanoseconds; may step back."""
        ...

    def monotonic_s(self) -> float:
        """Seconds since some instant; never steps back."""
        ...


class Clock(Stopwatch, Protocol):
    """What `Everturn` tells time by, and waits with."""

    def sleep(self, seconds: float) -> None:
        """Wait this long."""
        ...


class AsyncClock(Stopwatch, Protocol):
    """What `AsyncEverturn` tells time by, and waits with."""

    async def sleep(self, seconds: float) -> None:
        """Wait this long, and let others work meanwhile."""
        ...


class Entropy(Protocol):
    """Unpredictable bytes."""

    def token(self, size: int) -> bytes:
        """Return `size` bytes that nobody can guess and no other process has drawn."""
        ...


class SystemStopwatch:
    """The machine's clock."""

    def now_ns(self) -> int:
        """Unix time in nanoseconds."""
        return time.time_ns()

    def monotonic_s(self) -> float:
        """Seconds since some instant."""
        return time.monotonic()


class SystemClock(SystemStopwatch):
    """The machine's clock, which blocks while it waits."""

    def sleep(self, seconds: float) -> None:
        """Wait this long."""
        time.sleep(seconds)


class AsyncSystemClock(SystemStopwatch):
    """The machine's clock, which lets others work while it waits."""

    async def sleep(self, seconds: float) -> None:
        """Wait this long."""
        await asyncio.sleep(seconds)


class SystemEntropy:
    """`os.urandom`: unique even in a process that was forked or cloned from a snapshot."""

    def token(self, size: int) -> bytes:
        """Return `size` bytes."""
        return os.urandom(size)
