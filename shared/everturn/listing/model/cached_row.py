"""Cached rows of a list, each known by its head's etag, and the run files that hold them.

A run is a file of some thousand rows that are near one another in a list. Its rows are parsed one
by one, on demand.

    ["key",...]
    [row of the first key]
    [row of the second]...
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from everturn.conversations.model.head import Record
from everturn.conversations.model.summary import Summary, summarize
from everturn.conversations.model.turn import END_TIME_NS
from everturn.values.go_json import JsonValue, dumps
from everturn.values.keys import is_head_of
from everturn.values.visible_text import well_formed

_UPDATED: Final = 4
_ENTRY_TYPES: Final = (str, str, int, bool, int)
# Of a summary's fields in their order; the folder may be absent.
_ROW_TYPES: Final = {(str, str, str, int, int, folder, bool) for folder in (str, type(None))}
# The first nanosecond of the year 1 in the easternmost time zone: Go's zero time lies there.
_START_TIME_NS: Final = -62_135_683_200_000_000_000

Place = tuple[int, str]
"""Where a row stands in a list, smallest first: its time negated, then its id."""


class CachedRow(NamedTuple):
    """One head at one etag: its row, or why it has none.

    `newest_ns` is its greatest `ts`, `oldest_ns` its least or less: 0 where that is not known.
    """

    etag: str
    row: Summary | None
    newest_ns: int = 0
    unreadable: bool = False
    oldest_ns: int = 0


def row_of(record: Record, *, key: str, etag: str) -> CachedRow:
    """Return what a list shows of a head: no row where it is deleted, empty or misplaced.

    Neither has one whose id holds half a surrogate pair: no caller can name it.
    """
    head = record.head
    own = head.conversation_id
    if not is_head_of(key, own) or well_formed(own) != own:
        return CachedRow(etag, None, unreadable=True)
    listed = head.deleted is None and head.turn_count > 0
    row = summarize(record) if listed else None
    return CachedRow(etag, row, record.newest_ns, oldest_ns=record.oldest_ns)


def place_of(row: Summary) -> Place:
    """Return where a row stands: newest `updated` first, ties by id."""
    return -row.updated_ns, row.conversation_id


def row_values(key: str, cached: CachedRow) -> JsonValue:
    """Return a cached row as JSON holds it."""
    row = cached.row
    fields: JsonValue = None if row is None else [
        row.conversation_id, row.title, row.preview, row.turn_count, row.updated_ns,
        row.folder, row.archived,
    ]  # fmt: skip
    return [key, cached.etag, fields, cached.newest_ns, cached.unreadable, cached.oldest_ns]


def parse_row(values: Any) -> tuple[str, CachedRow]:  # noqa: ANN401 - a JSON value of any shape
    """Read what `row_values` gave: the key and its row.

    Raises:
        ValueError, TypeError: it is something else.
    """
    key, etag, row, newest_ns, unreadable, oldest_ns = values
    if _types((key, etag, newest_ns, unreadable, oldest_ns)) != _ENTRY_TYPES:
        raise TypeError("an entry is no entry")
    if row is not None and not _is_row(row, key):
        raise TypeError("a row is no row")
    return key, CachedRow(etag, row and Summary(*row), newest_ns, unreadable, oldest_ns)


def _is_row(row: list[Any], key: str) -> bool:
    return (
        _types(row) in _ROW_TYPES
        and is_head_of(key, row[0])
        and _START_TIME_NS <= row[_UPDATED] < END_TIME_NS
    )


def _types(values: Iterable[Any]) -> tuple[type, ...]:
    return tuple(map(type, values))


class RowRun:
    """The rows of one run; those that nobody asks for stay bytes."""

    def __init__(self, lines: Mapping[str, bytes]) -> None:
        """Take the line of each key."""
        self._lines = lines

    def row(self, key: str, etag: str) -> CachedRow | None:
        """Return the row of a head at exactly this etag; None where the run has no such one."""
        line = self._lines.get(key)
        try:
            found, cached = parse_row(json.loads(line or b"null"))
        except (ValueError, TypeError, RecursionError):
            return None
        return cached if (found, cached.etag) == (key, etag) else None

    def without(self, keys: frozenset[str]) -> "RowRun":
        """Return the run without the rows of some heads."""
        return RowRun({key: line for key, line in self._lines.items() if key not in keys})

    def encode(self) -> bytes:
        """Return the file."""
        keys: list[JsonValue] = list(self._lines)
        return b"\n".join([dumps(keys).encode(), *self._lines.values()])


def run_of(rows: Mapping[str, CachedRow]) -> RowRun:
    """Make a run."""
    return RowRun({key: dumps(row_values(key, row)).encode() for key, row in rows.items()})


def decode_run(body: bytes) -> RowRun:
    """Read a file; a run without rows where it is broken."""
    first, *lines = body.split(b"\n")
    try:
        keys = json.loads(first)
        return RowRun(dict(zip(keys, lines, strict=True)))
    except (ValueError, TypeError, RecursionError):
        return RowRun({})
