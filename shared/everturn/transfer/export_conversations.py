"""Make the lines of conversations in an export.

A conversation is one line where it fits, else runs of turns.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from everturn.conversations.model.encoded_turns import StoredTurn, join_run, split_run
from everturn.conversations.read_record import StoredRecord, found_of
from everturn.conversations.read_segments import sealed_runs
from everturn.conversations.segments import read_segments
from everturn.errors import (
    AccessDeniedError,
    CorruptRecordError,
    GoneError,
    InvalidRequestError,
    UnavailableError,
)
from everturn.ports.object_store import ObjectStore, StoredObject
from everturn.transfer.export_walk import (
    Line,
    gone_line,
    one_line,
    record_line,
    skipped_line,
    turns_line,
    walk_objects,
)
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


# A third of a page: the rest of a page that no piece fits into is small.
MAX_PIECE_BYTES: Final = 1_048_576


@dataclass(frozen=True, slots=True)
class Piece:
    """Turns in order, the first of which has the number `first`; the last piece ends the file."""

    first: int
    turns_json: bytes
    is_last: bool = False


def whole_line(
    found: StoredRecord, *, store: ObjectStore, scope: Scope, max_bytes: int
) -> str | None:
    """Return the conversation in one line, None where that is longer than `max_bytes`.

    Raises:
        GoneError, CorruptRecordError: as `read_segments`.
    """
    head, size = found.record.head, len(found.body)
    if head.sealed is None:
        return one_line(found.body.decode("utf-8-sig")) if size <= max_bytes else None
    runs: list[bytes] = []
    for run in sealed_runs(found, store=store, scope=scope):
        size += len(run)
        if size > max_bytes:
            return None
        runs.append(run)
    return record_line(head, b",".join([*runs, head.turns_json] if head.turns_json else runs), 0)


def pieces_from(
    first: int, found: StoredRecord, *, store: ObjectStore, scope: Scope
) -> Iterator[Piece]:
    """Yield the turns from a number on, at most a mebibyte or one turn at a time; at least one.

    Raises:
        GoneError, CorruptRecordError: as `read_segments`.
    """
    head = found.record.head
    id_ = head.conversation_id
    for ref in head.sealed.holding(first, head.turn_count) if head.sealed else ():
        segment = read_segments(store=store, scope=scope, conversation_id=id_, names=[ref.name])[0]
        yield from _cut(ref.first, segment.head.turns_json, first)
    tail = list(_cut(head.first_turn, head.turns_json, first))
    yield from tail[:-1]
    last = tail[-1] if tail else Piece(max(first, head.turn_count), b"")
    yield replace(last, is_last=True)


def _cut(start: int, run: bytes, first: int) -> Iterator[Piece]:
    """Cut a run that begins with turn `start`, and leave out the turns before `first`."""
    if start >= first and len(run) <= MAX_PIECE_BYTES:
        if run:
            yield Piece(start, run)
        return
    number, size = start, 0
    taken: list[StoredTurn] = []
    for number, turn in enumerate(split_run(run), start):
        if number < first:
            continue
        if taken and size + len(turn.encoded) > MAX_PIECE_BYTES:
            yield Piece(number - len(taken), join_run(taken))
            taken, size = [], 0
        taken.append(turn)
        size += len(turn.encoded) + 1
    if taken:
        yield Piece(number + 1 - len(taken), join_run(taken))
