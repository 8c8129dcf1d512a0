"""Virtual time: actors in threads, of which one runs at any instant, in the order of instants.

Nothing waits for real: whoever waits hands over to whom the next instant belongs, which takes some
microseconds.
"""

import heapq
import threading
from collections.abc import Callable
from itertools import count

NS = 1_000_000_000


class _Baton:
    """Lets one thread run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()

    def hand_over(self) -> None:
        self._lock.release()

    def take(self) -> None:
        self._lock.acquire()


class Timeline:
    """The instants of one run, and who acts at each."""

    def __init__(self, start_ns: int = 1_767_225_600 * NS) -> None:
        """Start at this Unix time (default 2026-01-01T00:00:00Z)."""
        self.now_ns = start_ns
        self._events: list[tuple[int, int, _Baton | Callable[[], None]]] = []
        self._numbers = count()
        self._running = self._main = _Baton()
        self._errors: list[BaseException] = []

    def at(self, when_ns: int, act: Callable[[], None]) -> None:
        """Let something happen at an instant; it does not wait itself."""
        heapq.heappush(self._events, (when_ns, next(self._numbers), act))

    def spawn(self, act: Callable[[], None], *, at_ns: int) -> None:
        """Let an actor begin at an instant; it may wait."""
        baton = _Baton()
        heapq.heappush(self._events, (at_ns, next(self._numbers), baton))
        threading.Thread(target=self._act, args=(baton, act), daemon=True).start()

    def wait_until(self, when_ns: int) -> None:
        """Let the actor that calls go on at this instant."""
        baton = self._running
        heapq.heappush(self._events, (when_ns, next(self._numbers), baton))
        following = self._next()
        if following is not baton:
            assert following is not None
            following.hand_over()
            baton.take()
        self._running = baton

    def run(self) -> None:
        """Run until nothing is left to happen.

        Raises:
            BaseException: what the first actor that failed has raised.
        """
        following = self._next()
        if following is not None:
            following.hand_over()
            self._main.take()
        self._running = self._main
        if self._errors:
            raise self._errors[0]

    def _act(self, baton: _Baton, act: Callable[[], None]) -> None:
        baton.take()
        self._running = baton
        try:
            act()
        except BaseException as error:  # noqa: BLE001  # raised again by `run`
            self._errors.append(error)
        (self._next() or self._main).hand_over()

    def _next(self) -> _Baton | None:
        """Let happen what needs no thread, up to the next thread's turn; None at the end."""
        while self._events:
            when_ns, _, event = heapq.heappop(self._events)
            self.now_ns = max(self.now_ns, when_ns)
            if isinstance(event, _Baton):
                return event
            event()
        return None


class VirtualClock:
    """The clock of one machine: it may go wrong by a fixed time, and sleeping hands over."""

    def __init__(self, timeline: Timeline, *, ahead_ns: int = 0) -> None:
        """Show the time of `timeline`, so far ahead."""
        self._timeline = timeline
        self._ahead_ns = ahead_ns

    def now_ns(self) -> int:
        """Unix time in nanoseconds."""
        return self._timeline.now_ns + self._ahead_ns

    def monotonic_s(self) -> float:
        """Seconds of the same time."""
        return self._timeline.now_ns / NS

    def sleep(self, seconds: float) -> None:
        """Hand over for so long."""
        self._timeline.wait_until(self._timeline.now_ns + round(seconds * NS))
