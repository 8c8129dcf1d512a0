"""Reads files of JSON lines that an export of a whole user wrote, line by line."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from everturn.cli.importers.conversation_files import (
    FoundConversation,
    JsonObject,
    conversation_of_record,
)
from everturn.cli.importers.json_stream import MAX_VALUE_BYTES
from everturn.cli.output.errors import CliError
from everturn.cli.target.api import encoded
from everturn.conversations.model.head import Head, parse_record
from everturn.errors import CorruptRecordError

_FIRST_TURN = "first_turn"
_NEXT = "next_cursor"
_MEMORY = {"memory"}
_LOOKED_AT = 4_096
_NOTES = ({"skipped"}, {"gone"}, {_NEXT})


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """One document of a file; `value` is any JSON."""

    space: str
    key: str
    value: Any


@dataclass(frozen=True, slots=True)
class FoundMemory:
    """One memory of a file as it was stored."""

    memory: JsonObject


@dataclass(frozen=True, slots=True)
class FoundSkipped:
    """What the export had to leave out, as its line names it."""

    what: str


Found = FoundConversation | FoundDocument | FoundMemory | FoundSkipped


def is_export(path: Path) -> bool:
    """Say whether a file begins as an export of a whole user does.

    One conversation alone in a file is a plain conversation file, byte for byte.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        # One line may be all of a large file: what begins otherwise need not be read.
        if not file.read(_LOOKED_AT).lstrip().startswith(b"{"):
            return False
        file.seek(0)
        lines = [line for line in islice(_lines(file), 2) if line.strip()]
    first = _object_of(lines[0]) if lines else None
    if first is None:
        return False
    if isinstance(first.get("turns"), list) and isinstance(first.get("conversation_id"), str):
        return len(lines) > 1 or _FIRST_TURN in first
    return set(first) in ({"document"}, _MEMORY, *_NOTES)


def read_export(path: Path) -> Iterator[Found]:
    """Yield what a file holds, in its order, but what is gone; pages may follow one another.

    Raises:
        OSError: it cannot be read.
        CliError: a line is none of an export, a conversation breaks off, or the last page is
            missing.
    """
    parts = _Parts()
    with path.open("rb") as file:
        for number, line in enumerate(_lines(file), 1):
            if line.strip():
                found = _found(line.strip(), number, parts)
                if found is not None:
                    yield found
    if parts.goes_on:
        raise CliError("this export goes on, take the next page")
    parts.require_none()


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file; one that would take all memory in pieces, which are no JSON."""
    return iter(lambda: file.readline(MAX_VALUE_BYTES), b"")


class _Parts:
    """The turns of a long conversation, gathered until its last line.

    `goes_on` says that the line before promises another page.
    """

    goes_on = False

    def __init__(self) -> None:
        self._id: str | None = None
        self._runs: list[bytes] = []
        self._count = 0

    def add(self, head: Head, first: int, number: int) -> None:
        """Take turns of a conversation; those that begin at 0 take the place of all before."""
        if first == 0:
            self.begin_again(head.conversation_id)
        elif (head.conversation_id, first) != (self._id, self._count):
            raise CliError(f"the turns before these are missing line={number}")
        self._id = head.conversation_id
        self._runs += [head.turns_json] if head.turns_json else []
        self._count += head.turn_count

    def whole(self, last: Head) -> bytes:
        """Return the file of the conversation that ends with this line."""
        foreign = tuple(member for member in last.foreign if member[0] != _FIRST_TURN)
        body = replace(last, turns_json=b",".join(self._runs), foreign=foreign).encode()
        self.drop()
        return body

    def begin_again(self, conversation_id: str) -> None:
        """Forget an earlier state of this conversation.

        Raises:
            CliError: it is another one that was begun.
        """
        if self._id != conversation_id:
            self.require_none()
        self.drop()

    def drop(self) -> None:
        """Forget what was gathered."""
        self._id, self._runs, self._count = None, [], 0

    def require_none(self) -> None:
        """Refuse a conversation whose last line is missing."""
        if self._id is not None:
            raise CliError(f"a conversation breaks off conversation={self._id}")


def _found(line: bytes, number: int, parts: _Parts) -> Found | None:
    value = _object_of(line)
    if value is None:
        raise CliError(f"no JSON object line={number}")
    parts.goes_on = set(value) == {_NEXT}
    if set(value) in _NOTES:
        return _noted(value, parts)
    lone = _lone(value, number)
    if lone is not None:
        parts.require_none()
        return lone
    if not isinstance(value.get("turns"), list):
        raise CliError(f"no conversation, document or memory line={number}")
    first = value.get(_FIRST_TURN, 0)
    try:
        head = parse_record(line, name=str(value.get("conversation_id"))).head
    except CorruptRecordError as exc:
        raise CliError(f"{exc.message} line={number}") from exc
    if _FIRST_TURN in value:
        parts.add(head, first if isinstance(first, int) else -1, number)
        if _is_part(value):
            return None
        line = parts.whole(head)
        value = json.loads(line)
    parts.begin_again(head.conversation_id)
    return conversation_of_record(value, line)


def _noted(value: JsonObject, parts: _Parts) -> FoundSkipped | None:
    """Forget what was gathered of what is left out; what could not be read is worth saying."""
    if not parts.goes_on:
        parts.drop()
    return FoundSkipped(encoded(value["skipped"]).decode()) if "skipped" in value else None


def _is_part(value: JsonObject) -> bool:
    return set(value) == {"conversation_id", _FIRST_TURN, "turns"}


def _lone(value: JsonObject, number: int) -> FoundDocument | FoundMemory | None:
    """Return what stands in one line always, if this is such a one."""
    if isinstance(value.get("document"), dict):
        return _document(value["document"], number)
    return _memory(value, number) if set(value) == _MEMORY else None


def _document(value: JsonObject, number: int) -> FoundDocument:
    space, key = value.get("space"), value.get("key")
    if not isinstance(space, str) or not isinstance(key, str) or "value" not in value:
        raise CliError(f"a document needs a space, a key and a value line={number}")
    return FoundDocument(space, key, value["value"])


def _memory(value: JsonObject, number: int) -> FoundMemory:
    memory = value["memory"]
    if not isinstance(memory, dict):
        raise CliError(f"a memory is an object line={number}")
    return FoundMemory(memory)


def _object_of(line: bytes) -> JsonObject | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
