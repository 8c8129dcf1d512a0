"""List conversations, newest first.

One LIST page per 1,000 of them, plus the heads that changed.
"""

from dataclasses import dataclass
from typing import Final

from everturn.conversations.model.summary import Summary
from everturn.conversations.read_conversation import MAX_ANSWER_BYTES
from everturn.listing.model.cache_root import LIMITS, CacheLimits
from everturn.listing.model.cached_row import Place, place_of
from everturn.listing.walk_rows import RowWalk, open_rows
from everturn.ports.clock import Clock
from everturn.ports.object_store import ObjectStore
from everturn.values.cursors import ListCursor, parse_list_cursor
from everturn.values.go_json import dumps
from everturn.values.keys import Scope

DEFAULT_LIMIT = 50
# What surrounds the texts of a row in an answer: names, count, time.
_ROW_FRAME_BYTES: Final = 160
# So many rows lie between two looks at the clock.
_LOOK_ROWS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Filters:
    """What rows must match; None matches all. `title_part` is compared without case."""

    folder: str | None = None
    archived: bool | None = None
    title_part: str | None = None

    def match(self, row: Summary) -> bool:
        """Say whether a row is wanted."""
        return (
            self.folder in {None, row.folder}
            and self.archived in {None, row.archived}
            and (self.title_part or "").casefold() in row.title.casefold()
        )


@dataclass(frozen=True, slots=True)
class ConversationPage:
    """Rows, newest `updated` first, ties by id; how many heads were unreadable, how many read."""

    rows: tuple[Summary, ...]
    next_cursor: str | None
    skipped: int
    read: int
    repairs: int
    """How many files of the list's cache were lost or broken."""


def list_conversations(
    *,
    data: ObjectStore,
    derived: ObjectStore,
    clock: Clock,
    scope: Scope,
    limit: int | None = None,
    cursor: str | None = None,
    filters: Filters = Filters(),
    limits: CacheLimits = LIMITS,
) -> ConversationPage:
    """List one page of a scope's conversations.

    Each row equals its conversation at some instant of the call; one that exists throughout is
    there once; one deleted before is not. A page that filters left short, or empty, has a cursor
    where more rows may match.

    Raises:
        InvalidRequestError: `cursor` is none of a list.
        AccessDeniedError: the store does not list.
        UnavailableError: the store does not answer, or so many heads changed that reading them
            takes more than one call.
    """
    after = None if cursor is None else _place(parse_list_cursor(cursor))
    with open_rows(data=data, derived=derived, scope=scope, clock=clock, limits=limits) as walk:
        rows, end = _fill(walk, limit or DEFAULT_LIMIT, after, filters, walked=limits.walked_rows)
        next_cursor = None if end is None else ListCursor(-end[0], end[1]).encode()
        return ConversationPage(
            tuple(sorted(rows, key=place_of)), next_cursor, walk.skipped, walk.read, walk.repairs
        )


def _place(cursor: ListCursor) -> Place:
    return -cursor.updated_ns, cursor.conversation_id


def _fill(
    walk: RowWalk, limit: int, after: Place | None, filters: Filters, *, walked: int
) -> tuple[list[Summary], Place | None]:
    """Return rows, and where the next page begins; None where nothing can follow."""
    rows: list[Summary] = []
    left, seen = MAX_ANSWER_BYTES, after
    for number, listed in enumerate(walk.newest_first(after), start=1):
        if _is_wanted(listed.row, after, filters):
            left -= _answer_bytes(listed.row)
            if len(rows) == limit or (left < 0 and rows):
                return rows, seen
            rows.append(listed.row)
        seen = listed.place
        if number == walked or (number % _LOOK_ROWS == 0 and walk.is_late):
            return rows, seen
    return rows, None


def _is_wanted(row: Summary, after: Place | None, filters: Filters) -> bool:
    # One that was written since it was listed has moved above the cursor: the next walk shows it.
    return filters.match(row) and (after is None or place_of(row) > after)


def _answer_bytes(row: Summary) -> int:
    texts = (row.conversation_id, row.title, row.preview, row.folder)
    return _ROW_FRAME_BYTES + len(dumps(list(texts)).encode())
