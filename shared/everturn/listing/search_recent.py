"""Search the newest turns of a scope.

Heads and segments in parallel, only those that can matter.
"""

from collections import Counter
from collections.abc import Iterable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import NamedTuple

from everturn.conversations.model.head import Record
from everturn.conversations.model.segment_refs import SegmentRef
from everturn.conversations.model.summary import make_title, shown_title
from everturn.conversations.read_record import read_record
from everturn.conversations.segments import READERS, read_segments
from everturn.errors import AccessDeniedError, CorruptRecordError, GoneError
from everturn.listing.model.newest_shelf import NewestShelf
from everturn.listing.model.recent_items import Place, RecentItem, Wanted
from everturn.listing.recent_sources import Source, Sources, segments_of
from everturn.ports.object_store import ObjectStore
from everturn.values.keys import Scope

# A segment goes where a turn in it is redacted or popped; the head then names another one.
_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Opened:
    """What a source held: items, and the segments that are to be looked into as well."""

    items: tuple[RecentItem, ...] = ()
    sources: tuple[Source, ...] = ()
    is_bad: bool = False


class _Known(NamedTuple):
    """What the newest head read of a conversation says."""

    title: str
    turn_count: int
    segments: frozenset[str]


_NOTHING = _Known("", 0, frozenset())


@dataclass(slots=True)
class RecentSearch:
    """One search under way."""

    data: ObjectStore
    scope: Scope
    wanted: Wanted
    sources: Sources
    shelf: NewestShelf
    skipped: set[str] = field(default_factory=set)
    """Conversations of which something cannot be read."""
    read: int = 0
    """How many heads and segments were opened."""
    _known: dict[str, _Known] = field(default_factory=dict)
    _heads: Counter[str] = field(default_factory=Counter)
    _segments: set[Source] = field(default_factory=set)

    def step(self, executor: Executor, *, count: int) -> bool:
        """Open the next sources, at most `count` of them; False where no further one matters.

        Raises:
            AccessDeniedError, UnavailableError: the store does not answer.
        """
        wave = self.sources.wave(min(count, READERS), self.matters)
        self.read += len(wave)
        found: set[Source] = set()
        for source, opened in zip(wave, executor.map(self._open, wave), strict=True):
            if opened.is_bad:
                self.skipped.add(source.conversation_id)
            self.shelf.add(opened.items)
            found.update(opened.sources)
        self._push(found)
        return bool(wave)

    def _push(self, found: Iterable[Source]) -> None:
        """Queue sources: segments that are not opened yet, and a head once."""
        heads = {source.conversation_id: source for source in found if not source.name}
        for source in heads.values():
            self.sources.push(source)
        for source in found:
            if source.name and source not in self._segments:
                self.sources.push(source)

    @property
    def left(self) -> Place | None:
        """Where the best item can stand that was not looked for; None if there is none."""
        source = self.sources.best()
        return source.best if source and self.matters(source) else None

    def matters(self, source: Source) -> bool:
        """Say whether a source can hold a turn that is wanted and not yet outdone."""
        return -source.bound[0] >= self.wanted.since_ns and self.shelf.takes(source.best)

    def _open(self, source: Source) -> Opened:
        try:
            return self._open_segment(source) if source.name else self._open_head(source)
        except (CorruptRecordError, AccessDeniedError):
            return Opened(is_bad=True)
        except GoneError:
            # Read the head again: it names what stands there now.
            return Opened(sources=(Source(source.bound),))

    def _open_head(self, source: Source) -> Opened:
        id_ = source.conversation_id
        self._heads[id_] += 1
        if self._heads[id_] > _ATTEMPTS:
            raise CorruptRecordError(f"a segment is missing conversation={id_}")
        found = read_record(store=self.data, scope=self.scope, conversation_id=id_)
        if found is None or found.record.head.deleted is not None:
            self._known[id_] = _NOTHING
            return Opened()
        head = found.record.head
        names = head.sealed.names if head.sealed else frozenset()
        self._known[id_] = _Known(make_title(shown_title(found.record)), head.turn_count, names)
        items = self._items(found.record, head.first_turn, id_)
        return Opened(items, tuple(segments_of(id_, head.sealed)))

    def _open_segment(self, source: Source) -> Opened:
        id_ = source.conversation_id
        if source.name not in self._known[id_].segments:
            return Opened()
        [record] = read_segments(
            store=self.data, scope=self.scope, conversation_id=id_, names=[source.name]
        )
        self._segments.add(source)
        return Opened(self._items(record, SegmentRef(source.name, 0).first, id_))

    def _items(self, record: Record, first: int, id_: str) -> tuple[RecentItem, ...]:
        known = self._known[id_]
        found = self.wanted.find(
            record.values,
            first=first,
            is_end=first + len(record.values) >= known.turn_count,
            conversation_id=id_,
            title=known.title,
        )
        return tuple(item for item in found if self.shelf.takes(item.place))
