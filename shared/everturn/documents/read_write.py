"""Read, write and remove one document, each at the version that the caller expects.

There is no plain overwrite: a write that names no version reads the one that it replaces, so that a
late request of its own cannot come back over it.
"""

from dataclasses import dataclass
from typing import Final, Literal

from everturn.documents.document import Document, new_document, parse_document
from everturn.errors import (
    CorruptRecordError,
    NotFoundError,
    OutcomeUnknownError,
    StaleEtagError,
    UnavailableError,
)
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import (
    ABSENT,
    UNCHANGED,
    Etag,
    ObjectStore,
    Sentinel,
    StoredObject,
)
from everturn.storage.swap import RETRIED, Patience
from everturn.values.go_json import JsonValue
from everturn.values.keys import Scope, document_key, valid_id

Version = Etag | Literal[Sentinel.ABSENT]

_PUT, _DELETE = "put-document", "delete-document"
_WRITE_ID: Final = "w"
_WRITE_ID_BYTES: Final = 12


@dataclass(frozen=True, slots=True)
class UnchangedDocument:
    """What a caller has already."""

    etag: Etag


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document with its version; `size` in bytes as stored; whether a write created it."""

    document: Document
    etag: Etag
    size: int
    created: bool = False


def get_document(
    *, store: ObjectStore, scope: Scope, space: str, key: str, unless: Etag | None = None
) -> StoredDocument | UnchangedDocument:
    """Read one document in one request, or learn that it still is at the version `unless`.

    Raises:
        NotFoundError: there is none.
        CorruptRecordError: what is stored is none, or another document.
        InvalidRequestError: an id is none.
        AccessDeniedError, UnavailableError: the store does not answer it.
    """
    space, key = valid_id(space, field="space"), valid_id(key, field="key")
    found = store.get(document_key(scope, space, key), unless_etag=unless)
    if isinstance(found, StoredObject):
        return StoredDocument(_document_of(found, space, key), found.etag, len(found.body))
    if found is UNCHANGED and unless is not None:
        return UnchangedDocument(unless)
    raise _not_found()


def put_document(
    *,
    store: ObjectStore,
    clock: Clock,
    entropy: Entropy,
    scope: Scope,
    space: str,
    key: str,
    value: JsonValue,
    expect: Version | None = None,
) -> StoredDocument:
    """Write one document: one request with `expect`, two without.

    Args:
        store: where documents lie.
        clock: gives its time.
        entropy: gives its write id.
        scope: whose it is.
        space: which space.
        key: which key in it.
        value: any JSON, at most 1 MiB and 64 levels.
        expect: the version to replace, `ABSENT` to create; None: whatever is there.

    Raises:
        StaleEtagError: it is not as expected; nothing was written.
        InvalidRequestError, TooLargeError: as `new_document`.
        CorruptRecordError: what is there cannot be read, and no version was named to replace it.
        UnavailableError: no clear answer in ten seconds, or another write came after one of ours
            that got none.
    """
    document = new_document(space, key, value, updated_ns=clock.now_ns())
    place = document_key(scope, document.space, document.key)
    body, write_id = document.encode(), entropy.token(_WRITE_ID_BYTES).hex()
    patience = Patience(clock=clock, entropy=entropy)

    def version_of(found: StoredObject | None) -> Version:
        if found is None:
            return ABSENT
        _document_of(found, document.space, document.key)
        return found.etag

    wanted = expect or version_of(_read(store, place, patience, doing=_PUT))
    unclear = False
    while True:
        patience.check(doing=_PUT)
        try:
            etag = store.put(place, body, expect=wanted, meta={_WRITE_ID: write_id})
        except RETRIED as error:
            unclear = unclear or isinstance(error, OutcomeUnknownError)
            patience.wait(doing=_PUT, cause=error)
        else:
            return StoredDocument(document, etag, len(body), created=wanted is ABSENT)
        found = _read(store, place, patience, doing=_PUT)
        if found and found.meta.get(_WRITE_ID) == write_id and found.body == body:
            return StoredDocument(document, found.etag, len(body), created=wanted is ABSENT)
        if (found.etag if found else ABSENT) != wanted:
            _refuse(fixed=expect is not None, unclear=unclear)
            wanted = version_of(found)


def delete_document(
    *,
    store: ObjectStore,
    clock: Clock,
    entropy: Entropy,
    scope: Scope,
    space: str,
    key: str,
    expect: Etag | None = None,
) -> None:
    """Remove one document: one request with `expect`, two without.

    One that cannot be read is removed as well.

    Raises:
        NotFoundError: there is none.
        StaleEtagError: it is not at the version `expect`; nothing was removed.
        InvalidRequestError: an id is none.
        UnavailableError: as `put_document`.
    """
    space, key = valid_id(space, field="space"), valid_id(key, field="key")
    place = document_key(scope, space, key)
    patience = Patience(clock=clock, entropy=entropy)
    wanted = expect or _present(_read(store, place, patience, doing=_DELETE)).etag
    unclear = False
    while True:
        patience.check(doing=_DELETE)
        try:
            return store.delete(place, expect=wanted)
        except RETRIED as error:
            unclear = unclear or isinstance(error, OutcomeUnknownError)
            patience.wait(doing=_DELETE, cause=error)
        found = _read(store, place, patience, doing=_DELETE)
        if found is None and unclear:
            return None
        etag = _present(found).etag
        if etag != wanted:
            _refuse(fixed=expect is not None, unclear=unclear)
            wanted = etag


def _refuse(*, fixed: bool, unclear: bool) -> None:
    """Go on with another version than the one tried only where that is what the caller wants."""
    if unclear:
        # Ours may have happened and been replaced: a second one would undo what came after it.
        raise UnavailableError("another write came meanwhile, the outcome is unknown")
    if fixed:
        raise StaleEtagError("the document is not at this version")


def _read(store: ObjectStore, place: str, patience: Patience, *, doing: str) -> StoredObject | None:
    while True:
        patience.check(doing=doing)
        try:
            found = store.get(place)
        except UnavailableError as error:
            patience.wait(doing=doing, cause=error)
        else:
            return found if isinstance(found, StoredObject) else None


def _present(found: StoredObject | None) -> StoredObject:
    if found is None:
        raise _not_found()
    return found


def _not_found() -> NotFoundError:
    return NotFoundError("there is no such document")


def _document_of(found: StoredObject, space: str, key: str) -> Document:
    document = parse_document(found.body, space=space)
    if document.key != key:
        raise CorruptRecordError(f"a stored document has another key space={space}")
    return document
