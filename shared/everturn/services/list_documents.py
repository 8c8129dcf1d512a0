"""List the documents of a space by the beginning of their keys, in the order of the store.

Not here: their values. A plain key is read off the listing; a hashed one stands in the document.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Final, TypeAlias

from everturn.domain.cursors import DocumentCursor, parse_document_cursor
from everturn.domain.document import parse_document
from everturn.domain.keys import (
    HASHED,
    Scope,
    document_name,
    documents_prefix,
    is_plain,
    name_of_token,
    token_of_name,
    valid_id,
)
from everturn.errors import AccessDeniedError, CorruptRecordError
from everturn.ports.object_store import Entry, Etag, ObjectStore, StoredObject
from everturn.services.list_keys import list_all

DEFAULT_LIMIT: Final = 50
# Each may hold a megabyte: sixteen at once are what the smallest function has room for.
_READERS: Final = 16
# A page ends after so many, whether they match or not: about half a second, and a call ends within
# 20 s on a slow store too.
_MAX_OPENED: Final = 100

_Listed: TypeAlias = tuple[str, Entry]
"""The part of a key that stands for a document, and its row in the listing."""


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document as a list shows it: `size` in bytes as stored, `updated_ns` by the store."""

    key: str
    etag: Etag
    size: int
    updated_ns: int


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """Plain keys first, in byte order, then the others; how many documents were unreadable."""

    rows: tuple[DocumentRow, ...]
    next_cursor: str | None
    skipped: int


def list_documents(
    *,
    store: ObjectStore,
    scope: Scope,
    space: str,
    prefix: str | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> DocumentPage:
    """List one page of a space; one LIST per 1,000 documents passed, one GET per hashed key.

    A page may hold fewer rows than `limit`, or none, and still have a cursor: others follow.

    Args:
        store: where documents lie.
        scope: whose they are.
        space: which space.
        prefix: what keys begin with; all if not given.
        limit: at most so many rows, 50 by default.
        cursor: `next_cursor` of the page before.

    Raises:
        InvalidRequestError: `space` or `prefix` is none, or `cursor` is none of such a list.
        AccessDeniedError, UnavailableError: the store does not list or read.
    """
    space = valid_id(space, field="space")
    prefix = valid_id(prefix, field="prefix") if prefix else ""
    after = name_of_token(parse_document_cursor(cursor).token) if cursor else ""
    limit = limit or DEFAULT_LIMIT
    folder = documents_prefix(scope, space)
    listed = list(islice(_listed(store, folder, prefix, after), limit + 1))
    shown = _affordable(listed[:limit])
    found = _keys(store, space, shown)
    rows = tuple(
        DocumentRow(key, entry.etag, entry.size, entry.modified_ns)
        for (_, entry), key in zip(shown, found, strict=True)
        if isinstance(key, str) and key.startswith(prefix)
    )
    next_cursor = DocumentCursor(shown[-1][0]).encode() if len(listed) > len(shown) else None
    return DocumentPage(rows, next_cursor, found.count(_UNREADABLE))


class _Unreadable:
    """Stands where a key could stand."""


_UNREADABLE: Final = _Unreadable()


def _listed(store: ObjectStore, folder: str, prefix: str, after: str) -> Iterator[_Listed]:
    """Yield what may match: plain keys that begin so, then every hashed one."""
    if not prefix or is_plain(prefix):
        for entry in list_all(store, folder, start_after=folder + max(prefix, after)):
            if not entry.key.startswith((folder + prefix, folder + HASHED)):
                break
            yield from _with_token(entry, folder)
        else:
            return
    for entry in list_all(store, folder, start_after=folder + max(HASHED, after)):
        yield from _with_token(entry, folder)


def _with_token(entry: Entry, folder: str) -> Iterator[_Listed]:
    token = token_of_name(entry.key.removeprefix(folder))
    if token is not None:
        yield token, entry


def _affordable(listed: Sequence[_Listed]) -> Sequence[_Listed]:
    opened = 0
    for number, (token, _) in enumerate(listed):
        opened += token.startswith(HASHED)
        if opened > _MAX_OPENED:
            return listed[:number]
    return listed


def _keys(
    store: ObjectStore, space: str, listed: Sequence[_Listed]
) -> list[str | _Unreadable | None]:
    """Return the key of each; None where it is gone since it was listed."""
    hashed = [entry.key for token, entry in listed if token.startswith(HASHED)]
    if not hashed:
        return [token for token, _ in listed]
    with ThreadPoolExecutor(_READERS) as readers:
        read = readers.map(partial(_read_key, store, space), hashed)
        known = dict(zip(hashed, read, strict=True))
    return [known.get(entry.key, token) for token, entry in listed]


def _read_key(store: ObjectStore, space: str, place: str) -> str | _Unreadable | None:
    try:
        stored = store.get(place)
        if not isinstance(stored, StoredObject):
            return None
        key = parse_document(stored.body, space=space).key
    except (CorruptRecordError, AccessDeniedError):
        return _UNREADABLE
    return key if place.endswith(f"/{document_name(key)}") else _UNREADABLE
