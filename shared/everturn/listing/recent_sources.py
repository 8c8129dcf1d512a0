"""What may hold recent turns, best first: heads that a list knows of, segments that heads name."""

import heapq
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from everturn.conversations.model.segment_refs import Sealed
from everturn.listing.model.cached_row import Place
from everturn.listing.model.recent_items import Place as ItemPlace


class Span(NamedTuple):
    """A conversation in its place, and the times between which its turns lie; Unix nanoseconds."""

    place: Place
    """Its greatest time negated, that of its last write or of its newest turn; and its id."""
    newest_ns: int
    oldest_ns: int = 0


class Source(NamedTuple):
    """A head, or with a name a segment of it; the best one is the smallest."""

    bound: Place
    """A time negated, and the conversation: none of its turns here is newer."""
    last: int = -(2**63)
    """The greatest number of a turn here, negated; of a head nobody knows it before."""
    name: str = ""

    @property
    def conversation_id(self) -> str:
        """Whose turns it holds."""
        return self.bound[1]

    @property
    def best(self) -> ItemPlace:
        """Where none of its turns stands before."""
        return *self.bound, self.last


class Sources:
    """A queue of sources; heads come in from the spans only as their turn comes."""

    def __init__(self, spans: Iterable[Span]) -> None:
        """Take the spans of conversations in the order of their places."""
        self._spans: Iterator[Span] = iter(spans)
        self._next: Span | None = next(self._spans, None)
        self._queue: list[Source] = []

    def push(self, source: Source) -> None:
        """Put a source in its place."""
        heapq.heappush(self._queue, source)

    def best(self) -> Source | None:
        """Return the best source that is left; None without any."""
        while self._next and not (self._queue and self._queue[0].bound < self._next.place):
            self.push(Source((-max(self._next.newest_ns, 0), self._next.place[1])))
            self._next = next(self._spans, None)
        return self._queue[0] if self._queue else None

    def wave(self, count: int, matters: Callable[[Source], bool]) -> list[Source]:
        """Take up to so many of the best sources, as long as they matter."""
        wave: list[Source] = []
        while len(wave) < count and (best := self.best()) and matters(best):
            wave.append(heapq.heappop(self._queue))
        return wave


def segments_of(conversation_id: str, sealed: Sealed | None) -> Iterator[Source]:
    """Yield a source for each segment of a conversation."""
    for ref in sealed.segments if sealed else ():
        yield Source((-max(ref.newest_ns, 0), conversation_id), -ref.last, ref.name)
