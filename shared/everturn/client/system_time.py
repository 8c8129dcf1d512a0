"""Time, waiting and randomness from the operating system."""

import asyncio
import os
import time


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
