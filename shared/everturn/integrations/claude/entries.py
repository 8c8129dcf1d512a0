"""Convert entries of a Claude transcript to turns and back, deep-equal.

An entry is the `content` of one turn. The turn's role and text are what a person or the agent said
in the entry. No turn can hold an entry that is larger, nested deeper, or has a lone surrogate. Such
an entry is compressed and split into parts, each the `content` of a turn of its own:

    {"type": "everturn-part", "entry": sha256, "part": 0, "parts": 3, "zlib": base64}
"""

import base64
import hashlib
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, cast

from claude_agent_sdk import SessionStoreEntry

from everturn.errors import TooLargeError
from everturn.wire.conversations import Turn

_PART: Final = "everturn-part"
# A turn holds 1,048,576 bytes with its frame, and 64 levels: two of them are the turn's.
_MAX_TURN_BYTES: Final = 1_000_000
_MAX_DEPTH: Final = 60
# Base64 has no character that any JSON writer escapes: a part is as long as it looks.
_PART_CHARS: Final = 720_000
# The text of a part leaves room for it in the turn, though each character be escaped.
_PART_TEXT_CHARS: Final = 40_000
# So large an entry is neither cut nor put together: a small part can unpack to any size.
_MAX_ENTRY_BYTES: Final = 100_000_000
# What the server writes longer than JSON has to: https://pkg.go.dev/encoding/json#HTMLEscape
_ESCAPED: Final = {b"&": 5, b"<": 5, b">": 5, "\u2028".encode(): 3, "\u2029".encode(): 3}
_YEARS: Final = range(1970, 2101)


@dataclass(frozen=True, slots=True)
class EntryTurn:
    """A turn to append: what is sent, its size in bytes as stored, and whose it is."""

    turn: Mapping[str, Any]
    size: int
    entry: SessionStoreEntry
    uuid: str | None
    is_last: bool
    """Whether its entry is whole with it."""


def turns_of(entry: SessionStoreEntry) -> list[EntryTurn]:
    """Return the turns that hold an entry: one, or one for each 540 KB of it, compressed.

    Raises:
        TooLargeError: it is above 100 MB.
    """
    fields = cast("Mapping[str, Any]", entry)
    role, text = said_in(fields)
    uuid = uuid_of(entry)
    whole = {"role": role, "text": text, "content": dict(fields), **_time_of(fields)}
    size = _stored_bytes(whole)
    if size <= _MAX_TURN_BYTES and _is_plain(fields):
        return [EntryTurn(whole, size, entry, uuid, is_last=True)]
    turns: list[EntryTurn] = []
    contents = _parts_of(fields)
    for content in contents:
        said = _sendable(text)[:_PART_TEXT_CHARS] if not turns else ""
        turn = {**whole, "text": said, "content": content}
        is_last = len(turns) + 1 == len(contents)
        turns.append(EntryTurn(turn, _stored_bytes(turn), entry, uuid, is_last))
    return turns


def uuid_of(entry: SessionStoreEntry) -> str | None:
    """Return what an entry is known by; None where it may be there twice."""
    uuid: object = entry.get("uuid")
    return uuid if isinstance(uuid, str) and uuid else None


@dataclass(slots=True)
class Joiner:
    """Puts entries together from a transcript's turns, as they come."""

    _seen: dict[str, Counter[int]]
    _bodies: dict[tuple[str, int], str]

    @classmethod
    def new(cls) -> "Joiner":
        """Return one that has seen nothing."""
        return cls({}, {})

    def entries(self, turns: Iterable[Turn]) -> Iterator[SessionStoreEntry]:
        """Yield each entry when its last turn comes.

        What another program appended, what was redacted and what is not whole are left out.
        """
        for turn in turns:
            content = turn.content
            if _kind(content) == _PART:
                content = self._joined(content)
            if _kind(content) is not None:
                yield cast("SessionStoreEntry", content)

    def _joined(self, content: object) -> object:
        match content:
            case {"entry": str(name), "part": int(number), "parts": int(parts), "zlib": str(body)}:
                self._bodies[name, number] = body
            case _:
                return None
        # Counted, not marked: two writers may write equal entries part by part, and both count.
        seen = self._seen.setdefault(name, Counter())
        seen[number] += 1
        if not all(seen[each] for each in range(parts)):
            return None
        seen.subtract(range(parts))
        packed = "".join(self._bodies[name, each] for each in range(parts))
        if not any(seen.values()):
            self._forget(name, parts)
        return _unpacked(packed)

    def _forget(self, name: str, parts: int) -> None:
        del self._seen[name]
        for each in range(parts):
            del self._bodies[name, each]


