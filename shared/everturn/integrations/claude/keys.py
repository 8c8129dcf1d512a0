"""The conversation of a Claude Agent SDK transcript: its id, made of the session's key, and back.

    claude-session:{project_key}:{session_id}             a session
    claude-session:{project_key}:{session_id}:{subpath}   the transcript of one of its subagents

In each part all but letters, digits, `-`, `.` and `_` is written as `~` and two hex digits a byte:
no two keys meet, whatever they hold, and no proxy takes a part of an id for a step of a path.
"""

from typing import Final
from urllib.parse import quote, unquote

from claude_agent_sdk import SessionKey

_FAMILY: Final = "claude-session"


def conversation_of(key: SessionKey) -> str:
    """Return the id of a transcript's conversation; ASCII, refused by a server above 1,024."""
    parts = [_FAMILY, key["project_key"], key["session_id"], key.get("subpath") or ""]
    return ":".join(map(encoded, parts if parts[-1] else parts[:-1]))


def session_of(conversation_id: str, project_key: str) -> str | None:
    """Return the session whose own transcript this is; None for anything else."""
    prefix = f"{_FAMILY}:{encoded(project_key)}:"
    session = conversation_id.removeprefix(prefix)
    if not conversation_id.startswith(prefix) or ":" in session:
        return None
    return decoded(session)


def subpath_of(conversation_id: str, session_id: str) -> str | None:
    """Return the subpath of a transcript below a session's own, of which the id is given."""
    prefix = f"{session_id}:"
    if not conversation_id.startswith(prefix):
        return None
    return decoded(conversation_id.removeprefix(prefix))


def encoded(text: str) -> str:
    """Return a part of a key in ASCII, one form for each.

    A lone surrogate is a character like any other here: JavaScript's strings hold them.
    """
    return quote(text, safe="", errors="surrogatepass").replace("~", "%7E").replace("%", "~")


def decoded(text: str) -> str | None:
    """Return the part of a key whose form this is; None where it is the form of none."""
    try:
        part = unquote(text.replace("~", "%"), errors="surrogatepass")
    except UnicodeDecodeError:
        return None
    return part if encoded(part) == text else None
