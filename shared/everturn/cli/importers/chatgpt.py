"""Conversations of ChatGPT's data export: conversations.json, or conversations-000.json and on.

OpenAI publishes no description; this is what exports of 2023 to 2026 look like, as their readers
tell.
https://whychose.com/seo/chatgpt-conversations-json-format
https://github.com/mitkury/chatgpt-export-parser/blob/main/docs/chatgpt-data-export-format.md

    [{"title", "create_time", "conversation_id", "is_archived", "current_node", "mapping": {
        id: {"id", "parent", "children", "message": null | {
            "id", "author": {"role", "name"}, "create_time", "weight", "metadata",
            "content": {"content_type", "parts" | "text" | ...}}}}}]
"""

from collections.abc import Iterator
from typing import Any, Final

from everturn.cli.importers.conversation_files import FoundConversation, JsonObject
from everturn.cli.importers.foreign_json import (
    branch_to,
    conversation,
    list_in,
    newest_leaf,
    nothing_said,
    object_in,
    text_in,
    time_of,
    turn,
)
from everturn.cli.output.errors import CliError

# Where kinds of content keep their words: code, output, quotes, results, custom instructions.
# Reasoning (`thoughts`) has none: nobody was told it.
_WORDS: Final = ("text", "result", "user_profile", "user_instructions", "model_set_context")


def looks_like_chatgpt(value: object) -> bool:
    """Say whether this is a conversation of such an export."""
    if not isinstance(value, dict) or not isinstance(value.get("mapping"), dict):
        return False
    return bool({"current_node", "create_time", "title"} & set(value))


def chatgpt_conversation(value: JsonObject, position: str) -> FoundConversation:
    """Return the branch of a conversation that was seen last.

    Raises:
        CliError: it has no id, or a turn that the API does not take.
    """
    id_ = text_in(value, "conversation_id", "id")
    if id_ is None:
        raise CliError(f"a conversation needs an id {position}")
    nodes = {
        key: node for key, node in object_in(value, "mapping").items() if isinstance(node, dict)
    }
    branch = _branch(value, nodes)
    messages = [message for key in branch if (message := object_in(nodes[key], "message"))]
    others = sum(1 for node in nodes.values() if object_in(node, "message")) - len(messages)
    return conversation(
        id_,
        list(_turns(messages, time_of(value.get("create_time")))),
        position=position,
        title=text_in(value, "title"),
        archived=value.get("is_archived") is True,
        notes=[f"other branches are left out messages={others}"] if others else [],
    )


def _branch(value: JsonObject, nodes: dict[str, JsonObject]) -> list[str]:
    parents = {key: text_in(node, "parent") for key, node in nodes.items()}
    leaf = text_in(value, "current_node")
    if leaf not in nodes:
        times = {key: _time(object_in(node, "message")) or "" for key, node in nodes.items()}
        leaf = newest_leaf(parents, times)
    return [] if leaf is None else branch_to(leaf, parents)


def _turns(messages: list[JsonObject], began: str | None) -> Iterator[JsonObject]:
    ts = began
    for message in messages:
        # A message without a time was said when the one before it was.
        ts = _time(message) or ts
        role, text = _role(message), _text(object_in(message, "content"))
        if not text.strip() and not _shows(message):
            yield nothing_said(role)
        else:
            name = text_in(object_in(message, "author"), "name")
            yield turn(role, text=text, ts=ts, name=name, content=message)


def _time(message: JsonObject) -> str | None:
    return time_of(message.get("create_time"))


def _role(message: JsonObject) -> str:
    """Return who speaks; what ChatGPT put in a user's mouth unseen, such as instructions, is none.

    A title and a memory are made of what users say.
    """
    role = text_in(object_in(message, "author"), "role") or "system"
    unseen = object_in(message, "metadata").get("is_visually_hidden_from_conversation") is True
    return "system" if role == "user" and (unseen or message.get("weight") == 0) else role


def _text(content: JsonObject) -> str:
    parts = [_part(part) for part in list_in(content, "parts")]
    others = [text_in(content, name) for name in _WORDS]
    return "\n".join(words for words in (*parts, *others) if words)


def _part(part: Any) -> str | None:  # noqa: ANN401 - any JSON value
    """Return the words of a part: text, or what was heard in a recording; images have none."""
    if isinstance(part, dict):
        return text_in(part, "text")
    return part if isinstance(part, str) else None


def _shows(message: JsonObject) -> bool:
    """Say whether a message without words has an image, a file, or reasoning."""
    content = object_in(message, "content")
    parts = [part for part in list_in(content, "parts") if isinstance(part, dict)]
    attached = list_in(object_in(message, "metadata"), "attachments")
    return bool(parts or attached or list_in(content, "thoughts"))
