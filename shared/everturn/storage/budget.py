"""How much one call may do before it stops and says where to go on."""

import threading

from everturn.ports.clock import Clock


class Budget:
    """Seconds, and requests that read; safe under threads. What was begun is ended all the same."""

    def __init__(self, *, clock: Clock, seconds: float, reads: int | None = None) -> None:
        """Start the stopwatch; `reads` counts listings and objects read, None for any number."""
        self._clock = clock
        self._end_s = clock.monotonic_s() + seconds
        self._reads = reads
        self._lock = threading.Lock()

    def spend(self, reads: int = 1) -> None:
        """Take note of requests."""
        with self._lock:
            self._reads = None if self._reads is None else self._reads - reads

    @property
    def is_over(self) -> bool:
        """Whether nothing more may begin."""
        return (self._reads is not None and self._reads <= 0) or (
            self._clock.monotonic_s() >= self._end_s
        )
