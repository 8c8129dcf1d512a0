"""What a person and the agent said in an entry of a Claude transcript: its role and its text."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

Said = tuple[str, str]
"""A role and a text, "" where nobody said anything."""

# What Claude Code writes in the user's place: commands with their output, hooks, the editor's
# state, an interruption. As `fold_session_summary` skips them for the first prompt.
_MACHINE_TEXT: Final = re.compile(
    r"\s*(?:<(?:command-[a-z]+|local-command-[a-z]+|session-start-hook|system-reminder|tick|goal"
    r"|ide_opened_file|ide_selection)>|\[Request interrupted by user[^\]]*\])"
)
_NOBODY: Final = "system"
# Entries that a program made: hints, what is left of a compacted session, errors of the API, and
# all that subagents say to one another.
_MARKS: Final = ("isMeta", "isCompactSummary", "isApiErrorMessage", "isSidechain")


def said_in(entry: Mapping[str, Any]) -> Said:
    """Return who says what: `user` and `assistant` where it was said, else `tool` or `system`.

    Only what was said has a text, so titles, previews, recall and memories are made of that.
    """
    content = _content_of(entry)
    kind = entry.get("type")
    if kind == "user" and any(part.get("type") == "tool_result" for part in _parts(content)):
        return "tool", ""
    if kind not in ("user", "assistant") or any(entry.get(mark) is True for mark in _MARKS):
        return _NOBODY, ""
    text = "\n".join(part for part in _texts(content) if not _MACHINE_TEXT.match(part))
    return (_NOBODY, "") if kind == "user" and not text.strip() else (kind, text)


def _content_of(entry: Mapping[str, Any]) -> object:
    message = entry.get("message")
    return message.get("content") if isinstance(message, dict) else None


def _parts(content: object) -> Iterator[Mapping[str, Any]]:
    if isinstance(content, list):
        yield from (part for part in content if isinstance(part, dict))


def _texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for part in _parts(content):
        if part.get("type") == "text" and isinstance(part.get("text"), str):
            yield part["text"]
