"""The list cache: what is known of each head by its etag, as one JSON document.

Not here: keeping it true (services/list_conversations.py). It may be lost or broken at any time.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from everturn.domain.go_json import JsonValue, dumps
from everturn.domain.head import Record
from everturn.domain.keys import is_head_of
from everturn.domain.summary import Summary, summarize
from everturn.domain.turn import END_TIME_NS

# Another version reads as an empty cache.
_VERSION = 1
_UPDATED = 4
_ENTRY_TYPES = (str, str, int, bool)
# Of a summary's fields in their order; the folder may be absent.
_ROW_TYPES = {(str, str, str, int, int, folder, bool) for folder in (str, type(None))}


@dataclass(frozen=True, slots=True)
class CachedRow:
    """One head at one etag: its row, or why it has none. `newest_ns` is its greatest `ts`."""

    etag: str
    row: Summary | None
    newest_ns: int = 0
    unreadable: bool = False


def row_of(record: Record, *, key: str, etag: str) -> CachedRow:
    """Return what a list shows of a head: no row where it is deleted, empty or misplaced."""
    head = record.head
    if not is_head_of(key, head.conversation_id):
        return CachedRow(etag, None, unreadable=True)
    listed = head.deleted is None and head.turn_count > 0
    return CachedRow(etag, summarize(record) if listed else None, record.newest_ns)


def encode_cache(rows: Mapping[str, CachedRow]) -> bytes:
    """Return the document of rows by key."""
    return dumps({"version": _VERSION, "rows": [_encoded(key, rows[key]) for key in rows]}).encode()


def _encoded(key: str, cached: CachedRow) -> JsonValue:
    row = cached.row
    fields: JsonValue = None if row is None else [
        row.conversation_id, row.title, row.preview, row.turn_count, row.updated_ns,
        row.folder, row.archived,
    ]  # fmt: skip
    return [key, cached.etag, fields, cached.newest_ns, cached.unreadable]


def _decoded(entry: list[Any]) -> tuple[str, CachedRow]:
    key, etag, row, newest_ns, unreadable = entry
    if _types([key, etag, newest_ns, unreadable]) != _ENTRY_TYPES:
        raise TypeError("an entry is no entry")
    if row is not None and not _is_row(row, key):
        raise TypeError("a row is no row")
    return key, CachedRow(etag, row and Summary(*row), newest_ns, unreadable)


def _is_row(row: list[Any], key: str) -> bool:
    return (
        _types(row) in _ROW_TYPES and is_head_of(key, row[0]) and abs(row[_UPDATED]) < END_TIME_NS
    )


def _types(values: Iterable[Any]) -> tuple[type, ...]:
    return tuple(map(type, values))


def decode_cache(body: bytes) -> dict[str, CachedRow]:
    """Read the document; empty where it is broken or of another version: it will be rebuilt."""
    try:
        document = json.loads(body)
        if document["version"] != _VERSION:
            return {}
        return dict(map(_decoded, document["rows"]))
    except (ValueError, TypeError, KeyError, RecursionError):
        return {}
