"""The machine's clock with short waits and a far deadline, for tests with real threads."""

from everturn.adapters.system_clock import SystemClock

# Two cores serve eight writers and their server: they need shorter waits than eight Lambdas, and
# a slow machine must not end a test of what is stored by a deadline.
_SHORTER_WAITS = 2
_LATER_DEADLINE = 20


class FastClock(SystemClock):
    """Sleeps a part of what it is told, and its stopwatch runs slowly."""

    def sleep(self, seconds: float) -> None:
        """Wait a little."""
        super().sleep(seconds / _SHORTER_WAITS)

    def monotonic_s(self) -> float:
        """Seconds since some instant, each of them long."""
        return super().monotonic_s() / _LATER_DEADLINE
