"""Convert messages of Strands to turns and back, deep-equal, and sort them by exchange.

Bytes are written as Strands itself writes them. The messages of two concurrent writers are
interleaved; sorting makes each exchange contiguous.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from strands.types.session import SessionMessage

from everturn.integrations.strands.stored_turn import OWN, UNKNOWN, kept_turn
from everturn.integrations.strands.values import decoded, object_of, stored
from everturn.wire.conversations import Turn

# The server shortens nothing: it refuses more (PATCH /v1/conversations/{id}/turns/{n}).
_MAX_REDACTED_CHARS: Final = 1_000
_NOTHING_LEFT: Final = "[redacted]"
_NOTHING_TO_READ: Final = "[no text]"
# All that Strands knows (strands/types/content.py, Role).
_SPEAKERS: Final = ("user", "assistant")


@dataclass(frozen=True, slots=True)
class SeenMessage:
    """A message, and the number of the one that its writer saw before it."""

    message: SessionMessage
    after: int = UNKNOWN


def turn_of(message: SessionMessage, *, whole: bool = False) -> dict[str, Any]:
    """Return the turn that keeps a message: its blocks as `content`, the rest beside them.

    Args:
        message: as Strands made it, with the number that Strands would give it: one more than that
            of the message before it. A turn has a number of its own.
        whole: keep all of it as `content` (`kept_turn`).
    """
    kept = stored(message)
    turn = kept_turn(kept["message"], kept, after=message.message_id - 1, whole=whole)
    return {**turn, "ts": kept["created_at"]}


def message_of(turn: Turn) -> SessionMessage:
    """Return the message that a turn keeps; of a turn that somebody else wrote, its text."""
    own = _own(turn)
    if own is None:
        said = {"role": _role(turn), "content": [{"text": _text(turn)}]}
        return _message(turn.index, said, {"created_at": turn.ts, "updated_at": turn.ts})
    if isinstance(turn.content, dict):
        return _message(turn.index, turn.content, own)
    said = {**own["message"], "role": turn.role, "content": turn.content}
    return _message(turn.index, said, own)


def after_of(turn: Turn) -> int:
    """Return the number of the message that the writer of a turn saw before it."""
    after = (_own(turn) or {}).get("after")
    return after if isinstance(after, int) else UNKNOWN


def redaction_of(message: SessionMessage, after: int) -> dict[str, Any]:
    """Return what is kept in place of a message: what is left of it, nothing of what it said."""
    kept = stored(message)
    left = kept["redact_message"] if message.redact_message is not None else kept["message"]
    times = {name: kept[name] for name in ("created_at", "updated_at")}
    redacted = message.redact_message is not None
    return {"message": left, "redacted": redacted, "after": after, **times}


def redacted_message(turn: Turn, redaction: object) -> SeenMessage:
    """Return the message that a redaction left, as Strands restores it.

    If somebody else redacted the turn after that, or another turn has its number now, what it
    left is not what the turn says: then the turn counts.
    """
    kept = object_of(redaction)
    said = object_of(kept.get("message"))
    if said.get("role") != turn.role or not _are_blocks(said.get("content")):
        return SeenMessage(message_of(turn))
    message = _message(turn.index, said, kept)
    if redacted_text(message) != turn.text:
        return SeenMessage(message_of(turn))
    if kept.get("redacted"):
        message.redact_message = message.message
    after = kept.get("after")
    return SeenMessage(message, after if isinstance(after, int) else UNKNOWN)


def redacted_text(message: SessionMessage) -> str:
    """Return the text that a redacted message shows in lists: at most 1,000 characters."""
    blocks = list(message.to_message()["content"])
    results = [part for block in blocks if "toolResult" in block
               for part in block["toolResult"]["content"]]  # fmt: skip
    texts = [part["text"] for part in (*blocks, *results) if "text" in part]
    return "\n".join(texts)[:_MAX_REDACTED_CHARS]


def _message(number: int, said: Mapping[str, Any], times: Mapping[str, Any]) -> SessionMessage:
    # Not by `SessionMessage.from_dict`: it looks at the signature of its class for each message.
    kept = {name: times[name] for name in ("created_at", "updated_at") if times.get(name)}
    return SessionMessage(decoded(said), number, **kept)


def _own(turn: Turn) -> dict[str, Any] | None:
    """Return what stands beside a message of ours; None of a turn that does not keep one."""
    own = (turn.metadata or {}).get(OWN)
    if not isinstance(own, dict):
        return None
    if isinstance(turn.content, dict):
        ours = turn.content.get("role") == turn.role and _are_blocks(turn.content.get("content"))
    else:
        ours = isinstance(own.get("message"), dict) and _are_blocks(turn.content)
    return own if ours and turn.role in _SPEAKERS else None


def _are_blocks(content: object) -> bool:
    return isinstance(content, list) and all(isinstance(block, dict) for block in content)


def _role(turn: Turn) -> str:
    return "assistant" if turn.role == "assistant" else "user"


def _text(turn: Turn) -> str:
    """Return what a turn says; a model refuses a blank text."""
    if turn.text.strip():
        return turn.text
    return _NOTHING_LEFT if turn.redacted else _NOTHING_TO_READ


def in_exchanges(seen: Iterable[SeenMessage]) -> list[SessionMessage]:
    """Return messages with each exchange in one piece, from what was asked to the answer.

    Exchanges come in the order in which they began, the messages of one in the order of their
    commits; those of a single writer stay as they are. So a model finds each result of a tool
    directly after its call, and user and assistant in turn.

    Args:
        seen: in the order of the commits.
    """
    exchanges: dict[int, list[SessionMessage]] = {}
    began_at: dict[int, int] = {}
    for one in seen:
        number = one.message.message_id
        begins = number if _begins(one.message) else began_at.get(one.after, number)
        began_at[number] = begins
        exchanges.setdefault(begins, []).append(one.message)
    return [message for exchange in exchanges.values() for message in exchange]


def _begins(message: SessionMessage) -> bool:
    said = message.to_message()
    return said["role"] == "user" and not any("toolResult" in block for block in said["content"])
