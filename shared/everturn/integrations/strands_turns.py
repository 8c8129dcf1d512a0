"""A message of Strands as a turn, and back again, deep-equal.

Not here: where its turns lie (strands_names.py). Bytes are written as Strands itself writes them.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from strands.types.session import SessionMessage, decode_bytes_values

from everturn.client.results import Turn
from everturn.integrations.strands_exchanges import UNKNOWN, SeenMessage

_OWN: Final = "strands"
# Metadata of a turn ends at 16 KB as the server writes it, where a character takes six at most.
_MAX_BESIDE_CHARS: Final = 2_500
# The server shortens nothing: it refuses more (PATCH /v1/conversations/{id}/turns/{n}).
_MAX_REDACTED_CHARS: Final = 1_000
_NOTHING_LEFT: Final = "[redacted]"


def turn_of(message: SessionMessage, *, whole: bool = False) -> dict[str, Any]:
    """Return the turn that keeps a message: its blocks as `content`, the rest beside them.

    Args:
        message: as Strands made it, with the number that Strands would give it: one more than that
            of the message before it. A turn has a number of its own.
        whole: keep all of it as `content`. So a message without any visible content is a turn as
            well, and so is one with more beside its blocks than a turn has room for.
    """
    kept = message.to_dict()
    said: dict[str, Any] = kept["message"]
    beside = {name: said[name] for name in said if name not in {"role", "content"}}
    own = {
        "after": message.message_id - 1,
        "created_at": kept["created_at"],
        "updated_at": kept["updated_at"],
    }
    whole = whole or len(json.dumps(beside)) > _MAX_BESIDE_CHARS
    return {
        "role": said["role"],
        "content": said if whole else said["content"],
        "ts": kept["created_at"],
        "metadata": {_OWN: own if whole else {**own, "message": beside}},
    }


def message_of(turn: Turn) -> SessionMessage:
    """Return the message that a turn keeps; of a turn that somebody else wrote, its text."""
    own = (turn.metadata or {}).get(_OWN)
    if not isinstance(own, dict):
        said = {"role": _role(turn), "content": [{"text": _text(turn)}]}
        return _message(turn.index, said, {"created_at": turn.ts, "updated_at": turn.ts})
    if isinstance(turn.content, dict):
        return _message(turn.index, turn.content, own)
    said = {"role": turn.role, "content": turn.content, **own.get("message", {})}
    return _message(turn.index, said, own)


def after_of(turn: Turn) -> int:
    """Return the number of the message that the writer of a turn saw before it."""
    own = (turn.metadata or {}).get(_OWN)
    return int(own.get("after", UNKNOWN)) if isinstance(own, dict) else UNKNOWN


def redaction_of(message: SessionMessage, after: int) -> dict[str, Any]:
    """Return what is kept in place of a message: what is left of it, nothing of what it said."""
    kept = message.to_dict()
    left = kept["redact_message"] if message.redact_message is not None else kept["message"]
    times = {name: kept[name] for name in ("created_at", "updated_at")}
    redacted = message.redact_message is not None
    return {"message": left, "redacted": redacted, "after": after, **times}


def redacted_message(turn: Turn, redaction: Mapping[str, Any]) -> SeenMessage:
    """Return the message that a redaction left, as Strands restores it.

    If somebody else redacted the turn after that, or another turn has its number now, what it
    left is not what the turn says: then the turn counts.
    """
    message = _message(turn.index, redaction["message"], redaction)
    if (message.message["role"], redacted_text(message)) != (turn.role, turn.text):
        return SeenMessage(message_of(turn))
    if redaction["redacted"]:
        message.redact_message = message.message
    return SeenMessage(message, redaction["after"])


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
    return SessionMessage(decode_bytes_values(dict(said)), number, **kept)


def _role(turn: Turn) -> str:
    """Strands knows two speakers."""
    return "assistant" if turn.role == "assistant" else "user"


def _text(turn: Turn) -> str:
    return turn.text or (_NOTHING_LEFT if turn.redacted else "")
