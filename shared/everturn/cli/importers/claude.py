"""Conversations of Claude's data export: conversations.json.

Anthropic publishes no description; this is what exports of 2024 to 2026 look like, as their readers
tell.
https://github.com/CherryHQ/cherry-studio/pull/16164 (branches, August 2026)

    [{"uuid", "name", "created_at", "current_leaf_message_uuid"?, "chat_messages": [
        {"uuid", "parent_message_uuid"?, "sender": "human" | "assistant", "created_at", "text",
         "content": [{"type": "text" | "thinking" | "tool_use" | "tool_result", ...}],
         "attachments": [{"file_name", "extracted_content"}], "files": [{"file_name"}]}]}]
"""

from typing import Final

from everturn.cli.importers.conversation_files import FoundConversation, JsonObject
from everturn.cli.importers.foreign_json import (
    branch_to,
    conversation,
    list_in,
    newest_leaf,
    nothing_said,
    text_in,
    time_of,
    turn,
)
from everturn.cli.output.errors import CliError
from everturn.integrations.call_texts import called

_ROLES: Final = {"human": "user", "user": "user", "assistant": "assistant"}


def looks_like_claude(value: object) -> bool:
    """Say whether this is a conversation of such an export."""
    return isinstance(value, dict) and isinstance(value.get("chat_messages"), list)


def claude_conversation(value: JsonObject, position: str) -> FoundConversation:
    """Return the branch of a conversation that was seen last.

    Raises:
        CliError: it has no id, a message is none, or a turn is one that the API does not take.
    """
    id_ = text_in(value, "uuid")
    if id_ is None:
        raise CliError(f"a conversation needs an id {position}")
    messages = list_in(value, "chat_messages")
    for number, message in enumerate(messages):
        if not isinstance(message, dict):
            raise CliError(f"a message is an object {position}.chat_messages[{number}]")
    branch = _branch(value, messages)
    others = len(messages) - len(branch)
    return conversation(
        id_,
        [_turn(message) for message in branch],
        position=position,
        title=text_in(value, "name"),
        notes=[f"other branches are left out messages={others}"] if others else [],
    )


def _branch(value: JsonObject, messages: list[JsonObject]) -> list[JsonObject]:
    """Return the messages of the newest branch; all of them where no parent is among them."""
    by_id = {id_: message for message in messages if (id_ := text_in(message, "uuid"))}
    parents = {id_: text_in(message, "parent_message_uuid") for id_, message in by_id.items()}
    if len(by_id) < len(messages) or not any(parent in by_id for parent in parents.values()):
        return messages
    leaf = text_in(value, "current_leaf_message_uuid")
    if leaf not in by_id:
        times = {id_: time_of(one.get("created_at")) or "" for id_, one in by_id.items()}
        leaf = newest_leaf(parents, times)
    return [] if leaf is None else [by_id[id_] for id_ in branch_to(leaf, parents)]


def _turn(message: JsonObject) -> JsonObject:
    sender = text_in(message, "sender") or "system"
    role, text = _ROLES.get(sender, sender), _text(message)
    if not text.strip() and not _shows(message):
        return nothing_said(role)
    return turn(role, text=text, ts=time_of(message.get("created_at")), content=message)


def _shows(message: JsonObject) -> bool:
    """Say whether a message without words has a file, or a block that is no text."""
    blocks = [block for block in list_in(message, "content") if isinstance(block, dict)]
    files = list_in(message, "attachments") or list_in(message, "files")
    return bool(files) or not all(map(_is_said, blocks))


def _text(message: JsonObject) -> str:
    """Return what was said, else what was called; `text` says of a tool that it cannot be shown."""
    blocks = [block for block in list_in(message, "content") if isinstance(block, dict)]
    said = [text for block in blocks if _is_said(block) and (text := text_in(block, "text"))]
    calls = [called(b.get("name"), b.get("input")) for b in blocks if b.get("type") == "tool_use"]
    return "\n".join(said or calls) or text_in(message, "text") or ""


def _is_said(block: JsonObject) -> bool:
    return block.get("type") == "text"
