"""Export all that a scope has stored: pages of JSON lines, in the order of the store.

Documents and memories have at most one line each.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Final, Literal, TypeAlias

from everturn.conversations.read_conversation import MAX_ANSWER_BYTES
from everturn.documents.document import parse_document
from everturn.errors import AccessDeniedError, CorruptRecordError, UnavailableError
from everturn.memory.model.codec import parse_memory
from everturn.ports.clock import Clock
from everturn.ports.object_store import ObjectStore, StoredObject
from everturn.storage.budget import Budget
from everturn.transfer.export_conversations import ConversationExport
from everturn.transfer.export_walk import (
    Line,
    cursor_line,
    document_line,
    memory_line,
    skipped_line,
    walk_objects,
)
from everturn.values.cursors import EXPORTED_KINDS, ExportCursor, parse_export_cursor
from everturn.values.keys import Scope, document_key, rid_of_key, scope_prefix

# A request ends within 20 s; the reads that were begun then take a few more.
_BEGIN_S: Final = 8.0
# Room for the line of the cursor.
_MAX_LINES_BYTES: Final = MAX_ANSWER_BYTES - 4_096
DEFAULT_LIMIT: Final = 1_000


@dataclass(slots=True)
class ExportPage:
    """Lines, each ended by a line break; how many objects they are of, by kind."""

    lines: list[str] = field(default_factory=list)
    size: int = 0
    conversations: int = 0
    documents: int = 0
    memories: int = 0
    skipped: int = 0
    next_cursor: str | None = None

    @property
    def text(self) -> str:
        """The page."""
        last = [cursor_line(self.next_cursor)] if self.next_cursor else []
        return "".join(f"{line}\n" for line in [*self.lines, *last])

    def has_room(self, line: Line) -> bool:
        """Say whether a line fits; the first one does, however long it is."""
        return not self.lines or self.size + len(line.text.encode()) + 1 <= _MAX_LINES_BYTES

    def add(self, line: Line) -> None:
        """Add a line."""
        if line.text:
            self.lines.append(line.text)
            self.size += len(line.text.encode()) + 1
        if line.after:
            self.conversations += line.kind == "conversation"
            self.documents += line.kind == "document"
            self.memories += line.kind == "memory"
            self.skipped += line.kind == "skipped"

    @property
    def count(self) -> int:
        """How many objects are on it."""
        return self.conversations + self.documents + self.memories + self.skipped


def export_scope(
    *,
    store: ObjectStore,
    clock: Clock,
    scope: Scope,
    cursor: str | None = None,
    limit: int | None = None,
) -> ExportPage:
    """Export one page: at most 3 MiB (a single turn that is longer comes alone), about ten seconds.

    Conversations come in the order of their keys, then documents, then memories. What exists
    throughout is there once, as it was when its page was made; what cannot be read is named in a
    line of its own.

    Args:
        store: where all of it lies.
        clock: ends the page in time.
        scope: whose it is.
        cursor: `next_cursor` of the page before.
        limit: at most so many conversations, documents and memories, 1,000 by default.

    Raises:
        InvalidRequestError: `cursor` is none of an export.
        AccessDeniedError, UnavailableError: the store does not list or read.
    """
    at = parse_export_cursor(cursor) if cursor else ExportCursor()
    budget = Budget(clock=clock, seconds=_BEGIN_S)
    page, after = ExportPage(), None
    try:
        for line in _lines(store, scope, at):
            if not page.has_room(line):
                page.next_cursor = line.here.encode()
                break
            page.add(line)
            after = line.after
            if after and (page.count >= (limit or DEFAULT_LIMIT) or budget.is_over):
                page.next_cursor = after.encode()
                break
    except UnavailableError:
        if after is None:
            raise
        page.next_cursor = after.encode()
    return page


def _lines(store: ObjectStore, scope: Scope, at: ExportCursor) -> Iterator[Line]:
    begun = {
        "c": lambda: ConversationExport(store, scope, _MAX_LINES_BYTES).lines(at),
        "o": lambda: export_documents(store=store, scope=scope, at=at),
        "m": lambda: export_memories(store=store, scope=scope, at=at),
    }
    left = EXPORTED_KINDS[EXPORTED_KINDS.index(at.kind) :]
    return chain.from_iterable(begun[kind]() for kind in left)


_FoundDocument: TypeAlias = tuple[Literal["document", "skipped", "nothing"], str]


def export_documents(*, store: ObjectStore, scope: Scope, at: ExportCursor) -> Iterator[Line]:
    """Yield a line for each document from a cursor on.

    Raises:
        AccessDeniedError, UnavailableError: the store does not list or read.
    """

    def read(key: str) -> _FoundDocument:
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


_FoundMemory: TypeAlias = tuple[Literal["memory", "skipped", "nothing"], str]


def export_memories(*, store: ObjectStore, scope: Scope, at: ExportCursor) -> Iterator[Line]:
    """Yield a line for each memory from a cursor on; of one whose sources are gone there is none.

    One that was forgotten has one, without text: it must not come back elsewhere.

    Raises:
        AccessDeniedError, UnavailableError: the store does not list or read.
    """

    def read(key: str) -> _FoundMemory:
        rid = rid_of_key(key)
        try:
            stored = store.get(key)
            if not isinstance(stored, StoredObject):
                return "nothing", ""
            if parse_memory(stored.body, rid).is_gone:
                return "nothing", ""
            return "memory", memory_line(stored.body.decode("utf-8-sig"))
        except (CorruptRecordError, AccessDeniedError):
            return "skipped", skipped_line({"memory": rid})

    for _, here, after, (kind, text) in walk_objects("m", at, read, store=store, scope=scope):
        yield Line(kind, text, here, after)
