"""List conversations, newest first: one LIST page per 1,000 of them, plus the heads that changed.

Not here: what a row shows (domain/summary.py). The store's own listing says what exists and what
changed; the cache only saves reading heads again, and may be lost.
"""

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from everturn.domain.cursors import ListCursor, parse_list_cursor
from everturn.domain.go_json import dumps
from everturn.domain.head import parse_record
from everturn.domain.keys import Scope, heads_prefix, list_cache_key
from everturn.domain.list_cache import CachedRow, decode_cache, encode_cache, row_of
from everturn.domain.summary import Summary
from everturn.errors import AccessDeniedError, CorruptRecordError, StoreError, UnavailableError
from everturn.ports.object_store import Entry, ObjectStore, StoredObject
from everturn.services.read_conversation import MAX_ANSWER_BYTES

# Heads are read in parallel: a GET waits some 30 ms for S3 and needs a few ms of CPU.
_READERS = 16
DEFAULT_LIMIT = 50
# What surrounds the texts of a row in an answer: names, count, time.
_ROW_FRAME_BYTES = 160
# Of a head that is to be looked at again however it is listed.
_NO_ETAG = ""


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
        AccessDeniedError, UnavailableError: the store does not list.
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
    lasting = {key: row for key, row in present.items() if row.etag != _NO_ETAG}
    if lasting != known:
        _write_cache(derived, scope, lasting)
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
    try:
        stored = derived.get(list_cache_key(scope))
    except (StoreError, UnavailableError, CorruptRecordError):
        # Without the cache every head is read: slower, and just as true.
        return {}
    return decode_cache(stored.body) if isinstance(stored, StoredObject) else {}


def _etag(known: Mapping[str, CachedRow], key: str) -> str | None:
    return known[key].etag if key in known else None


def _read_row(data: ObjectStore, entry: Entry) -> CachedRow | None:
    """Read a head that changed; None if it is gone since it was listed."""
    if not entry.key.isascii():
        return CachedRow(_NO_ETAG, None, unreadable=True)
    try:
        stored = data.get(entry.key)
        if not isinstance(stored, StoredObject):
            return None
        record = parse_record(stored.body, name=entry.key.rpartition("/")[2])
    except CorruptRecordError:
        return CachedRow(entry.etag, None, unreadable=True)
    except AccessDeniedError:
        # A permission can come back without a change of the object: not for the cache.
        return CachedRow(_NO_ETAG, None, unreadable=True)
    return row_of(record, key=entry.key, etag=stored.etag)


def _write_cache(derived: ObjectStore, scope: Scope, rows: Mapping[str, CachedRow]) -> None:
    try:
        derived.overwrite(list_cache_key(scope), encode_cache(rows))
    except (StoreError, UnavailableError):
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
    shown = tuple(_fitting(rows[:limit]))
    more = len(rows) > len(shown)
    cursor = ListCursor(shown[-1].updated_ns, shown[-1].conversation_id).encode() if more else None
    return ConversationPage(shown, cursor, sum(known.unreadable for known in all_rows), read)


def _fitting(rows: Iterable[Summary]) -> Iterator[Summary]:
    """Yield rows as long as they fit into an answer, at least one."""
    left = MAX_ANSWER_BYTES
    for number, row in enumerate(rows):
        texts = (row.conversation_id, row.title, row.preview, row.folder)
        left -= _ROW_FRAME_BYTES + len(dumps(list(texts)).encode())
        if left < 0 and number:
            return
        yield row


def _order(row: Summary) -> tuple[int, str]:
    return -row.updated_ns, row.conversation_id
