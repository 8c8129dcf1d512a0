"""What a session costs: requests to the API, and what those ask of the bucket."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from strands import Agent
from strands.types.content import Message
from strands.types.session import SessionMessage

from everturn.adapters.memory_store import MemoryStore
from everturn.adapters.system_clock import ManualClock
from everturn.client import Everturn
from everturn.integrations.strands.sessions import EverturnSessionManager
from everturn.integrations.strands.turns import turn_of
from everturn.local.transport import LambdaTransport
from functions.house import Door, Parts, open_house
from integrations.strands.strands_model import ScriptedModel
from integrations.strands.strands_sessions import opened
from integrations.watched_transport import WatchedTransport


def taken(transport: WatchedTransport) -> Counter[str]:
    """What was sent since the last time."""
    counted = Counter(transport.asked)
    transport.asked.clear()
    return counted


@pytest.fixture
def transport(tmp_path: Path) -> WatchedTransport:
    return WatchedTransport(tmp_path)


@pytest.fixture
def client(transport: WatchedTransport) -> Iterator[Everturn]:
    with transport.blocking_client() as made:
        yield made


def test_a_message_is_one_append(client: Everturn, transport: WatchedTransport) -> None:
    manager = EverturnSessionManager("s", client)
    agent = opened(client, ScriptedModel())
    taken(transport)
    manager.initialize(agent)
    taken(transport)

    manager.append_message({"role": "user", "content": [{"text": "hi"}]}, agent)

    assert taken(transport) == {"POST turns": 1}


def test_a_call_of_an_agent_costs_its_messages_and_what_changed(
    client: Everturn, transport: WatchedTransport
) -> None:
    """Its state is written the first time, and then when it changes."""
    agent = opened(client, ScriptedModel())
    taken(transport)

    agent("hi")
    assert taken(transport) == {"POST turns": 2, "PUT agent.default": 1}
    agent("hi again")
    assert taken(transport) == {"POST turns": 2}
    agent.state.set("city", "Rome")
    agent("and again")
    assert taken(transport) == {"POST turns": 2, "PUT agent.default": 1}


def test_a_thousand_messages_are_restored_in_three_requests(
    client: Everturn, transport: WatchedTransport
) -> None:
    opened(client, ScriptedModel())
    said: Any = [{"role": "user", "content": [{"text": f"message {n}"}]} for n in range(1_000)]
    client.append("s", [turn_of(SessionMessage(one, 0)) for one in said])
    taken(transport)

    agent = opened(client, ScriptedModel())

    assert agent.messages == said
    assert taken(transport) == {"GET session": 1, "GET agent.default": 1, "GET turns": 1}


def test_of_many_messages_only_those_after_the_window_are_read(
    client: Everturn, transport: WatchedTransport
) -> None:
    client.append("s", [{"role": "user", "text": str(n)} for n in range(1_000)])
    client.append("s", [{"role": "user", "text": str(n)} for n in range(1_000, 1_500)])
    manager = EverturnSessionManager("s", client)
    taken(transport)

    for limit, offset, pages in ((None, 0, 2), (None, 600, 1), (3, 1_498, 1), (1_200, 100, 2)):
        found = manager.session_repository.list_messages("s", "default", limit, offset)
        expected = range(1_500)[offset:][:limit]
        assert [one.message["content"][0]["text"] for one in found] == list(map(str, expected))
        assert taken(transport) == {"GET turns": pages}


def said_by(number: int) -> Message:
    return {"role": "user", "content": [{"text": f"{number} " + "x" * 250}]}


def test_what_a_session_asks_of_the_bucket(tmp_path: Path) -> None:
    """A message is one write, and a second process's first one has to read before it."""
    parts = Parts(Door(MemoryStore(ManualClock())), Door(MemoryStore(ManualClock())))
    data = parts.data
    transport = LambdaTransport(open_house(parts, tmp_path / "log"))
    with Everturn("http://localhost", transport=transport) as client:
        manager = EverturnSessionManager("s", client)
        agent = Agent(model=ScriptedModel(), session_manager=manager, callback_handler=None)
        data.calls.clear()
        for n in range(200):
            manager.append_message(said_by(n), agent)
        assert Counter(data.verbs()) == {"put": 200}

        parts.forget()
        data.calls.clear()
        manager.append_message(said_by(200), agent)
        assert data.verbs() == ["get", "put"]

        data.calls.clear()
        again = EverturnSessionManager("s", client)
        restored = Agent(model=ScriptedModel(), session_manager=again, callback_handler=None)
        assert len(restored.messages) == 201
        assert data.verbs() == ["get"] * 3
