"""How far a conversation was consolidated: the file of its watermark.

Without a file nothing was read.

    {"conversation_id", "turns": how many of its first turns were read,
     "first" and "hashes": a hash of each turn from number `first` on, the last 50 of them,
     "read": when it moved last, null before it did,
     "size": how many turns the next window may have, "failures": how often that one failed,
     "applying": hashes of the turns after those, where memories are being made of them,
     "decided": a hash of what those memories are}
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from everturn.conversations.model.encoded_turns import is_redacted
from everturn.conversations.model.extraction_window import MAX_TURNS
from everturn.errors import CorruptRecordError
from everturn.values.go_json import JsonObject, JsonValue, dumps
from everturn.values.timestamps import format_time, parse_time

_HASH_CHARS: Final = 8


@dataclass(frozen=True, slots=True)
class Watermark:
    """How far it is; `hashes` are those of the turns from `first` to `turns`."""

    conversation_id: str
    turns: int = 0
    first: int = 0
    hashes: tuple[str, ...] = ()
    read_ns: int = 0
    """When it moved last, in Unix nanoseconds; 0 before it did."""
    size: int = MAX_TURNS
    failures: int = 0
    applying: str = ""
    decided: str = ""

    def encode(self) -> bytes:
        """Return it as it is stored."""
        value: JsonObject = {
            "conversation_id": self.conversation_id,
            "turns": self.turns,
            "first": self.first,
            "hashes": "".join(self.hashes),
            "read": format_time(self.read_ns) if self.read_ns else None,
            "size": self.size,
            "failures": self.failures,
            "applying": self.applying,
            "decided": self.decided,
        }
        return dumps(value).encode()

    def held_by(self, values: Sequence[JsonValue]) -> "Watermark":
        """Return it as it is for a conversation whose turns may have changed since.

        It goes back where the newest turns were taken back, maybe others came in their place, and
        to the beginning where all are others: the id lives again. A turn that was redacted is
        still that turn.

        Args:
            values: the turns from number `first` on, as they are stored, as far as there are any.
        """
        held = 0
        for known, value in zip(self.hashes, values, strict=False):
            if known != turn_hash(value) and not is_redacted(value):
                break
            held += 1
        if held == len(self.hashes):
            return self
        if not held:
            return Watermark(self.conversation_id)
        return replace(self, turns=self.first + held, hashes=self.hashes[:held]).before_applying()

    def past(self, values: Sequence[JsonValue], *, now_ns: int) -> "Watermark":
        """Return it after the next turns were read too; a window that was cut may grow again."""
        turns = self.turns + len(values)
        hashes = (*self.hashes, *turn_hashes(values))[-MAX_TURNS:]
        size = min(2 * self.size, MAX_TURNS)
        return Watermark(self.conversation_id, turns, turns - len(hashes), hashes, now_ns, size)

    def lowered(self, turns: int) -> "Watermark":
        """Return it where a conversation has so many turns left: the next one is read again.

        Even where it says the same: what the one before it said was taken back.
        """
        if turns >= self.turns:
            return self
        held = max(turns - self.first, 0)
        first = self.first if held else 0
        return replace(
            self, turns=turns, first=first, hashes=self.hashes[:held], applying="", decided=""
        )

    def before_applying(self, hashes: str = "", decided: str = "") -> "Watermark":
        """Return it as it is before memories are made of the next turns; of none by default.

        Whoever else has read these turns cannot move it any more, nor make other memories of them.
        Should the call that writes it end half-way, the next one knows which turns may have some.
        """
        return replace(self, applying=hashes, decided=decided)

    def lost(self, values: Sequence[JsonValue]) -> tuple[int, ...]:
        """Return the numbers of turns that may have memories and are others now, or none.

        Args:
            values: the turns from number `turns` on, as they are stored, as far as there are any.
        """
        now = turn_hashes(values)
        known = _parts(self.applying)
        return tuple(self.turns + at for at, one in enumerate(known) if one not in now[at : at + 1])

    def after_failure(self, *, size: int) -> "Watermark":
        """Return it after the next window failed: the one after has at most so many turns."""
        return replace(self, size=max(size, 1), failures=self.failures + 1)


def turn_hash(value: JsonValue) -> str:
    """Return 8 hex digits that tell a turn, as it is stored, from another one at its place.

    By who said what and when: another program that writes the file drops the other fields.
    """
    told = value
    if isinstance(value, dict):
        told = [value.get(name) for name in ("role", "text", "ts", "redacted")]
    return hashlib.sha256(dumps(told).encode()).hexdigest()[:_HASH_CHARS]


def turn_hashes(values: Sequence[JsonValue]) -> tuple[str, ...]:
    """Return the hash of each turn."""
    return tuple(map(turn_hash, values))


def parse_watermark(body: bytes) -> Watermark:
    """Read a stored watermark; of one that says only `turns`, the rest is as at the beginning.

    Raises:
        CorruptRecordError: the file says nothing of it.
    """
    try:
        value = json.loads(body)
        hashes = _parts(str(value.get("hashes", "")))
        mark = Watermark(
            str(value.get("conversation_id", "")),
            _number(value["turns"]),
            _number(value.get("first", 0)),
            hashes,
            parse_time(value.get("read") or "") or 0,
            _number(value.get("size", 0)) or MAX_TURNS,
            _number(value.get("failures", 0)),
            str(value.get("applying", "")),
            str(value.get("decided", "")),
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise CorruptRecordError("a stored watermark cannot be read") from error
    if hashes and mark.first + len(hashes) != mark.turns:
        raise CorruptRecordError("a stored watermark has another number of hashes")
    if max(len(hashes), len(_parts(mark.applying))) > MAX_TURNS:
        raise CorruptRecordError("a stored watermark has too many hashes")
    return mark


def _parts(hashes: str) -> tuple[str, ...]:
    return tuple(hashes[at : at + _HASH_CHARS] for at in range(0, len(hashes), _HASH_CHARS))


def _number(number: JsonValue) -> int:
    if type(number) is not int or number < 0:
        raise ValueError("it is no number of turns")
    return number
