"""Read messages of OpenAI, Anthropic and LangChain, each message whole in its turn.

OpenAI's and Anthropic's are lists of messages as the APIs take them. Messages of text alone, which
both APIs share, are read without this too (conversation_files.py).
https://platform.openai.com/docs/api-reference/chat/create
https://platform.openai.com/docs/api-reference/responses/create
https://docs.anthropic.com/en/api/messages

LangChain's are files that `messages_to_dict` makes, as FileChatMessageHistory writes them. This was
checked against langchain-core 1.8.3; files of older versions have the same two fields.

    [{"type": "human" | "ai" | "system" | "tool" | "function" | "chat", "data": {"content", ...}}]
"""

from collections.abc import Sequence
from typing import Any, Final

from everturn.cli.importers.conversation_files import FoundConversation, JsonObject
from everturn.cli.importers.foreign_json import conversation, list_in, object_in, text_in, turn
from everturn.cli.output.errors import CliError
from everturn.conversations.model.turn import MAX_ROLE_CHARS, text_of_content
from everturn.integrations.call_texts import called
from everturn.integrations.openai_agents.turns import kind_of, turn_of_message

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


# A chunk is a kind of the message that it is a part of.
_ROLES: Final = {
    "human": "user",
    "HumanMessageChunk": "user",
    "ai": "assistant",
    "AIMessageChunk": "assistant",
    "tool": "tool",
    "ToolMessageChunk": "tool",
    "function": "tool",
    "FunctionMessageChunk": "tool",
}
_CHAT: Final = frozenset({"chat", "ChatMessageChunk"})


def looks_like_langchain(value: object) -> bool:
    """Say whether this is a message as LangChain writes one."""
    if not isinstance(value, dict) or not isinstance(value.get("data"), dict):
        return False
    return isinstance(value.get("type"), str) and "content" in value["data"]


def langchain_conversation(
    messages: Sequence[object], *, conversation_id: str, position: str
) -> FoundConversation:
    """Return a conversation whose turns hold the messages of a file as they are.

    Raises:
        CliError: one is no message, or the API does not take its turn.
    """
    turns = [_turn(one, f"{position}[{at}]") for at, one in enumerate(messages)]
    return conversation(conversation_id, turns, position=position)


def _turn(message: object, position: str) -> JsonObject:
    if not isinstance(message, dict) or not looks_like_langchain(message):
        raise CliError(f"a message has a type and data with content {position}")
    data = object_in(message, "data")
    text = _text(data.get("content")) or "\n".join(_calls(data))
    name = text_in(data, "name")
    return turn(_role(message["type"], data), text=text, name=name, content=message)


def _role(kind: str, data: JsonObject) -> str:
    if kind in _CHAT and (said := text_in(data, "role")) and said.strip():
        return said[:MAX_ROLE_CHARS]
    return _ROLES.get(kind, "system")


def _text(content: Any) -> str:  # noqa: ANN401 - any JSON value
    """Return the text of a content as LangChain's `message.text` does: its texts, side by side."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(
        part if isinstance(part, str) else text_in(part, "text") or ""
        for part in parts
        if isinstance(part, str) or (isinstance(part, dict) and part.get("type") == "text")
    )


def _calls(data: JsonObject) -> list[str]:
    calls = [call for call in list_in(data, "tool_calls") if isinstance(call, dict)]
    return [called(call.get("name"), call.get("args")) for call in calls]
