"""Read the newest turns across all conversations of a scope, or questions with their answers.

Cost: a list, plus the heads and segments that can hold one of the newest; for ten turns of a
thousand conversations at most eleven heads.
"""

from collections.abc import Collection, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from everturn.conversations.read_conversation import DEFAULT_LIMIT, MAX_ANSWER_BYTES
from everturn.conversations.segments import READERS
from everturn.errors import InvalidRequestError, UnavailableError
from everturn.listing.finish_pair import finish_pair
from everturn.listing.model.newest_shelf import NewestShelf
from everturn.listing.model.recent_items import RecentItem, Wanted
from everturn.listing.recent_sources import Sources, Span
from everturn.listing.search_recent import RecentSearch
from everturn.listing.walk_rows import open_rows
from everturn.ports.clock import Clock
from everturn.ports.object_store import ObjectStore
from everturn.values.cursors import RecentCursor, parse_recent_cursor
from everturn.values.keys import Scope
from everturn.values.time_window import EVER, TimeWindow

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
