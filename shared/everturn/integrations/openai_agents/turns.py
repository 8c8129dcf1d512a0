"""What an item of the OpenAI Agents SDK is as a turn, and a turn as an item.

Needs no package of the SDK: files are imported by the same rules.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from everturn.integrations.openai_agents.items import (
    TOOL,
    is_item,
    is_plain_message,
    role_of,
    text_of,
)
from everturn.wire.conversations import Turn

if TYPE_CHECKING:
    from agents.items import TResponseInputItem

TurnFields: TypeAlias = dict[str, Any]

_SPEAKERS: Final = frozenset({"user", "assistant", "system"})
# The server refuses a longer one; the content has it.
_MAX_NAME_CHARS: Final = 256
# What a session is given and is no item, such as an envelope of `EncryptedSession`, is kept under
# this name: so it comes back, and what others stored is not taken for an item.
_GIVEN: Final = "openai_agents"


def turn_of_item(item: "TResponseInputItem") -> TurnFields:
    """Return the turn that keeps an item of a session: the item itself as content, role and text.

    The server reads the text of a message by itself.
    """
    fields = cast("Mapping[str, Any]", item)
    turn = turn_of_message(fields)
    return turn if is_item(item) else {**turn, "content": {_GIVEN: item}}


def turn_of_message(message: Mapping[str, Any]) -> TurnFields:
    """Return the turn that keeps an item or a message of Chat Completions, itself as content."""
    turn: TurnFields = {"role": role_of(message), "content": message}
    if not is_plain_message(message):
        turn["text"] = text_of(message)
    name = message.get("name")
    if "role" in message and isinstance(name, str) and 0 < len(name) <= _MAX_NAME_CHARS:
        turn["name"] = name
    return turn


def item_of_turn(turn: Turn) -> "TResponseInputItem | None":
    """Return the item that a turn keeps; None where a redaction left nothing to show.

    A turn that was redacted with other words, or whose content is no item, is a message of its
    text. The result of a tool is no message, and without its content nobody knows which call it
    answers.
    """
    content = turn.content
    if isinstance(content, dict) and content.keys() == {_GIVEN}:
        return cast("TResponseInputItem", content[_GIVEN])
    if is_item(content):
        return cast("TResponseInputItem", content)
    if turn.role == TOOL or not turn.text:
        return None
    role = turn.role if turn.role in _SPEAKERS else "user"
    return cast("TResponseInputItem", {"role": role, "content": turn.text})


def items_of(turns: Iterable[Turn]) -> "list[TResponseInputItem]":
    """Return the items that turns keep, in their order."""
    return [item for item in map(item_of_turn, turns) if item is not None]
