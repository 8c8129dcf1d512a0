"""Messages of LangChain: every class, tool calls, artifacts, several media."""

from collections.abc import Iterable
from typing import Any, Final

from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    ChatMessageChunk,
    FunctionMessage,
    FunctionMessageChunk,
    HumanMessage,
    HumanMessageChunk,
    RemoveMessage,
    SystemMessage,
    SystemMessageChunk,
    ToolMessage,
    ToolMessageChunk,
)


def texts(messages: Iterable[BaseMessage]) -> list[Any]:
    return [message.content for message in messages]


def said(words: str) -> list[BaseMessage]:
    return [HumanMessage(word) for word in words.split()]


CALL: Final = AIMessage(
    "",
    id="run-1",
    tool_calls=[{"name": "weather", "args": {"city": "Ulm"}, "id": "call_1", "type": "tool_call"}],
    usage_metadata={"input_tokens": 3, "output_tokens": 5, "total_tokens": 8},
)
RESULT: Final = ToolMessage(
    "14 degrees in Ulm", name="weather", tool_call_id="call_1", artifact={"celsius": [14, 14.5]}
)

# Each with the role and the text that its turn is to have.
TABLE: Final[tuple[tuple[BaseMessage, str, str], ...]] = (
    (HumanMessage("Where is Ulm?", id="h1", name="Anna"), "user", "Where is Ulm?"),
    (AIMessage("On the Danube \U0001f30a"), "assistant", "On the Danube \U0001f30a"),
    (SystemMessage("Be brief", additional_kwargs={"cache": {"ttl": None}}), "system", "Be brief"),
    (CALL, "assistant", 'weather {"city": "Ulm"}'),
    (RESULT, "tool", "14 degrees in Ulm"),
    (ToolMessage("no", tool_call_id="call_2", status="error"), "tool", "no"),
    (
        HumanMessage(
            [
                {"type": "text", "text": "What is this?"},
                {"type": "image", "base64": "iVBORw0KGgo=", "mime_type": "image/png"},
                "plain",
            ]
        ),
        "user",
        "What is this?plain",
    ),
    (
        AIMessage(
            [
                {"type": "reasoning", "reasoning": "Ulm is a city"},
                {"type": "text", "text": "A church"},
                {"type": "tool_use", "id": "call_3", "name": "look", "input": {}},
            ],
            tool_calls=[{"name": "look", "args": {}, "id": "call_3"}],
            response_metadata={"model_provider": "anthropic", "stop_reason": None},
        ),
        "assistant",
        "A church",
    ),
    (
        AIMessage("", invalid_tool_calls=[{"name": "f", "args": "{", "id": "x", "error": "cut"}]),
        "assistant",
        "",
    ),
    (FunctionMessage(content="42", name="answer"), "tool", "42"),
    (ChatMessage(content="Order!", role="judge"), "judge", "Order!"),
    (ChatMessage(content="?", role=" "), "system", "?"),
    (RemoveMessage(id="h1"), "system", ""),
    (HumanMessageChunk(content="Hel"), "user", "Hel"),
    (AIMessageChunk(content="lo", chunk_position="last"), "assistant", "lo"),
    (SystemMessageChunk(content="s"), "system", "s"),
    (ToolMessageChunk(content="t", tool_call_id="call_4"), "tool", "t"),
    (FunctionMessageChunk(content="f", name="answer"), "tool", "f"),
    (ChatMessageChunk(content="c", role="judge"), "judge", "c"),
)
MESSAGES: Final = [message for message, _, _ in TABLE]
