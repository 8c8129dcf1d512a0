"""Several processes that run one session at once: each has a client and a manager of its own."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from strands import Agent, tool
from strands.session import FileSessionManager
from strands.types.session import Session, SessionAgent, SessionType

from everturn.client import Everturn
from everturn.integrations.strands.sessions import (
    EverturnSessionManager,
    EverturnSessionRepository,
)
from integrations.strands.strands_model import Guarded, ScriptedModel, called
from integrations.strands.strands_sessions import opened, said

WRITERS, CALLS = 3, 6


@pytest.fixture
def clients(tmp_path: Path) -> Iterator[list[Everturn]]:
    with ExitStack() as stack:
        yield [stack.enter_context(Everturn.local(tmp_path)) for _ in range(WRITERS)]


def at_once(clients: list[Everturn], act: Callable[[int, Everturn], Any]) -> list[Any]:
    """Let all begin at the same moment."""
    start = threading.Barrier(len(clients))

    def one(number: int) -> Any:  # noqa: ANN401
        start.wait(60)
        return act(number, clients[number])

    with ThreadPoolExecutor(len(clients)) as pool:
        return list(pool.map(one, range(len(clients))))


def test_of_agents_that_speak_at_once_no_message_is_lost_or_doubled(
    clients: list[Everturn],
) -> None:
    """Each one's own are in order, and a model gets each question with its answer."""
    agents = [opened(client, ScriptedModel(f"answer {n}")) for n, client in enumerate(clients)]
    together = threading.Barrier(WRITERS)

    def speak(number: int, _: Everturn) -> None:
        for call in range(CALLS):
            together.wait(60)
            agents[number](f"{number}.{call}")

    at_once(clients, speak)

    found = said(opened(clients[0], ScriptedModel()))
    asked = [text for role, text in found if role == "user"]
    assert sorted(asked) == [f"{n}.{call}" for n in range(WRITERS) for call in range(CALLS)]
    assert asked != sorted(asked), "they did not meet"
    committed = [turn.role for turn in clients[0].all_turns("s")]
    assert committed != ["user", "assistant"] * (WRITERS * CALLS), "they did not meet"
    for n in range(WRITERS):
        own = [text for text in asked if text.startswith(f"{n}.")]
        assert own == sorted(own)
    exchanges = zip(found[::2], found[1::2], strict=True)
    assert {(text[0], answer) for (_, text), (_, answer) in exchanges} == {
        (str(n), f"answer {n}") for n in range(WRITERS)
    }
    assert [role for role, _ in found] == ["user", "assistant"] * (WRITERS * CALLS)


def test_strands_own_sessions_lose_messages_in_the_same_case(tmp_path: Path) -> None:
    """Both number by what they have seen: this is what is mended."""
    managers = [FileSessionManager("s", storage_dir=str(tmp_path)) for _ in range(2)]
    model = ScriptedModel("yes")
    agents = [Agent(model=model, session_manager=m, callback_handler=None) for m in managers]
    for agent in agents:
        agent("hi")

    third = Agent(
        model=model,
        session_manager=FileSessionManager("s", storage_dir=str(tmp_path)),
        callback_handler=None,
    )
    assert len(third.messages) == 2


def test_a_session_that_several_begin_at_once_is_one(clients: list[Everturn]) -> None:
    """None fails, and what the agent was given at the start is kept once."""
    given: Any = [
        {"role": "user", "content": [{"text": "You are Ann's agent."}]},
        {"role": "assistant", "content": [{"text": "I am."}]},
    ]

    def begin(number: int, client: Everturn) -> None:
        opened(client, ScriptedModel(), messages=[dict(one) for one in given])(f"hi {number}")

    at_once(clients, begin)

    found = Counter(said(opened(clients[0], ScriptedModel())))
    assert found["user", "You are Ann's agent."] == found["assistant", "I am."] == 1
    assert found["assistant", "Yes."] == WRITERS


def test_each_redacts_its_own_message(clients: list[Everturn]) -> None:
    """The number that a message got counts, not the one that was guessed."""
    agents = [
        opened(client, ScriptedModel("fine", Guarded(f"[removed {n}]", f"no {n}"), "fine"))
        for n, client in enumerate(clients)
    ]

    def speak(number: int, _: Everturn) -> None:
        for text in ("before", "secret", "after"):
            agents[number](f"{text} {number}")

    at_once(clients, speak)

    asked = sorted(
        text for role, text in said(opened(clients[0], ScriptedModel())) if role == "user"
    )
    assert asked == sorted(
        f"{text} {n}" if text != "secret" else f"[removed {n}]"
        for n in range(WRITERS)
        for text in ("before", "secret", "after")
    )


def test_tool_rounds_of_several_stay_whole(clients: list[Everturn]) -> None:
    """A model gets each result beside its call, in whatever order they were committed."""
    together = threading.Barrier(WRITERS)

    @tool
    def meet(number: int) -> str:
        """Wait until all others have called as well."""
        together.wait(60)
        return f"met {number}"

    agents = [
        opened(client, ScriptedModel(called("meet", f"t{n}", number=n), f"done {n}"), tools=[meet])
        for n, client in enumerate(clients)
    ]

    at_once(clients, lambda number, _: agents[number](f"go {number}"))

    restored = opened(clients[0], ScriptedModel()).messages
    assert len(restored) == 4 * WRITERS
    calls = [i for i, one in enumerate(restored) if "toolUse" in one["content"][0]]
    assert len(calls) == WRITERS
    for i in calls:
        use, result = restored[i]["content"][0], restored[i + 1]["content"][0]
        assert result["toolResult"]["toolUseId"] == use["toolUse"]["toolUseId"]
        assert result["toolResult"]["status"] == "success"


def test_the_state_is_that_of_the_last_writer_whole(clients: list[Everturn]) -> None:
    """No write fails for another one's sake, and no two are mixed."""
    repositories = [EverturnSessionRepository(client) for client in clients]
    repositories[0].create_session(Session("s", SessionType.AGENT))
    repositories[0].create_agent("s", SessionAgent("a", {}, {}))

    def update(number: int, _: Everturn) -> None:
        for n in range(10):
            state = {"writer": number, "n": n, f"own{number}": n}
            repositories[number].update_agent("s", SessionAgent("a", state, {}))

    at_once(clients, update)

    found = repositories[0].read_agent("s", "a")
    assert found is not None
    writer = found.state["writer"]
    assert found.state == {"writer": writer, "n": 9, f"own{writer}": 9}


def test_sessions_deleted_by_two_at_once_are_gone(clients: list[Everturn]) -> None:
    opened(clients[0], ScriptedModel())("hi")
    managers = [EverturnSessionManager("s", client) for client in clients]

    def delete(number: int, _: Everturn) -> str:
        try:
            managers[number].delete_session("s")
        except Exception as exc:  # noqa: BLE001 - what it says is looked at
            return str(exc)
        return "deleted"

    outcomes = at_once(clients, delete)

    assert "deleted" in outcomes
    assert {one for one in outcomes if one != "deleted"} <= {"session does not exist session_id=s"}
    assert EverturnSessionRepository(clients[0]).read_session("s") is None
