"""Cursors: the key of the last row shown, opaque to the caller.

A cursor grants nothing: rows always come from the caller's own scope.
"""

import base64
import binascii
import json
from dataclasses import dataclass
from typing import Any, Final

from everturn.errors import InvalidRequestError
from everturn.values.go_json import JsonValue, dumps
from everturn.values.keys import is_token

EXPORTED_KINDS: Final = ("c", "o", "m")
"""The first letters of the keys that an export walks, in this order."""


@dataclass(frozen=True, slots=True)
class ListCursor:
    """The last conversation of a page of a list."""

    updated_ns: int
    conversation_id: str

    def encode(self) -> str:
        """Return the cursor as a caller gets it."""
        return _encoded([self.updated_ns, self.conversation_id])


@dataclass(frozen=True, slots=True)
class RecentCursor:
    """The last turn of a page of recent turns: its time, its conversation and its number."""

    ts_ns: int
    conversation_id: str
    index: int

    def encode(self) -> str:
        """Return the cursor as a caller gets it."""
        return _encoded([self.ts_ns, self.conversation_id, self.index])


@dataclass(frozen=True, slots=True)
class ExportCursor:
    """Where an export goes on: behind a key, or inside the conversation at that key.

    `kind` is the first letter of the key and `name` what follows the scope's prefix. With `first`
    above 0 the conversation is exported up to that turn only; `edits` tells whether turns of it
    were taken back since.
    """

    kind: str = "c"
    name: str = ""
    first: int = 0
    edits: int = 0

    def encode(self) -> str:
        """Return the cursor as a caller gets it."""
        return _encoded([self.kind, self.name, self.first, self.edits])


@dataclass(frozen=True, slots=True)
class DocumentCursor:
    """The last document of a page of a list: the part of its key that stands for it."""

    token: str

    def encode(self) -> str:
        """Return the cursor as a caller gets it."""
        return _encoded([self.token])


@dataclass(frozen=True, slots=True)
class MemoryCursor:
    """The last memory of a page of a list."""

    rid: str

    def encode(self) -> str:
        """Return the cursor as a caller gets it."""
        return _encoded(["memory", self.rid])


def parse_memory_cursor(text: str) -> MemoryCursor:
    """Read a cursor that a list of memories gave out.

    Raises:
        InvalidRequestError: it is none.
    """
    word, rid = _decoded(text, (str, str), of="a list of memories")
    if word != "memory":
        raise InvalidRequestError("this is no cursor of a list of memories", field="cursor")
    return MemoryCursor(rid)


def parse_export_cursor(text: str) -> ExportCursor:
    """Read a cursor that an export gave out.

    Raises:
        InvalidRequestError: it is none.
    """
    cursor = ExportCursor(*_decoded(text, (str, str, int, int), of="an export"))
    if cursor.kind not in EXPORTED_KINDS or not cursor.name.isascii() or cursor.first < 0:
        raise InvalidRequestError("this is no cursor of an export", field="cursor")
    return cursor


def parse_list_cursor(text: str) -> ListCursor:
    """Read a cursor that a list gave out.

    Raises:
        InvalidRequestError: it is none.
    """
    return ListCursor(*_decoded(text, (int, str), of="a list"))


def parse_document_cursor(text: str) -> DocumentCursor:
    """Read a cursor that a list of documents gave out.

    Raises:
        InvalidRequestError: it is none.
    """
    cursor = DocumentCursor(*_decoded(text, (str,), of="a list of documents"))
    if not is_token(cursor.token):
        raise InvalidRequestError("this is no cursor of a list of documents", field="cursor")
    return cursor


def parse_recent_cursor(text: str) -> RecentCursor:
    """Read a cursor that came with recent turns.

    Raises:
        InvalidRequestError: it is none.
    """
    return RecentCursor(*_decoded(text, (int, str, int), of="recent turns"))


def _encoded(values: list[JsonValue]) -> str:
    return base64.urlsafe_b64encode(dumps(values).encode()).decode("ascii").rstrip("=")


def _decoded(text: str, kinds: tuple[type, ...], *, of: str) -> list[Any]:
    fault = f"this is no cursor of {of}"
    try:
        padded = text.encode("ascii") + b"=" * (-len(text) % 4)
        values = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, binascii.Error, RecursionError) as error:
        raise InvalidRequestError(fault, field="cursor") from error
    if not isinstance(values, list) or tuple(map(type, values)) != kinds:
        raise InvalidRequestError(fault, field="cursor")
    return values
