"""Encode turns as a head stores them, as one run of bytes: split, join, time range, redaction.

A redacted turn keeps its number, role and time; its text is replaced.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from everturn.conversations.model.turn import END_TIME_NS
from everturn.values.go_json import JsonObject, JsonValue, dumps, items_of
from everturn.values.timestamps import parse_time

# RFC3339Nano in UTC sorts by its first 19 characters; the fraction varies in length.
_PLAIN_TIME = re.compile(r"(?:19[7-9]\d|20\d\d|2100)-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """One turn as it stands in a file: its bytes, and what they say."""

    encoded: bytes
    value: JsonValue


def split_run(turns_json: bytes) -> list[StoredTurn]:
    """Take a run apart.

    Raises:
        ValueError: it is none; no head that was read or written holds such a one.
    """
    return [StoredTurn(text.encode(), value) for text, value in items_of(turns_json.decode())]


def join_run(turns: Iterable[StoredTurn]) -> bytes:
    """Join turns to a run."""
    return b",".join(turn.encoded for turn in turns)


def newest_time(values: Sequence[JsonValue]) -> int:
    """Return the greatest `ts` in Unix nanoseconds, 0 without any.

    Of plain UTC texts only those of the greatest second are parsed.
    """
    found = (value.get("ts") for value in values if isinstance(value, dict))
    texts = [text for text in found if isinstance(text, str)]
    second = max((text[:19] for text in texts if _PLAIN_TIME.fullmatch(text)), default="")
    likely = (t for t in texts if t.startswith(second) or not _PLAIN_TIME.fullmatch(t))
    return max((time for time in map(file_time, likely) if time is not None), default=0)


def oldest_time(values: Sequence[JsonValue]) -> int:
    """Return the least `ts` in Unix nanoseconds; 0 where any turn has none, or an unusual one."""
    found = [value.get("ts") if isinstance(value, dict) else None for value in values]
    texts = [text for text in found if isinstance(text, str) and _PLAIN_TIME.fullmatch(text)]
    if not texts or len(texts) < len(found):
        return 0
    second = min(text[:19] for text in texts)
    return min((file_time(text) or 0 for text in texts if text.startswith(second)), default=0)


def file_time(text: JsonValue) -> int | None:
    """Read a time of a file; what lies beyond the year 2100 is a unit mistaken, not a time."""
    time_ns = parse_time(text) if isinstance(text, str) else None
    return None if time_ns is None or time_ns >= END_TIME_NS else time_ns


_KEPT = ("role", "ts")


def redacted(value: JsonValue, *, text: str) -> StoredTurn:
    """Return what takes the place of a stored turn, with `text` for what it said."""
    fields = value if isinstance(value, dict) else {}
    kept = {name: fields[name] for name in _KEPT if isinstance(fields.get(name), str)}
    role: JsonObject = {"role": kept["role"]} if "role" in kept else {}
    ts: JsonObject = {"ts": kept["ts"]} if "ts" in kept else {}
    turn: JsonObject = {**role, "text": text, **ts, "redacted": True}
    return StoredTurn(dumps(turn).encode(), turn)


def with_replaced(turns: Sequence[StoredTurn], at: int, turn: StoredTurn) -> list[StoredTurn]:
    """Return turns with another one at this place."""
    return [*turns[:at], turn, *turns[at + 1 :]]


def is_redacted(value: JsonValue) -> bool:
    """Say whether a turn, as it is stored, was redacted."""
    return isinstance(value, dict) and value.get("redacted") is True
