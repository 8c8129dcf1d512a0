"""What an item of the OpenAI Agents SDK is as a turn, and a turn as an item.

Not here: sessions, which store and read them (integrations/openai_agents.py).
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias, cast

from agents.items import TResponseInputItem

from everturn.client.results import Turn

TurnFields: TypeAlias = dict[str, Any]

_USER, _ASSISTANT, _SYSTEM, _TOOL = "user", "assistant", "system", "tool"
# `developer` is what the Responses API calls `system`.
# https://platform.openai.com/docs/api-reference/responses/create#responses-create-input
_ROLES: Final = {
    **{role: role for role in (_USER, _ASSISTANT, _SYSTEM, _TOOL)},
    "developer": _SYSTEM,
}
# Where kinds of calls keep what they ask for: functions, custom tools, searches, code, images,
# shells, patches.
_ASKED: Final = (
    "arguments", "input", "queries", "code", "revised_prompt", "action", "operation",
)  # fmt: skip
# Calls that are not called so.
_OTHER_CALLS: Final = frozenset({"mcp_approval_request", "program"})
# A list and a search need the beginning of a call; the whole of it is in the turn's content.
_MAX_ASKED_CHARS: Final = 1_000


def turn_of_item(item: TResponseInputItem) -> TurnFields:
    """Return the turn that keeps an item: the item itself as content, with its role and text.

    The server reads the text of a message by itself. Reasoning has none: nobody was told it.
    """
    fields = cast("Mapping[str, Any]", item)
    turn: TurnFields = {"role": _role_of(fields), "content": item}
    text = _text_of(fields)
    return turn if text is None else {**turn, "text": text}


def item_of_turn(turn: Turn) -> TResponseInputItem | None:
    """Return the item that a turn keeps; None where a redaction left nothing to show.

    A turn that was redacted with other words, or that no session wrote, is a message of its text.
    The result of a tool is no message, and without its content nobody knows which call it answers.
    """
    if isinstance(turn.content, dict):
        return cast("TResponseInputItem", turn.content)
    if turn.role == _TOOL or not turn.text:
        return None
    role = turn.role if turn.role in _ROLES else _USER
    return cast("TResponseInputItem", {"role": role, "content": turn.text})


def items_of(turns: Iterable[Turn]) -> list[TResponseInputItem]:
    """Return the items that turns keep, in their order."""
    return [item for item in map(item_of_turn, turns) if item is not None]


def _role_of(item: Mapping[str, Any]) -> str:
    role, kind = item.get("role"), str(item.get("type"))
    if role in _ROLES:
        return _ROLES[role]
    # An answer is worth nothing without the call before it, an approval of a person included.
    is_answer = kind.endswith("_output") or kind == "mcp_approval_response"
    return _TOOL if is_answer else _ASSISTANT


def _text_of(item: Mapping[str, Any]) -> str | None:
    """Return the text to store; None where the server finds it in the content."""
    kind = str(item.get("type"))
    if "role" in item:
        return _refusal_of(item.get("content"))
    if kind.endswith("_output"):
        return _prose(item.get("output") or item.get("result"))
    is_call = kind.endswith("_call") or kind in _OTHER_CALLS
    return _call_of(item, kind) if is_call else ""


def _refusal_of(content: object) -> str | None:
    """Return all that a message says if it refuses: the server does not know refusals."""
    parts = content if isinstance(content, list) else []
    if not any(isinstance(part, dict) and "refusal" in part for part in parts):
        return None
    return _prose(parts)


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


def _call_of(item: Mapping[str, Any], kind: str) -> str:
    """Return what is called and with what: `get_weather {"city":"Paris"}`."""
    name = item.get("name") or kind.removesuffix("_call")
    asked = next((item[field] for field in _ASKED if item.get(field)), "")
    told = asked if isinstance(asked, str) else json.dumps(asked, ensure_ascii=False)
    return f"{name} {told[:_MAX_ASKED_CHARS]}".strip()
