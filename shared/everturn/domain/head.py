"""The head file of a conversation: read from bytes, changed, written as Go would write it.

Not here: turns one by one (domain/turn.py), the store. The bytes of turns already stored are never
looked into for a write: a head keeps them as one run and is put together around it.

    {"conversation_id","title"?,"turns":[...],"updated", fields of other programs...,
     "folder"?,"archived"?,"metadata"?,"sealed"?,"deleted"?}
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite

from everturn.domain.go_json import JsonObject, JsonValue, dumps
from everturn.domain.timestamps import format_time, parse_time
from everturn.domain.turn import END_TIME_NS, Turn, readable_turn
from everturn.errors import CorruptRecordError


def _finite(text: str) -> float:
    """Read a number; also called for `NaN` and the like, which JSON does not have."""
    number = float(text)
    if not isfinite(number):
        raise ValueError("a number is out of range")
    return number


_DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_finite)
# RFC3339Nano in UTC sorts by its first 19 characters; the fraction varies in length.
_PLAIN_TIME = re.compile(r"(?:19[7-9]\d|20\d\d|2100)-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z", re.ASCII)
_WHITE = " \t\r\n"
# The fields that we add to Go's four, in the order in which they are written.
_OWN_FIELDS: dict[str, type] = {
    "folder": str, "archived": bool, "metadata": dict, "sealed": dict, "deleted": dict,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Head:
    """A conversation without parsed turns; `turns_json` is the inside of their array, verbatim."""

    conversation_id: str
    turns_json: bytes = b""
    turn_count: int = 0
    updated_ns: int = 0
    title: str = ""
    folder: str | None = None
    archived: bool = False
    metadata: JsonObject | None = None
    sealed: JsonObject | None = None
    deleted: JsonObject | None = None
    foreign: tuple[tuple[str, str], ...] = ()
    """Names and raw JSON of fields that another program wrote."""

    def with_turns(self, encoded: Sequence[bytes], *, updated_ns: int) -> "Head":
        """Return the head with turns appended."""
        run = b",".join([self.turns_json, *encoded] if self.turns_json else encoded)
        return replace(
            self, turns_json=run, turn_count=self.turn_count + len(encoded), updated_ns=updated_ns
        )

    def tombstone(self, *, updated_ns: int) -> "Head":
        """Return what stands in the place of a deleted conversation: no text at all."""
        return Head(self.conversation_id, updated_ns=updated_ns, deleted={"segs": [], "done": True})

    def encode(self) -> bytes:
        """Return the file, byte for byte as Go's encoding/json prints these fields."""
        title = f',"title":{dumps(self.title)}' if self.title else ""
        front = f'{{"conversation_id":{dumps(self.conversation_id)}{title},"turns":['
        fields = "".join(f",{dumps(name)}:{raw}" for name, raw in self._members())
        back = f'],"updated":"{format_time(self.updated_ns)}"{fields}}}'
        return front.encode() + self.turns_json + back.encode()

    def _members(self) -> list[tuple[str, str]]:
        own = [(name, getattr(self, name)) for name in _OWN_FIELDS]
        return [*self.foreign, *((name, dumps(value)) for name, value in own if value)]


@dataclass(frozen=True, slots=True)
class Record:
    """A head together with its turns as parsed values, in order."""

    head: Head
    values: tuple[JsonValue, ...]

    def readable_turns(self) -> list[Turn]:
        """Return the readable turns, oldest first; each keeps its number."""
        return list(self.oldest_turns())

    def newest_turns(self) -> Iterator[Turn]:
        """Yield the readable turns, newest first."""
        for index in range(len(self.values) - 1, -1, -1):
            turn = readable_turn(index, self.values[index])
            if turn is not None:
                yield turn

    def oldest_turns(self) -> Iterator[Turn]:
        """Yield the readable turns, oldest first."""
        numbered = (readable_turn(index, value) for index, value in enumerate(self.values))
        return (turn for turn in numbered if turn is not None)

    @property
    def newest_ns(self) -> int:
        """The greatest `ts` of all turns in Unix nanoseconds; 0 without any."""
        return _newest(self.values)


