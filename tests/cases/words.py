"""The words of the cases in ours: messages are turns, contents are texts."""

from typing import Final

from functions.house import Json

_PLAIN: Final = {"role", "content", "created_at"}
# Names of the cases -> ours, in bytes that need not be JSON.
_NAMES: Final = {'"id":': '"conversation_id":', '"messages":': '"turns":', '"content":': '"text":'}


def turn_of(message: Json) -> Json:
    """A message as an append takes it; what has no field of its own is kept as content."""
    turn = {"role": message["role"]} if "role" in message else {}
    if "created_at" in message:
        turn["ts"] = message["created_at"]
    if not set(message) <= _PLAIN or "content" not in message:
        return {**turn, "content": message}
    text = message["content"]
    return {**turn, "content" if isinstance(text, list | dict) else "text": text}


def message_of(turn: Json) -> Json:
    """The message that a turn was made of."""
    content = turn.get("content")
    if isinstance(content, dict) and "role" in content:
        return content
    return {"role": turn["role"], "content": turn["text"] if content is None else content}


def in_our_words(text: str) -> str:
    """A body with the names of our fields."""
    for theirs, ours in _NAMES.items():
        text = text.replace(theirs, ours)
    return text
