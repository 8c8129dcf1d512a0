"""List conversations, newest first: one LIST page per 1,000 of them, plus the heads that changed.

Not here: what a row shows (domain/summary.py). The store's own listing says what exists and what
changed; the cache only saves reading heads again, and may be lost.
"""

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from everturn.domain.cursors import ListCursor, parse_list_cursor
from everturn.domain.head import parse_record
from everturn.domain.keys import Scope, heads_prefix, list_cache_key
from everturn.domain.list_cache import CachedRow, decode_cache, encode_cache, row_of
from everturn.domain.summary import Summary
from everturn.errors import CorruptRecordError, OutcomeUnknownError, UnavailableError
from everturn.ports.object_store import Entry, ObjectStore, StoredObject

# Heads are read in parallel: a GET waits some 30 ms for S3 and needs 2 ms of CPU.
_READERS = 16
DEFAULT_LIMIT = 50


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


def list_conversations(
    *,
    data: ObjectStore,
    derived: ObjectStore,
    scope: Scope,
    limit: int | None = None,
    cursor: str | None = None,
    filters: Filters = Filters(),
) -> ConversationPage:
    """List one page of a scope's conversations.

    Each row equals its conversation at some instant of the call; one that exists throughout is
    there once; one deleted before is not.

    Raises:
        InvalidRequestError: `cursor` is none of a list.
        AccessDeniedError, UnavailableError: the store does not answer.
    """
    after = None if cursor is None else parse_list_cursor(cursor)
    with ThreadPoolExecutor(_READERS) as readers:
        cache = readers.submit(_read_cache, derived, scope)
        entries = _list_heads(data, scope)
        known = cache.result()
        changed = [entry for entry in entries if _etag(known, entry.key) != entry.etag]
        read = dict(readers.map(lambda entry: (entry.key, _read_row(data, entry)), changed))
    rows = {entry.key: read.get(entry.key, known.get(entry.key)) for entry in entries}
    present = {key: row for key, row in rows.items() if row is not None}
    if read or len(present) != len(known):
        _write_cache(derived, scope, present)
    return _page(present.values(), limit or DEFAULT_LIMIT, after, filters, read=len(read))


def _list_heads(data: ObjectStore, scope: Scope) -> list[Entry]:
    prefix = heads_prefix(scope)
    page = data.list(prefix)
    entries = list(page.entries)
    while page.more:
        page = data.list(prefix, start_after=entries[-1].key)
        entries.extend(page.entries)
    return [entry for entry in entries if entry.key.endswith(".json")]


def _read_cache(derived: ObjectStore, scope: Scope) -> dict[str, CachedRow]:
    stored = derived.get(list_cache_key(scope))
    return decode_cache(stored.body) if isinstance(stored, StoredObject) else {}


def _etag(known: Mapping[str, CachedRow], key: str) -> str | None:
    return known[key].etag if key in known else None


def _read_row(data: ObjectStore, entry: Entry) -> CachedRow | None:
    """Read a head that changed; None if it is gone since it was listed."""
    stored = data.get(entry.key)
    if not isinstance(stored, StoredObject):
        return None
    try:
        record = parse_record(stored.body, name=entry.key.rpartition("/")[2])
    except CorruptRecordError:
        return CachedRow(stored.etag, None, unreadable=True)
    return row_of(record, key=entry.key, etag=stored.etag)


def _write_cache(derived: ObjectStore, scope: Scope, rows: Mapping[str, CachedRow]) -> None:
    try:
        derived.overwrite(list_cache_key(scope), encode_cache(rows))
    except (OutcomeUnknownError, UnavailableError):
        # The answer is made of the listing already; the next call reads these heads once more.
        return


def _page(
    cached: Iterable[CachedRow],
    limit: int,
    after: ListCursor | None,
    filters: Filters,
    *,
    read: int,
) -> ConversationPage:
    all_rows = tuple(cached)
    rows = [known.row for known in all_rows if known.row is not None and filters.match(known.row)]
    rows.sort(key=_order)
    if after is not None:
        rows = [row for row in rows if _order(row) > (-after.updated_ns, after.conversation_id)]
    shown = tuple(rows[:limit])
    more = len(rows) > limit
    cursor = ListCursor(shown[-1].updated_ns, shown[-1].conversation_id).encode() if more else None
    return ConversationPage(shown, cursor, sum(known.unreadable for known in all_rows), read)


def _order(row: Summary) -> tuple[int, str]:
    return -row.updated_ns, row.conversation_id