def parse_record(body: bytes, *, name: str) -> Record:
    """Read a head file, ours, Go's or a foreign one.

    Args:
        body: the file.
        name: the conversation, for the error's message.

    Raises:
        CorruptRecordError: it is no JSON object with a `conversation_id` and a list of turns.
    """
    try:
        text = body.decode("utf-8-sig")
        members, spans = _members_of(text)
    except (ValueError, RecursionError) as error:
        raise CorruptRecordError(f"a stored record cannot be read conversation={name}") from error
    values = members.pop("turns", ())
    # Go cannot read a title that is no string; it is kept like any field that is not ours.
    title = members.get("title")
    if title is None or isinstance(title, str):
        members.pop("title", None)
    conversation_id = members.pop("conversation_id", None)
    values = [] if values is None else values
    if not isinstance(conversation_id, str) or not isinstance(values, list):
        raise CorruptRecordError(f"a stored record has no id or no turns conversation={name}")
    updated_ns = _time(members.pop("updated", None))
    own = {key: members[key] for key, kind in _OWN_FIELDS.items() if _says(members.get(key), kind)}
    head = Head(
        conversation_id,
        turns_json=_inside(text, spans.get("turns")) if values else b"",
        turn_count=len(values),
        updated_ns=_newest(values) if updated_ns is None else updated_ns,
        title=title if isinstance(title, str) else "",
        foreign=tuple((key, text[slice(*spans[key])]) for key in members if key not in own),
        **own,  # type: ignore[arg-type]  # each value was checked against _OWN_FIELDS above
    )
    return Record(head, tuple(values))


def _says(value: JsonValue, kind: type) -> bool:
    """Whether a field is ours; an empty one says nothing to us, and stays as another wrote it."""
    return isinstance(value, kind) and bool(value)


def _inside(text: str, span: tuple[int, int] | None) -> bytes:
    start, end = span or (0, 0)
    return text[start + 1 : end - 1].strip(_WHITE).encode()


def _newest(values: Sequence[JsonValue]) -> int:
    """Return the greatest time; of plain UTC texts only those of the greatest second are parsed."""
    found = (value.get("ts") for value in values if isinstance(value, dict))
    texts = [text for text in found if isinstance(text, str)]
    second = max((text[:19] for text in texts if _PLAIN_TIME.fullmatch(text)), default="")
    likely = (t for t in texts if t.startswith(second) or not _PLAIN_TIME.fullmatch(t))
    return max((time for time in map(_time, likely) if time is not None), default=0)


def _time(text: JsonValue) -> int | None:
    """Read a time of a file; what lies beyond the year 2100 is a unit mistaken, not a time."""
    time_ns = parse_time(text) if isinstance(text, str) else None
    return None if time_ns is None or time_ns >= END_TIME_NS else time_ns


def _members_of(text: str) -> tuple[JsonObject, dict[str, tuple[int, int]]]:
    """Return the members of the one object in `text`, and where each value stands in it.

    Of a name that occurs twice the last counts, as in Go.

    Raises:
        ValueError: `text` is not one JSON object.
    """
    members: JsonObject = {}
    spans: dict[str, tuple[int, int]] = {}
    at = _expect(text, _skip(text, 0), "{")
    while text[at : at + 1] != "}" or members:
        name, at = _DECODER.raw_decode(text, at)
        start = _skip(text, _expect(text, _skip(text, at), ":"))
        value, at = _DECODER.raw_decode(text, start)
        if not isinstance(name, str):
            raise ValueError("a member's name is no string")  # noqa: TRY004  # the format is wrong, not a type of ours
        members[name], spans[name] = value, (start, at)
        at = _skip(text, at)
        if text[at : at + 1] == "}":
            break
        at = _skip(text, _expect(text, at, ","))
    if _skip(text, at + 1) != len(text):
        raise ValueError("something follows the object")
    return members, spans


def _skip(text: str, at: int) -> int:
    while text[at : at + 1] and text[at] in _WHITE:
        at += 1
    return at


def _expect(text: str, at: int, char: str) -> int:
    if text[at : at + 1] != char:
        raise ValueError(f"expected {char}")
    return _skip(text, at + 1)
