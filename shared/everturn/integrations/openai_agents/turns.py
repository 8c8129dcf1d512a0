"""Convert items of the OpenAI Agents SDK to turns and back.

An item is one of the Responses API, or a message of Chat Completions. Any JSON object is accepted,
so files can be read without trusting them. No package of the SDK is needed: files are imported by
the same rules.
https://platform.openai.com/docs/api-reference/responses/create#responses-create-input
https://platform.openai.com/docs/api-reference/chat/create
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from everturn.integrations.call_texts import called
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


Item: TypeAlias = Mapping[str, Any]

TOOL: Final = "tool"
_ASSISTANT: Final = "assistant"
# `developer` is what OpenAI calls `system` by now; `function` is what it called `tool`.
_ROLES: Final = {
    **{role: role for role in ("user", _ASSISTANT, "system", TOOL)},
    "developer": "system",
    "function": TOOL,
}
# Where kinds of calls keep what they ask for: functions, custom tools, searches, code, images,
# shells, patches.
_ASKED: Final = (
    "arguments", "input", "queries", "code", "revised_prompt", "action", "operation",
)  # fmt: skip
# Calls that are not called so.
_OTHER_CALLS: Final = frozenset({"mcp_approval_request", "program"})
# An answer is worth nothing without the call before it, an approval of a person included.
_OTHER_ANSWERS: Final = frozenset({"mcp_approval_response"})
# Items that are neither calls nor answers. A later kind of those is known by its ending.
_OTHER_KINDS: Final = frozenset({
    "additional_tools", "compaction", "compaction_trigger", "configuration_update",
    "item_reference", "mcp_list_tools", "reasoning",
})  # fmt: skip
_ITEM_ROLES: Final = ("user", _ASSISTANT, "system", "developer")
# The Responses API refuses fields and parts that Chat Completions alone knows.
_COMPLETIONS_ALONE: Final = frozenset({
    "audio", "function_call", "name", "refusal", "tool_call_id", "tool_calls",
})  # fmt: skip
_OTHER_PARTS: Final = frozenset({"refusal", "video_url"})


def is_item(value: object) -> bool:
    """Say whether a value is an item that the Responses API takes."""
    kind = kind_of(value)
    if isinstance(value, dict) and "role" in value and kind in {"", "message"}:
        return _is_message(value)
    return _is_call(kind) or _is_answer(kind) or kind in _OTHER_KINDS


def is_plain_message(value: object) -> bool:
    """Say whether it is a message whose text Everturn reads in a content by itself.

    It does not know refusals.
    """
    if not isinstance(value, dict) or "role" not in value or not is_item(value):
        return False
    content = value.get("content")
    return isinstance(content, str) or all(kind_of(part) != "refusal" for part in content or ())


def role_of(item: Item) -> str:
    """Return who says it: `user`, `assistant`, `system` or `tool`."""
    role = item.get("role")
    if isinstance(role, str) and role in _ROLES:
        return _ROLES[role]
    return TOOL if _is_answer(kind_of(item)) else _ASSISTANT


def text_of(item: Item) -> str:
    """Return what a reader sees of it. Reasoning says nothing: nobody was told it."""
    if "role" in item:
        return _said(item)
    kind = kind_of(item)
    if _is_answer(kind):
        return _prose(item.get("output") or item.get("result"))
    if not _is_call(kind):
        return ""
    asked = next((item[field] for field in _ASKED if item.get(field)), "")
    return called(item.get("name") or kind.removesuffix("_call"), asked)


def kind_of(value: object) -> str:
    """Return the type of an item; nothing where it has none."""
    kind = value.get("type") if isinstance(value, dict) else None
    return kind if isinstance(kind, str) else ""


def _is_message(value: Item) -> bool:
    if value.get("role") not in _ITEM_ROLES or not _COMPLETIONS_ALONE.isdisjoint(value):
        return False
    content = value.get("content")
    return isinstance(content, str) or (isinstance(content, list) and all(map(_is_part, content)))


def _is_part(part: object) -> bool:
    kind = kind_of(part)
    return kind.startswith(("input_", "output_")) or kind in _OTHER_PARTS


def _is_call(kind: str) -> bool:
    return kind.endswith("_call") or kind in _OTHER_CALLS


def _is_answer(kind: str) -> bool:
    return kind.endswith("_output") or kind in _OTHER_ANSWERS


def _said(message: Item) -> str:
    """Return all that a message says, refusals included, or what it calls if it says nothing."""
    refusal = message.get("refusal")
    told = [_prose(message.get("content")), refusal if isinstance(refusal, str) else ""]
    return "\n".join(filter(None, told)) or "\n".join(_calls(message))


def _calls(message: Item) -> Iterator[str]:
    """Yield what a message of Chat Completions calls, in its present form and in its old one."""
    made = message.get("tool_calls")
    calls = [
        call.get("function") or call.get("custom")
        for call in (made if isinstance(made, list) else [])
        if isinstance(call, dict)
    ]
    for call in [*calls, message.get("function_call")]:
        if isinstance(call, dict):
            yield called(call.get("name"), call.get("arguments") or call.get("input") or "")


def _prose(value: object) -> str:
    """Return a string itself, else the texts and refusals among parts; images and files say none.

    The output of a shell is a list of what each command printed.
    """
    if isinstance(value, str):
        return value
    parts = value if isinstance(value, list) else []
    texts = (
        part.get(name)
        for part in parts
        if isinstance(part, dict)
        for name in ("text", "refusal", "stdout", "stderr")
    )
    return "\n".join(text for text in texts if isinstance(text, str) and text)
