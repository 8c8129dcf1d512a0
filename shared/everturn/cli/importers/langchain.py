"""Message files of LangChain: what `messages_to_dict` makes, as FileChatMessageHistory writes it.

Checked against langchain-core 1.8.3; files of older versions have the same two fields.

    [{"type": "human" | "ai" | "system" | "tool" | "function" | "chat", "data": {"content", ...}}]
"""

from collections.abc import Sequence
from typing import Any, Final

from everturn.cli.importers.conversation_files import FoundConversation, JsonObject
from everturn.cli.importers.foreign_json import conversation, list_in, object_in, text_in, turn
from everturn.cli.output.errors import CliError
from everturn.conversations.model.turn import MAX_ROLE_CHARS
from everturn.integrations.call_texts import called

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