def _kind(content: object) -> str | None:
    """Return an entry's type; None where it is no entry."""
    kind = content.get("type") if isinstance(content, dict) else None
    return kind if isinstance(kind, str) else None


def _unpacked(packed: str) -> object:
    """Return what was compressed; None for what another program made up."""
    unzip = zlib.decompressobj()
    try:
        body = unzip.decompress(base64.b64decode(packed), _MAX_ENTRY_BYTES)
        return None if unzip.unconsumed_tail else json.loads(body)
    except (ValueError, RecursionError, zlib.error):
        return None


def _parts_of(entry: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Cut an entry into parts.

    Raises:
        TooLargeError: it would not be put together again.
    """
    body = json.dumps(entry).encode()
    if len(body) > _MAX_ENTRY_BYTES:
        raise TooLargeError(f"an entry is too large bytes={len(body)}")
    name = hashlib.sha256(body).hexdigest()
    packed = base64.b64encode(zlib.compress(body)).decode()
    pieces = [packed[at : at + _PART_CHARS] for at in range(0, len(packed), _PART_CHARS)]
    return [
        {"type": _PART, "entry": name, "part": part, "parts": len(pieces), "zlib": piece}
        for part, piece in enumerate(pieces)
    ]


def _is_plain(entry: Mapping[str, Any]) -> bool:
    """Say whether a turn's content gives an entry back as it was."""
    if entry.get("type") == _PART or set(entry) <= {"type", "text"}:
        # The second may be blank to the server, which drops blank turns.
        return False
    try:
        json.dumps(entry, ensure_ascii=False, allow_nan=False).encode()
    except ValueError:
        return False
    return _is_shallow(entry)


def _is_shallow(entry: Mapping[str, Any]) -> bool:
    level: list[Any] = [entry]
    for _ in range(_MAX_DEPTH):
        level = [inner for outer in level for inner in _children(outer)]
        if not level:
            return True
    return False


def _children(value: object) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _stored_bytes(turn: Mapping[str, Any]) -> int:
    body = json.dumps(turn, ensure_ascii=False).encode(errors="surrogatepass")
    return len(body) + sum(body.count(char) * more for char, more in _ESCAPED.items())


def _sendable(text: str) -> str:
    return text.encode(errors="replace").decode()


def _time_of(entry: Mapping[str, Any]) -> dict[str, str]:
    """Return the `ts` of an entry that tells a time that the server takes."""
    stamp = entry.get("timestamp")
    if not isinstance(stamp, str):
        return {}
    try:
        time = datetime.fromisoformat(stamp)
        if time.tzinfo is None:
            return {}
        time = time.astimezone(UTC)
    except (ValueError, OverflowError):
        return {}
    return {"ts": time.isoformat()} if time.year in _YEARS else {}


Said = tuple[str, str]
"""A role and a text, "" where nobody said anything."""

# What Claude Code writes in the user's place: commands with their output, hooks, the editor's
# state, an interruption. As `fold_session_summary` skips them for the first prompt.
_MACHINE_TEXT: Final = re.compile(
    r"\s*(?:<(?:command-[a-z]+|local-command-[a-z]+|session-start-hook|system-reminder|tick|goal"
    r"|ide_opened_file|ide_selection)>|\[Request interrupted by user[^\]]*\])"
)
_NOBODY: Final = "system"
# Entries that a program made: hints, what is left of a compacted session, errors of the API, and
# all that subagents say to one another.
_MARKS: Final = ("isMeta", "isCompactSummary", "isApiErrorMessage", "isSidechain")


def said_in(entry: Mapping[str, Any]) -> Said:
    """Return who says what: `user` and `assistant` where it was said, else `tool` or `system`.

    Only what was said has a text, so titles, previews, recall and memories are made of that.
    """
    content = _content_of(entry)
    kind = entry.get("type")
    if kind == "user" and any(part.get("type") == "tool_result" for part in _parts(content)):
        return "tool", ""
    if kind not in ("user", "assistant") or any(entry.get(mark) is True for mark in _MARKS):
        return _NOBODY, ""
    text = "\n".join(part for part in _texts(content) if not _MACHINE_TEXT.match(part))
    return (_NOBODY, "") if kind == "user" and not text.strip() else (kind, text)


def _content_of(entry: Mapping[str, Any]) -> object:
    message = entry.get("message")
    return message.get("content") if isinstance(message, dict) else None


def _parts(content: object) -> Iterator[Mapping[str, Any]]:
    if isinstance(content, list):
        yield from (part for part in content if isinstance(part, dict))


def _texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for part in _parts(content):
        if part.get("type") == "text" and isinstance(part.get("text"), str):
            yield part["text"]
