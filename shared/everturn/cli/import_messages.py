"""Lists of messages as OpenAI's and Anthropic's APIs take them, each message whole in its turn.

Not here: data exports of ChatGPT and Claude (import_chatgpt.py, import_claude.py). Messages of text
alone, which both APIs share, are read without this too (conversation_files.py).
https://platform.openai.com/docs/api-reference/chat/create
https://platform.openai.com/docs/api-reference/responses/create
https://docs.anthropic.com/en/api/messages
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from everturn.cli.conversation_files import FoundConversation, JsonObject
from everturn.cli.failures import CliError
from everturn.cli.foreign_values import called, conversation, list_in, object_in, text_in, turn
from everturn.domain.content_text import text_of_content

# `developer` is what OpenAI calls `system` by now; `function` is what it called `tool`.
_ROLES: Final = {"developer": "system", "function": "tool"}
# Where calls of the Responses API keep what they ask for.
_ASKED: Final = ("arguments", "input", "action", "queries", "code")
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
    return any(_kind(block) in _ANTHROPIC_BLOCKS for block in list_in(value, "content"))


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
    if not isinstance(message, dict) or not (text_in(message, "role") or _kind(message)):
        raise CliError(f"a message needs a role, an item a type {position}")
    role, kind = text_in(message, "role"), _kind(message)
    if role is None:
        is_answer = kind.endswith("_output")
        text = _output(message) if is_answer else _item_text(message, kind)
        return turn("tool" if is_answer else "assistant", text=text, content=message)
    text = _prose(message.get("content")) or "\n".join(_calls(message))
    role, name = _ROLES.get(role, role), text_in(message, "name")
    return turn(role, text=text, name=name, content=message)


def _anthropic_turn(message: object, position: str) -> JsonObject:
    role = text_in(message, "role") if isinstance(message, dict) else None
    if not isinstance(message, dict) or role is None or not message.get("content"):
        raise CliError(f"a message needs a role and content {position}")
    content = message["content"]
    blocks = [block for block in list_in(message, "content") if _kind(block) == "tool_use"]
    calls = [called(block.get("name"), block.get("input")) for block in blocks]
    return turn(role, text=text_of_content(content) or "\n".join(calls), content=content)


def _prose(content: Any) -> str:  # noqa: ANN401 - any JSON value
    """Return what a person reads of a content: its texts, and refusals, which are texts as well."""
    refusals = [
        refusal
        for part in (content if isinstance(content, list) else [])
        if isinstance(part, dict) and (refusal := text_in(part, "refusal"))
    ]
    return "\n".join(filter(None, [text_of_content(content), *refusals]))


def _calls(message: JsonObject) -> Iterator[str]:
    old = [{"function": message["function_call"]}] if "function_call" in message else []
    for call in [*list_in(message, "tool_calls"), *old]:
        if isinstance(call, dict):
            made = object_in(call, "function") or object_in(call, "custom")
            yield called(made.get("name"), made.get("arguments") or made.get("input") or "")


def _item_text(item: JsonObject, kind: str) -> str:
    """Return what an item of the Responses API calls; reasoning has no text: nobody was told it."""
    if not kind.endswith("_call"):
        return ""
    asked = next((item[name] for name in _ASKED if item.get(name)), "")
    return called(text_in(item, "name") or kind.removesuffix("_call"), asked)


def _output(item: JsonObject) -> str:
    return text_of_content(item.get("output"))


def _kind(value: object) -> str:
    kind = value.get("type") if isinstance(value, dict) else None
    return kind if isinstance(kind, str) else ""
