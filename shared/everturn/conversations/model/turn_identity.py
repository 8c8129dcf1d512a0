"""What every program keeps of a turn, by which a file that one of them wrote shows it again."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from everturn.conversations.model.encoded_turns import file_time
from everturn.values.go_json import JsonValue, dumps

# Enough to tell the turn that follows from another one of the same time, and too little to confirm
# a guess of what it said, which may be redacted later.
_CHECK_CHARS = 4


class SaidTurn(NamedTuple):
    """Who said what, and when; a time as a number, since another program may write it otherwise."""

    role: str
    text: str
    at: int | str
    redacted: bool = False

    def is_also(self, other: "SaidTurn") -> bool:
        """Say whether another program's turn is this one, perhaps as it was before a redaction."""
        return self[:3] == other[:3] or (self.redacted and self.is_there(other))

    def is_there(self, other: "SaidTurn") -> bool:
        """Say the same where either of them may have been redacted."""
        in_place = (self.role, self.at) == (other.role, other.at)
        return in_place and (self.text == other.text or self.is_blank or other.is_blank)

    @property
    def is_blank(self) -> bool:
        """Whether it says nothing by which it could be known."""
        return self.redacted or not self.text


def said_turns(values: Iterable[JsonValue]) -> list[SaidTurn]:
    """Return what stored turns say, in their order; what is no turn says nothing."""
    return [_said(value) for value in values]


def _said(value: JsonValue) -> SaidTurn:
    if not isinstance(value, dict):
        return SaidTurn("", "", "")
    role, text = str(value.get("role", "")), str(value.get("text", ""))
    return SaidTurn(role, text, _instant(ts_of(value)), value.get("redacted") is True)


def ts_of(value: JsonValue) -> str:
    """Return the `ts` of a stored turn as it stands there, "" without one."""
    ts = value.get("ts") if isinstance(value, dict) else None
    return ts if isinstance(ts, str) else ""


def time_of_turn(value: JsonValue) -> int | None:
    """Return when a stored turn was said, None where it does not tell."""
    return file_time(ts_of(value))


def _instant(ts: str) -> int | str:
    time_ns = file_time(ts)
    return ts if time_ns is None else time_ns


@dataclass(frozen=True, slots=True)
class Follower:
    """The turn that followed a segment when it was written: its `ts`, and a check of the rest."""

    ts: str
    check: str = ""
    """16 bits in hex; "" where nobody noted them."""

    @classmethod
    def of(cls, value: JsonValue) -> "Follower":
        """Return what is noted of a turn."""
        return cls(ts_of(value), _check(_said(value)))

    def is_at(self, turn: SaidTurn) -> bool:
        """Say whether a turn is of the same time."""
        return _instant(self.ts) == turn.at

    def is_other(self, turn: SaidTurn) -> bool:
        """Say whether a turn of the same time says something else; of a redacted one nobody knows.

        One of 65,536 others is taken for the same.
        """
        return bool(self.check) and not turn.is_blank and self.check != _check(turn)


def _check(turn: SaidTurn) -> str:
    said = dumps([turn.role, turn.text, turn.at]).encode()
    return hashlib.sha256(said).hexdigest()[:_CHECK_CHARS]
