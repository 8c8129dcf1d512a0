"""Entries of Claude transcripts as tests write them, and the keys that they lie under."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

from claude_agent_sdk import SessionKey, SessionStoreEntry, project_key_for_directory

KEY: SessionKey = {"project_key": "proj", "session_id": "sess"}
SUB: SessionKey = {**KEY, "subpath": "subagents/agent-1"}


def entry(**fields: Any) -> SessionStoreEntry:  # noqa: ANN401 - any JSON
    """An entry of any kind."""
    return cast("SessionStoreEntry", {"type": "x", **fields})


def uuid_of(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012}"


def said(number: int, text: Any, *, role: str = "user", **more: Any) -> SessionStoreEntry:  # noqa: ANN401
    """What the user or the agent said, behind the entry before it."""
    return entry(
        type=role,
        uuid=uuid_of(number),
        parentUuid=uuid_of(number - 1) if number > 1 else None,
        timestamp=f"2026-03-01T10:00:{number % 60:02}.000Z",
        message={"role": role, "content": text},
        **more,
    )


def talk(session_id: str, prompt: str = "My cat is called Nimbus.") -> list[SessionStoreEntry]:
    """A short session, with what the CLI writes between the lines."""
    shared: dict[str, Any] = {
        "sessionId": session_id,
        "cwd": "/w",
        "isSidechain": False,
        "gitBranch": "main",
    }
    return [
        entry(type="queue-operation", operation="enqueue", sessionId=session_id),
        said(1, prompt, **shared),
        said(2, [{"type": "text", "text": "A fine name."}], role="assistant", **shared),
        entry(type="last-prompt", lastPrompt=prompt, sessionId=session_id),
    ]


def numbered(*numbers: int) -> list[SessionStoreEntry]:
    """Entries with uuids and an `n` each."""
    return [entry(uuid=uuid_of(n), n=n) for n in numbers]


def names(entries: Iterable[SessionStoreEntry] | None) -> list[Any]:
    """The `n` of each entry."""
    return [cast("dict[str, Any]", one).get("n") for one in entries or ()]


def key_in(folder: Path, number: int) -> tuple[SessionKey, str]:
    """A session of a project folder, as the SDK's helpers look for it; and its id."""
    session_id = uuid_of(number)
    return {"project_key": project_key_for_directory(folder), "session_id": session_id}, session_id


def plain(values: Sequence[Any]) -> list[Any]:
    """Dataclasses of the SDK without the times at which they were stored."""
    return [{**vars(one), "last_modified": 0} for one in values]
