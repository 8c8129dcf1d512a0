"""A redacted turn: its number, role and time stay; what was said goes."""

from collections.abc import Sequence

from everturn.conversations.model.encoded_turns import StoredTurn
from everturn.values.go_json import JsonObject, JsonValue, dumps

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
