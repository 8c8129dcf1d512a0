"""What the client takes from outside: time, waiting, randomness."""

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
