"""The doors to time and to randomness; nothing else in the package reads either.

Randomness is a port because AWS SnapStart clones a process with its generators: only the operating
system's source stays unique. https://docs.aws.amazon.com/lambda/latest/dg/snapstart-uniqueness.html
"""

from typing import Protocol


class Clock(Protocol):
    """Wall time, a steady stopwatch, and waiting."""

    def now_ns(self) -> int:
        """Unix time in nanoseconds; may step back."""
        ...

    def monotonic_s(self) -> float:
        """Seconds since some instant; never steps back."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait this long."""
        ...


class Entropy(Protocol):
    """Unpredictable bytes."""

    def token(self, size: int) -> bytes:
        """Return `size` bytes that nobody can guess and no other process has drawn."""
        ...
