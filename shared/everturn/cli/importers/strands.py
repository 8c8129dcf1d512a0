"""Session folders of Strands Agents, as FileSessionManager and S3SessionManager lay them out.

Checked against strands-agents 1.62.0.

    session_{id}/session.json
    session_{id}/agents/agent_{id}/agent.json
    session_{id}/agents/agent_{id}/messages/message_{n}.json
    session_{id}/multi_agents/multi_agent_{id}/multi_agent.json
"""

import re
from pathlib import Path
from typing import Final

from everturn.cli.importers.conversation_files import FoundConversation, JsonObject
from everturn.cli.importers.export_files import FoundDocument
from everturn.cli.importers.foreign_json import conversation, object_in, text_in, time_of
from everturn.cli.importers.json_stream import parsed, read_whole
from everturn.cli.output.errors import CliError
from everturn.conversations.model.turn import is_empty_content
from everturn.integrations.strands.names import (
    Place,
    agent_place,
    conversation_of,
    multi_agent_place,
    session_place,
)
from everturn.integrations.strands.stored_turn import OWN, UNKNOWN, kept_turn

_SESSION, _AGENT, _MULTI_AGENT = "session_", "agent_", "multi_agent_"
_MESSAGE: Final = re.compile(r"message_(0|[1-9][0-9]{0,11})\.json")


def sessions_in(path: Path) -> list[Path]:
    """Return the session folders that a path is or holds, by name; none if it is no such thing."""
    if not path.is_dir():
        return []
    if (path / "session.json").is_file():
        return [path]
    return sorted(
        folder for folder in path.glob(f"{_SESSION}*") if (folder / "session.json").is_file()
    )


def read_session(folder: Path) -> list[FoundConversation | FoundDocument]:
    """Return what a session holds: messages first, and last what makes it one.

    Raises:
        OSError: a file cannot be read.
        CliError: a file is not what Strands writes, or the API does not take a turn.
    """
    _refuse_links(folder)
    session = _object_of(folder / "session.json")
    session_id = text_in(session, "session_id")
    if session_id is None:
        raise CliError(f"a session names its id file={folder / 'session.json'}")
    agents = [(_id_of(one, _AGENT), one) for one in _folders(folder / "agents", _AGENT)]
    many = _folders(folder / "multi_agents", _MULTI_AGENT)
    return [
        *(_conversation(session_id, id_, one / "messages") for id_, one in agents),
        *(_document(agent_place(session_id, id_), one / "agent.json") for id_, one in agents),
        *(
            _document(
                multi_agent_place(session_id, _id_of(one, _MULTI_AGENT)), one / "multi_agent.json"
            )
            for one in many
        ),
        _document(session_place(session_id), folder / "session.json"),
    ]


def strands_turn(stored: JsonObject, position: str, *, after: int = UNKNOWN) -> JsonObject:
    """Return the turn that keeps a stored message, in the form of our session manager.

    Of a redacted message what was put in its place is kept, and nothing of what it said.

    Args:
        stored: as Strands writes it. Its own number is not taken: files may be missing, and two
            agents count alike, so that it may be that of another turn.
        position: where it stands.
        after: the number of the turn before it, if it is known.

    Raises:
        CliError: it is no stored message.
    """
    said = object_in(stored, "redact_message") or object_in(stored, "message")
    role, content = text_in(said, "role"), said.get("content")
    if role is None or not isinstance(content, list):
        raise CliError(f"a message needs a role and content {position}")
    # A message without any visible content would be a blank turn, and those are not stored.
    turn = kept_turn(said, stored, after=after, whole=is_empty_content(content))
    ts = time_of(stored.get("created_at"))
    return turn if ts is None else turn | {"ts": ts}


def _conversation(session_id: str, agent_id: str, folder: Path) -> FoundConversation:
    files = sorted(folder.glob("message_*.json"), key=_number_of)
    turns = [
        strands_turn(_object_of(file), f"file={file}", after=number - 1)
        for number, file in enumerate(files)
    ]
    return conversation(
        conversation_of(session_id, agent_id),
        turns,
        position=f"folder={folder}",
        metadata={OWN: {"session_id": session_id, "agent_id": agent_id}},
    )


def _document(place: Place, path: Path) -> FoundDocument:
    return FoundDocument(place.space, place.key, _object_of(path))


def _folders(parent: Path, prefix: str) -> list[Path]:
    return sorted(folder for folder in parent.glob(f"{prefix}*") if folder.is_dir())


def _id_of(folder: Path, prefix: str) -> str:
    return folder.name.removeprefix(prefix)


def _number_of(file: Path) -> int:
    """Return the number of a message; Strands writes each in one way, and reads no other."""
    match = _MESSAGE.fullmatch(file.name)
    if match is None:
        raise CliError(f"a message's file is named by its number file={file}")
    return int(match[1])


def _refuse_links(folder: Path) -> None:
    """Refuse links: one could bring in any file of whoever imports."""
    for path in (folder, *folder.rglob("*")):
        if path.is_symlink():
            raise CliError(f"links are not followed file={path}")


def _object_of(path: Path) -> JsonObject:
    value = parsed(read_whole(path), f"file={path}")
    if not isinstance(value, dict):
        raise CliError(f"no JSON object file={path}")
    return value
