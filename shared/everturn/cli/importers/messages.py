"""Lists of messages as OpenAI's and Anthropic's APIs take them, each message whole in its turn.

Messages of text alone, which both APIs share, are read without this too (conversation_files.py).
https://platform.openai.com/docs/api-reference/chat/create
https://platform.openai.com/docs/api-reference/responses/create
https://docs.anthropic.com/en/api/messages
"""

from collections.abc import Sequence
from typing import Any, Final

from everturn.cli.importers.conversation_files import FoundConversation, JsonObject
from everturn.cli.importers.foreign_json import conversation, list_in, text_in, turn
from everturn.cli.output.errors import CliError
from everturn.conversations.model.content_text import text_of_content
from everturn.integrations.call_texts import called
from everturn.integrations.openai_agents.items import kind_of
from everturn.integrations.openai_agents.turns import turn_of_message

_ANTHROPIC_BLOCKS: Final = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking"})


def looks_like_openai(value: object) -> bool:
    """Say whether this is a message or an item that OpenAI's APIs alone know."""
    if not isinstance(value, dict):
        return False
    if "tool_calls" in value or "tool_call_id" in value or "function_call" in value:
        return "role" in value
    kind = value.get("type")
    is_item = isinstance(kind, str) and kind.endswith(("_call", "_call_output"))
    return is_item and "role" not in value


def looks_like_anthropic(value: object) -> bool:
    """Say whether this is a message with blocks that Anthropic's API alone knows."""
    if not isinstance(value, dict) or "role" not in value:
        return False
    return any(kind_of(block) in _ANTHROPIC_BLOCKS for block in list_in(value, "content"))


def messages_in(value: object) -> list[Any] | None:
    """Return the messages of a request's body, or of a line that is a conversation; else None.

    What the system is told stands beside the messages in Anthropic's API, and is the first of them.
    """
    if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        return None
    told = value.get("system")
    return [*([{"role": "system", "content": told}] if told else []), *value["messages"]]


def openai_conversation(
    messages: Sequence[object], *, conversation_id: str, position: str
) -> FoundConversation:
    """Return a conversation of Chat Completions messages, or items of the Responses API.

    Raises:
        CliError: one is neither, or the API does not take its turn.
    """
    turns = [_openai_turn(one, f"{position}[{at}]") for at, one in enumerate(messages)]
    return conversation(conversation_id, turns, position=position)


def anthropic_conversation(
    messages: Sequence[object], *, conversation_id: str, position: str
) -> FoundConversation:
    """Return a conversation of messages of the Messages API.

    Raises:
        CliError: one is no message, or the API does not take its turn.
    """
    turns = [_anthropic_turn(one, f"{position}[{at}]") for at, one in enumerate(messages)]
    return conversation(conversation_id, turns, position=position)


def _openai_turn(message: object, position: str) -> JsonObject:
    if not isinstance(message, dict) or not (text_in(message, "role") or kind_of(message)):
        raise CliError(f"a message needs a role, an item a type {position}")
    return turn_of_message(message)


def _anthropic_turn(message: object, position: str) -> JsonObject:
    role = text_in(message, "role") if isinstance(message, dict) else None
    if not isinstance(message, dict) or role is None or not message.get("content"):
        raise CliError(f"a message needs a role and content {position}")
    content = message["content"]
    blocks = [block for block in list_in(message, "content") if kind_of(block) == "tool_use"]
    calls = [called(block.get("name"), block.get("input")) for block in blocks]
    return turn(role, text=text_of_content(content) or "\n".join(calls), content=content)
