"""What happened in a run, line by line, for whoever looks into a seed that failed."""

from everturn.errors import EverturnError
from fakes.wrapped_store import Verb
from simulator.calls import Call
from simulator.fates import Fate


class Trace:
    """Lines, made only when they are read."""

    def __init__(self, start_ns: int) -> None:
        """Count time from here."""
        self._start_ns = start_ns
        self._entries: list[tuple[int, Call, tuple[object, ...]]] = []

    def request(self, now_ns: int, call: Call, verb: Verb, key: str, fate: Fate) -> None:
        """A request is sent."""
        told = () if fate is Fate.FINE else (fate.name, fate.value)
        self._entries.append((now_ns, call, ("sends", verb, key, *told)))

    def done(self, now_ns: int, call: Call, verb: Verb, key: str) -> None:
        """A write is done."""
        self._entries.append((now_ns, call, ("  done", verb, key)))

    def refused(self, now_ns: int, call: Call, verb: Verb, key: str, error: EverturnError) -> None:
        """A request is refused with a cause."""
        self._entries.append((now_ns, call, ("  refused", verb, key, type(error).__name__)))

    def told(self, now_ns: int, call: Call) -> None:
        """A call has ended."""
        self._entries.append((now_ns, call, ("ends:", call.told)))

    def said(self, now_ns: int, call: Call, *words: object) -> None:
        """Anything else."""
        self._entries.append((now_ns, call, words))

    def __str__(self) -> str:
        """Return all lines; times in seconds from the start."""
        return "\n".join(
            f"{(now_ns - self._start_ns) / 1e9:11.3f} {call.name:24} {' '.join(map(str, words))}"
            for now_ns, call, words in self._entries
        )
