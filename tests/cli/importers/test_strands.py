import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from strands import Agent
from strands.multiagent import GraphBuilder
from strands.session.file_session_manager import FileSessionManager
from strands.types.session import SessionMessage

from cli.foreign_files import broken
from cli.stores import Run
from everturn.cli.importers.strands import strands_turn
from everturn.cli.output.errors import CliError
from everturn.client import Everturn
from everturn.integrations.strands.sessions import EverturnSessionManager, conversation_of
from everturn.integrations.strands.turns import after_of, turn_of
from integrations.strands.strands_model import ScriptedModel, called, texts
from integrations.strands.strands_sessions import look_up

IMAGE: Any = {"image": {"format": "png", "source": {"bytes": b"\x89PNG"}}}


def _agent(manager: Any, model: ScriptedModel, **settings: Any) -> Agent:  # noqa: ANN401
    return Agent(model=model, session_manager=manager, callback_handler=None, **settings)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The sessions of one agent with a tool, an image and state, and of two others."""
    place = tmp_path / "sessions"
    model = ScriptedModel(called("look_up", "t1", order="4711"), "It left on Friday.", "A gate.")
    agent = _agent(FileSessionManager("order 4711", str(place)), model, tools=[look_up])
    agent.state.set("seen", 1)
    agent("Where is 4711?")
    agent([{"text": "And this?"}, IMAGE])
    _agent(FileSessionManager("two", str(place)), ScriptedModel("A."), agent_id="a b")("To a.")
    _agent(FileSessionManager("two", str(place)), ScriptedModel("B."), agent_id="%")("To b.")
    return place


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Everturn]:
    with Everturn.local(tmp_path / "store") as made:
        yield made


def test_an_imported_session_opens_in_our_session_manager_as_it_was(
    run: Run, folder: Path, client: Everturn
) -> None:
    result = run("import", str(folder))
    assert (result.exit_code, result.stdout.splitlines()[0]) == (
        0,
        "order 4711: 6 turns added, 0 already there, 0 clamped, 0 ignored",
    )
    model = ScriptedModel("Gate B12.")
    ours = _agent(EverturnSessionManager("order 4711", client), model, tools=[look_up])
    theirs = FileSessionManager("order 4711", str(folder))
    before = _agent(theirs, ScriptedModel(), tools=[look_up])
    assert ours.messages == before.messages
    assert ours.state.get("seen") == 1
    ours("Which gate?")
    assert texts(model.seen[0])[-1] == "Which gate?"
    assert client.get_turns("order 4711", last=1).turn_count == 8


def test_each_agent_of_a_session_has_its_own_messages(
    run: Run, folder: Path, client: Everturn
) -> None:
    run("import", str(folder / "session_two"))
    for agent_id, said in (("a b", "To a."), ("%", "To b.")):
        manager = EverturnSessionManager("two", client)
        agent = _agent(manager, ScriptedModel(), agent_id=agent_id)
        assert agent.messages[0]["content"][0] == {"text": said}
        metadata = client.get_conversation(conversation_of("two", agent_id)).metadata
        assert metadata == {"strands": {"session_id": "two", "agent_id": agent_id}}


def test_twice_is_once_and_what_came_since_is_added(
    run: Run, folder: Path, client: Everturn
) -> None:
    run("import", str(folder))
    again = run("import", str(folder))
    assert again.exit_code == 0
    assert "0 turns added, 6 already there" in again.stdout
    assert "added" not in again.stdout.replace("turns added", "")
    model = ScriptedModel("Yes.")
    _agent(FileSessionManager("order 4711", str(folder)), model, tools=[look_up])("Still there?")
    later = run("import", str(folder))
    assert "order 4711: 2 turns added, 6 already there" in later.stdout
    assert client.get_turns("order 4711", last=1).turn_count == 8


def test_times_are_kept(run: Run, folder: Path, client: Everturn) -> None:
    run("import", str(folder))
    file = folder / "session_order 4711/agents/agent_default/messages/message_0.json"
    created_at = json.loads(file.read_text())["created_at"]
    turn = client.get_turns("order 4711", from_=0, limit=1).turns[0]
    assert turn.ts is not None
    assert datetime.fromisoformat(turn.ts) == datetime.fromisoformat(created_at)


def test_the_state_of_a_graph_is_restored(run: Run, tmp_path: Path, client: Everturn) -> None:
    place = tmp_path / "sessions"

    def graph(manager: Any) -> Any:  # noqa: ANN401 - two kinds of managers
        builder = GraphBuilder()
        builder.add_node(Agent(model=ScriptedModel("Done."), callback_handler=None), "only")
        builder.set_graph_id("g")
        builder.set_max_node_executions(5)
        builder.set_session_manager(manager)
        return builder.build()

    graph(FileSessionManager("many", str(place)))("Go.")
    assert run("import", str(place)).exit_code == 0
    kept = client.get_document("strands.many", "multi_agent.g").value
    file = place / "session_many/multi_agents/multi_agent_g/multi_agent.json"
    assert kept == json.loads(file.read_text())
    graph(EverturnSessionManager("many", client))


def test_of_a_redacted_message_nothing_of_what_it_said_is_imported(
    run: Run, folder: Path, tmp_path: Path, client: Everturn
) -> None:
    file = folder / "session_order 4711/agents/agent_default/messages/message_0.json"
    stored = json.loads(file.read_text())
    left = {"role": "user", "content": [{"text": "[taken back]"}]}
    file.write_text(json.dumps(stored | {"redact_message": left}))
    run("import", str(folder))
    assert client.get_turns("order 4711", from_=0, limit=1).turns[0].text == "[taken back]"
    files = [path for path in (tmp_path / "store").rglob("*") if path.is_file()]
    assert not any(b"Where is 4711?" in path.read_bytes() for path in files)


MESSAGES = [
    {"role": "user", "content": [{"text": "hello"}]},
    {"role": "user", "content": [{"text": "hello"}, IMAGE]},
    {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t", "name": "n", "input": {}}}]},
    {"role": "user", "content": [{"text": " "}]},
    {"role": "user", "content": []},
    {"role": "assistant", "content": [{"text": "x"}], "metadata": {"usage": {"inputTokens": 1}}},
    {"role": "assistant", "content": [{"text": "x"}], "metadata": {"note": "n" * 3_000}},
]


@pytest.mark.parametrize("message", MESSAGES)
def test_a_stored_message_becomes_the_turn_that_our_manager_makes_of_it(message: Any) -> None:  # noqa: ANN401
    one = SessionMessage.from_message(message, 3)
    blank = all(not part.get("text", "x").strip() for part in message["content"])
    assert strands_turn(one.to_dict(), "p", after=2) == turn_of(one, whole=blank)


def test_a_message_is_imported_as_said_after_the_turn_before_it(
    run: Run, folder: Path, client: Everturn
) -> None:
    """Whatever numbers the files have: some may be missing, the turns count on."""
    (folder / "session_order 4711/agents/agent_default/messages/message_1.json").unlink()
    run("import", str(folder))
    turns = client.get_turns("order 4711").turns
    assert [after_of(turn) for turn in turns] == [-1, 0, 1, 2, 3]


def test_a_session_that_cannot_be_read_stops_no_other_and_none_of_it_is_imported(
    run: Run, folder: Path, client: Everturn
) -> None:
    file = folder / "session_order 4711/agents/agent_default/messages/message_1.json"
    file.write_text("{")
    result = run("import", str(folder))
    assert result.exit_code == 1
    assert f"no JSON file={file}\n" in result.stderr
    assert {row.conversation_id for row in client.all_conversations()} == {"two/%25", "two/a b"}


@given(broken(SessionMessage.from_message(MESSAGES[1], 0).to_dict()))  # type: ignore[arg-type]  # Strands' own dictionaries
def test_anything_like_a_stored_message_is_a_turn_or_refused(value: object) -> None:
    if isinstance(value, dict):
        try:
            turn = strands_turn(value, "p")
        except CliError:
            return
        assert {"role", "content", "metadata"} <= set(turn)
