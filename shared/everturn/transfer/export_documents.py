"""The lines that an export makes of documents."""

import json
from collections.abc import Iterator
from typing import Literal, TypeAlias

from everturn.documents.document import parse_document
from everturn.errors import AccessDeniedError, CorruptRecordError
from everturn.ports.object_store import ObjectStore, StoredObject
from everturn.transfer.export_lines import document_line, skipped_line
from everturn.transfer.export_walk import Line, walk_objects
from everturn.values.cursors import ExportCursor
from everturn.values.keys import Scope, document_key, scope_prefix

_Found: TypeAlias = tuple[Literal["document", "skipped", "nothing"], str]


def export_documents(*, store: ObjectStore, scope: Scope, at: ExportCursor) -> Iterator[Line]:
    """Yield a line for each document from a cursor on.

    Raises:
        AccessDeniedError, UnavailableError: the store does not list or read.
    """

    def read(key: str) -> _Found:
        try:
            stored = store.get(key)
            if not isinstance(stored, StoredObject):
                return "nothing", ""
            return "document", document_line(_checked(stored.body, key, scope))
        except (CorruptRecordError, AccessDeniedError):
            name = key.removeprefix(scope_prefix("o", scope)).removesuffix(".json")
            return "skipped", skipped_line({"document": name})

    for _, here, after, (kind, text) in walk_objects("o", at, read, store=store, scope=scope):
        yield Line(kind, text, here, after)


def _checked(body: bytes, key: str, scope: Scope) -> str:
    """Return an envelope that belongs to its key.

    Raises:
        CorruptRecordError: it does not, or is none.
    """
    try:
        envelope = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise CorruptRecordError("a stored document cannot be read") from error
    space = envelope.get("space") if isinstance(envelope, dict) else None
    if not isinstance(space, str):
        raise CorruptRecordError("a stored document names no space")
    document = parse_document(body, space=space)
    if document_key(scope, space, document.key) != key:
        raise CorruptRecordError("a stored document has another key")
    return body.decode("utf-8-sig")
