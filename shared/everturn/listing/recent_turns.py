"""Read the newest turns across all conversations of a scope, or questions with their answers.

Heads and segments are read in parallel, and only those that can hold one of the newest turns. With
the list, ten turns of a thousand conversations cost at most eleven heads. Answers beyond the turns
that were read come from the next segment.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from everturn.conversations.model.head import Record
from everturn.conversations.model.segment_refs import SegmentRef
from everturn.conversations.model.summary import make_title, shown_title
from everturn.conversations.model.turn import Turn
from everturn.conversations.read_conversation import DEFAULT_LIMIT, MAX_ANSWER_BYTES
from everturn.conversations.read_record import StoredRecord, read_record
from everturn.conversations.read_segments import oldest_turns, read_whole
from everturn.conversations.segments import READERS, read_segments
from everturn.errors import (
    AccessDeniedError,
    CorruptRecordError,
    GoneError,
    InvalidRequestError,
    NotFoundError,
    UnavailableError,
)
from everturn.listing.model.recent_items import (
    NewestShelf,
    Place,
    RecentItem,
    Wanted,
    is_answer,
    is_question,
    turn_size,
)
from everturn.listing.recent_sources import Source, Sources, Span, segments_of
from everturn.listing.walk_rows import open_rows
from everturn.ports.clock import Clock
from everturn.ports.object_store import ObjectStore
from everturn.values.cursors import RecentCursor, parse_recent_cursor
from everturn.values.keys import Scope
from everturn.values.timestamps import EVER, TimeWindow

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


# A request ends within 20 s. A wave that began in time may take S3 some seconds more.
_BUDGET_S: Final = 10.0
# What surrounds the items in an answer.
_FRAME_BYTES: Final = 65_536
_MAX_BYTES: Final = MAX_ANSWER_BYTES - _FRAME_BYTES


@dataclass(frozen=True, slots=True)
class RecentPage:
    """Items, newest first; how many conversations were unreadable, how many objects were read."""

    items: tuple[RecentItem, ...]
    next_cursor: str | None
    skipped: int
    read: int
    repairs: int
    """As of a list: how many files of its cache were lost or broken."""


def recent_turns(
    *,
    data: ObjectStore,
    derived: ObjectStore,
    clock: Clock,
    scope: Scope,
    limit: int | None = None,
    cursor: str | None = None,
    window: TimeWindow = EVER,
    roles: Collection[str] = (),
    pairs: bool = False,
) -> RecentPage:
    """Read one page of a scope's turns, newest `ts` first.

    A walk by cursors repeats no turn and misses none whose `ts` has not changed; what is said
    meanwhile is newer than the cursor, unless its `ts` says otherwise.

    Args:
        data: where heads and segments lie.
        derived: where the list's cache lies.
        clock: says when to stop: after ten seconds what is certain is answered, with a cursor.
        scope: whose turns.
        limit: how many items at most, 50 by default.
        cursor: of the page before.
        window: when they were said; of a pair its question.
        roles: only turns of these roles; all if empty.
        pairs: questions with their answers instead of turns.

    Raises:
        InvalidRequestError: `cursor` is none of recent turns, or `roles` are given with `pairs`.
        AccessDeniedError: the store does not list.
        UnavailableError: the store does not answer, or ten seconds were not enough to be certain of
            any turn: more conversations reach into this time than can be read at once.
    """
    if pairs and roles:
        raise InvalidRequestError("pairs are chosen by their question", field="roles")
    after = None if cursor is None else parse_recent_cursor(cursor)
    wanted = Wanted(window, frozenset(roles), pairs, after)
    limit = limit or DEFAULT_LIMIT
    end_s = clock.monotonic_s() + _BUDGET_S
    shelf = NewestShelf(limit, max_bytes=_MAX_BYTES)
    with (
        ThreadPoolExecutor(READERS) as executor,
        open_rows(data=data, derived=derived, scope=scope, clock=clock) as rows,
    ):
        spans = (Span(row.place, row.newest_ns, row.oldest_ns) for row in rows.newest_turn_first())
        sources = Sources(span for span in spans if _reaches(span, wanted))
        search = RecentSearch(data, scope, wanted, sources, shelf)
        wave = limit + 1
        while search.step(executor, count=wave) and clock.monotonic_s() < end_s:
            wave = READERS
        sure = shelf.fitting(shelf.before(search.left))
        items = shelf.fitting(_finished(sure, search, executor)) if pairs else sure
        return RecentPage(
            tuple(items),
            _next_cursor(items, search),
            rows.skipped + len(search.skipped),
            rows.read + search.read,
            rows.repairs,
        )


def _reaches(span: Span, wanted: Wanted) -> bool:
    """Say whether anything of a conversation can be old enough."""
    return wanted.end_ns is None or max(span.oldest_ns, 0) <= wanted.end_ns


def _finished(
    items: Sequence[RecentItem], search: RecentSearch, executor: Executor
) -> list[RecentItem]:
    """Return pairs with all of their answers, or as many as an answer takes."""

    def finished(item: RecentItem) -> RecentItem:
        if not item.is_open:
            return item.cut_to(_MAX_BYTES)
        pair = finish_pair(item, store=search.data, scope=search.scope, max_bytes=_MAX_BYTES)
        return pair.cut_to(_MAX_BYTES)

    return list(executor.map(finished, items))


def _next_cursor(items: Sequence[RecentItem], search: RecentSearch) -> str | None:
    left = search.left
    if left is None and not search.shelf.is_full:
        return None
    if items:
        return items[-1].cursor.encode()
    end_ns = search.wanted.end_ns
    # Time was up: nothing wanted is newer than what is left.
    if left is None or (end_ns is not None and -left[0] >= end_ns):
        raise UnavailableError("too many conversations reach into this time, ask for less of it")
    return RecentCursor(-left[0], "", 0).encode()


# Most questions have one answer or two; a segment is opened only where so few do not come first.
_LIKELY_TURNS = 4


def finish_pair(
    item: RecentItem, *, store: ObjectStore, scope: Scope, max_bytes: int
) -> RecentItem:
    """Return a pair with its answers, not many more than `max_bytes` of them.

    Where the conversation is gone by now, or cannot be read, the pair stays as it is: cut.

    Raises:
        UnavailableError: the store does not answer.
    """

    def read(found: StoredRecord) -> RecentItem:
        turns = oldest_turns(
            found, store=store, scope=scope, first=item.turn.index, wanted=_LIKELY_TURNS
        )
        question = next(turns, None)
        # Under the same id another conversation may stand by now.
        if question is None or (question.index, question.ts) != (item.turn.index, item.turn.ts):
            return cut
        answers: list[Turn] = []
        left = max_bytes
        for turn in turns:
            if is_question(turn) or left < 0:
                break
            if is_answer(turn):
                answers.append(turn)
                left -= turn_size(turn)
        return replace(item, answers=tuple(answers), is_open=False)

    cut = replace(item, is_open=False, is_cut=True)
    try:
        return read_whole(read, store=store, scope=scope, conversation_id=item.conversation_id)
    except (NotFoundError, CorruptRecordError, AccessDeniedError):
        return cut
