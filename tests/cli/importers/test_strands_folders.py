"""Folders of Strands' sessions that are not as Strands lays them out."""

import os
import shutil
from pathlib import Path

import pytest
from strands import Agent
from strands.session.file_session_manager import FileSessionManager

from everturn.cli.importers.conversation_files import FoundConversation
from everturn.cli.importers.export_files import FoundDocument
from everturn.cli.importers.strands import read_session, sessions_in
from everturn.cli.output.errors import CliError
from integrations.strands.strands_model import ScriptedModel


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two sessions, one of two agents."""
    place = tmp_path / "sessions"
    for session_id, agent_id in (("order 4711", "default"), ("two", "a b"), ("two", "%")):
        manager = FileSessionManager(session_id, str(place))
        model = ScriptedModel("Yes.")
        Agent(model, session_manager=manager, callback_handler=None, agent_id=agent_id)("hi")
    return place


@pytest.mark.parametrize(
    "part",
    [
        "session_two",
        "session_two/session.json",
        "session_two/agents",
        "session_two/agents/agent_a b",
        "session_two/agents/agent_a b/agent.json",
        "session_two/agents/agent_a b/messages",
        "session_two/agents/agent_a b/messages/message_0.json",
    ],
)
def test_links_are_not_followed(folder: Path, tmp_path: Path, part: str) -> None:
    """Neither of a file nor of a folder: it could bring in any file of whoever imports."""
    shutil.move(folder / part, tmp_path / "outside")
    (folder / part).symlink_to(tmp_path / "outside")
    with pytest.raises(CliError, match=r"^links are not followed file="):
        read_session(folder / "session_two")


@pytest.mark.parametrize("name", ["message_01.json", "message_\u0661.json", "message_.json"])
def test_a_message_whose_number_cannot_be_told_is_not_lost(folder: Path, name: str) -> None:
    """Two files of one number would be one message."""
    messages = folder / "session_two/agents/agent_%/messages"
    shutil.copy(messages / "message_1.json", messages / name)
    with pytest.raises(CliError, match=r"^a message's file is named by its number file="):
        read_session(folder / "session_two")


def test_a_pipe_is_not_waited_for(folder: Path) -> None:
    file = folder / "session_two/agents/agent_%/messages/message_2.json"
    os.mkfifo(file)
    with pytest.raises(CliError, match=r"^a pipe or a device is not read"):
        read_session(folder / "session_two")


def test_a_session_is_found_itself_or_in_its_folder(folder: Path, tmp_path: Path) -> None:
    one, two = folder / "session_order 4711", folder / "session_two"
    assert sessions_in(folder) == [one, two]
    assert sessions_in(two) == [two]
    assert sessions_in(tmp_path / "nowhere") == sessions_in(one / "session.json") == []


def test_an_agent_without_its_file_is_a_fault(folder: Path) -> None:
    (folder / "session_two/agents/agent_a b/agent.json").unlink()
    with pytest.raises(FileNotFoundError):
        read_session(folder / "session_two")


def test_a_session_says_its_id(folder: Path) -> None:
    (folder / "session_two/session.json").write_text("{}")
    with pytest.raises(CliError, match=r"^a session names its id file="):
        read_session(folder / "session_two")


def test_other_files_beside_messages_are_left_alone(folder: Path) -> None:
    messages = folder / "session_two/agents/agent_%/messages"
    shutil.copy(messages / "message_0.json", messages / ".strands_1.tmp")
    found = read_session(folder / "session_two")
    turns = [len(one.turns) for one in found if isinstance(one, FoundConversation)]
    assert turns == [2, 2]
    assert isinstance(found[-1], FoundDocument)
    assert found[-1].key == "session"
