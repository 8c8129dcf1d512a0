"""List the documents of a space by the beginning of their keys, in the order of the store.

A plain key is read off the listing; a hashed one stands in the document, as all values do.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Final, TypeAlias

from everturn.conversations.read_conversation import MAX_ANSWER_BYTES
from everturn.documents.document import Document, parse_document
from everturn.errors import AccessDeniedError, CorruptRecordError
from everturn.ports.object_store import Entry, Etag, ObjectStore, StoredObject
from everturn.storage.list_keys import list_all
from everturn.values.cursors import DocumentCursor, parse_document_cursor
from everturn.values.go_json import dumps
from everturn.values.keys import (
    HASHED,
    Scope,
    document_name,
    documents_prefix,
    is_plain,
    name_of_token,
    token_of_name,
    valid_id,
)

DEFAULT_LIMIT: Final = 50
# Each may hold a megabyte: sixteen at once are what the smallest function has room for.
_READERS: Final = 16
# A page ends after so many, whether they match or not: about half a second, and a call ends within
# 20 s on a slow store too.
_MAX_OPENED: Final = 100
# What surrounds the rows of an answer: a cursor, a count.
_FRAME_BYTES: Final = 1_024
# What a row is besides its key and its value: an etag, a size, a time.
_ROW_BYTES: Final = 512

_Listed: TypeAlias = tuple[str, Entry]
"""The part of a key that stands for a document, and its row in the listing."""


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document as a list shows it: `size` in bytes as stored, `updated_ns` by the store.

    With `document`, where values are asked for, all of it is of that one version.
    """

    key: str
    etag: Etag
    size: int
    updated_ns: int
    document: Document | None = None


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
    values: bool = False,
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
        values: whether each row has its document: one GET for each, and a page of 3 MiB at most.

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
    shown = _affordable(listed[:limit], values=values)
    found = _rows(store, space, shown, values=values)
    taken = _fitting(found)
    rows = tuple(
        row for row in taken if isinstance(row, DocumentRow) and row.key.startswith(prefix)
    )
    last = shown[len(taken) - 1][0] if taken else ""
    next_cursor = DocumentCursor(last).encode() if len(listed) > len(taken) else None
    return DocumentPage(rows, next_cursor, taken.count(_UNREADABLE))


class _Unreadable:
    """Stands where a row could stand."""


_UNREADABLE: Final = _Unreadable()
_Found: TypeAlias = DocumentRow | _Unreadable | None


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


def _affordable(listed: Sequence[_Listed], *, values: bool) -> Sequence[_Listed]:
    """Return the first ones, as many as one call may open."""
    opened = size = 0
    for number, (token, entry) in enumerate(listed):
        if not _is_opened(token, values=values):
            continue
        opened += 1
        size += entry.size if values else 0
        if opened > _MAX_OPENED or (size > MAX_ANSWER_BYTES and number):
            return listed[:number]
    return listed


def _is_opened(token: str, *, values: bool) -> bool:
    return values or token.startswith(HASHED)


def _rows(
    store: ObjectStore, space: str, listed: Sequence[_Listed], *, values: bool
) -> list[_Found]:
    """Return the row of each; None where it is gone since it was listed."""
    opened = [entry for token, entry in listed if _is_opened(token, values=values)]
    read: dict[str, _Found] = {}
    if opened:
        with ThreadPoolExecutor(_READERS) as readers:
            rows = readers.map(partial(_read_row, store, space, values=values), opened)
            read = {entry.key: row for entry, row in zip(opened, rows, strict=True)}
    return [
        read[entry.key]
        if entry.key in read
        else DocumentRow(token, entry.etag, entry.size, entry.modified_ns)
        for token, entry in listed
    ]


def _read_row(store: ObjectStore, space: str, entry: Entry, *, values: bool) -> _Found:
    try:
        stored = store.get(entry.key)
        if not isinstance(stored, StoredObject):
            return None
        document = parse_document(stored.body, space=space)
    except (CorruptRecordError, AccessDeniedError):
        return _UNREADABLE
    if not entry.key.endswith(f"/{document_name(document.key)}"):
        return _UNREADABLE
    if not values:
        return DocumentRow(document.key, entry.etag, entry.size, entry.modified_ns)
    size = len(stored.body)
    return DocumentRow(document.key, stored.etag, size, document.updated_ns, document)


def _fitting(found: Sequence[_Found]) -> Sequence[_Found]:
    """Return the first ones, as many as fit into an answer, at least one."""
    left = MAX_ANSWER_BYTES - _FRAME_BYTES
    for number, row in enumerate(found):
        if isinstance(row, DocumentRow) and row.document is not None:
            left -= _ROW_BYTES + len(dumps([row.key, row.document.value]).encode())
            if left < 0 and number:
                return found[:number]
    return found
