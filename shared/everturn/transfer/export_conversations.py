"""The lines that an export makes of conversations."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from everturn.conversations.read_record import StoredRecord, found_of
from everturn.errors import (
    AccessDeniedError,
    CorruptRecordError,
    GoneError,
    InvalidRequestError,
    UnavailableError,
)
from everturn.ports.object_store import ObjectStore, StoredObject
from everturn.transfer.export_lines import gone_line, record_line, skipped_line, turns_line
from everturn.transfer.export_pieces import pieces_from, whole_line
from everturn.transfer.export_walk import Line, walk_objects
from everturn.values.cursors import ExportCursor
from everturn.values.go_json import JsonObject
from everturn.values.keys import Scope, heads_prefix, is_head_of, is_plain, token_of_name

# A head changes while its segments are read where one is redacted, or the newest is popped.
_ATTEMPTS: Final = 5

_Found: TypeAlias = StoredRecord | Literal["unreadable"] | None


@dataclass(frozen=True, slots=True)
class ConversationExport:
    """Conversations of a scope; a line is at most `max_bytes` long unless a single turn is."""

    store: ObjectStore
    scope: Scope
    max_bytes: int

    def lines(self, at: ExportCursor) -> Iterator[Line]:
        """Yield the lines from a cursor on, each conversation as it is when it is reached.

        Raises:
            InvalidRequestError: the cursor is inside of no conversation.
            AccessDeniedError, UnavailableError: the store does not list or read.
        """
        if at.first:
            if token_of_name(at.name) is None:
                raise InvalidRequestError("this is no cursor of an export", field="cursor")
            yield from self._gone_on_with(at)
            at = replace(at, first=0)
        walked = walk_objects("c", at, self._read, store=self.store, scope=self.scope)
        for key, here, after, found in walked:
            yield from self._conversation(key, here, after, found, 0)

    def _read(self, key: str) -> _Found:
        try:
            stored = self.store.get(key)
            if not isinstance(stored, StoredObject):
                return None
            found = found_of(stored, key=key, store=self.store, scope=self.scope, name="")
        except (CorruptRecordError, AccessDeniedError):
            return "unreadable"
        return found if is_head_of(key, found.record.head.conversation_id) else "unreadable"

    def _gone_on_with(self, at: ExportCursor) -> Iterator[Line]:
        """Yield the rest of a conversation; all of it where turns were taken back since."""
        key = heads_prefix(self.scope) + at.name
        after = ExportCursor(at.kind, at.name)
        found = self._read(key)
        if _is_gone(found):
            yield _gone(key, at, after)
            return
        same = isinstance(found, StoredRecord) and found.ring.edits == at.edits
        yield from self._conversation(key, at, after, found, at.first if same else 0)

    def _conversation(
        self, key: str, here: ExportCursor, after: ExportCursor, found: _Found, first: int
    ) -> Iterator[Line]:
        """Yield the lines of one; from its beginning again where a segment went meanwhile."""
        etag = None
        for _ in range(_ATTEMPTS):
            if _is_gone(found):
                yield Line("nothing", "", here, after) if not etag else _gone(key, here, after)
                return
            if not isinstance(found, StoredRecord) or found.etag == etag:
                yield _skipped(key, here, after)
                return
            try:
                yield from self._lines_of(found, here, after, first)
            except GoneError:
                etag, first, found = found.etag, 0, self._read(key)
            except CorruptRecordError:
                found = "unreadable"
            else:
                return
        raise UnavailableError(f"the conversation kept changing reads={_ATTEMPTS}")

    def _lines_of(
        self, found: StoredRecord, here: ExportCursor, after: ExportCursor, first: int
    ) -> Iterator[Line]:
        head, store, scope = found.record.head, self.store, self.scope
        if not first:
            whole = whole_line(found, store=store, scope=scope, max_bytes=self.max_bytes)
            if whole is not None:
                yield Line("conversation", whole, here, after)
                return
        for piece in pieces_from(first, found, store=store, scope=scope):
            if piece.first:
                here = ExportCursor(after.kind, after.name, piece.first, found.ring.edits)
            if piece.is_last:
                text = record_line(head, piece.turns_json, piece.first)
                yield Line("conversation", text, here, after)
            else:
                text = turns_line(head.conversation_id, piece.turns_json, piece.first)
                yield Line("conversation", text, here, None)


def _is_gone(found: _Found) -> bool:
    return found is None or (
        isinstance(found, StoredRecord) and found.record.head.deleted is not None
    )


def _gone(key: str, here: ExportCursor, after: ExportCursor) -> Line:
    """Take back the lines that are out: without it an export could not be told from a cut one."""
    return Line("nothing", gone_line(_named(key)), here, after)


def _skipped(key: str, here: ExportCursor, after: ExportCursor) -> Line:
    return Line("skipped", skipped_line(_named(key)), here, after)


def _named(key: str) -> JsonObject:
    name = key.rpartition("/")[2].removesuffix(".json")
    return {"conversation_id" if is_plain(name) else "key": name}
