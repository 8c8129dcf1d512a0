"""What a session does with a client that goes on after failures: no harm, and no false word."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from strands.types.exceptions import SessionException

from client.hand_time import HandClock
from everturn.client import Everturn
from everturn.errors import UnavailableError
from everturn.integrations.strands.sessions import EverturnSessionManager, EverturnSessionRepository
from integrations.strands.strands_model import ScriptedModel
from integrations.strands.strands_repositories import agent, begin, listed, message, swarm
from integrations.strands.strands_sessions import opened
from integrations.watched_transport import WatchedTransport

TURNS = 1_500


@pytest.fixture
def transport(tmp_path: Path) -> WatchedTransport:
    return WatchedTransport(tmp_path)


@pytest.fixture
def client(transport: WatchedTransport) -> Iterator[Everturn]:
    with transport.blocking_client(best_effort=True) as made:
        yield made


@pytest.fixture
def client_without_waits(transport: WatchedTransport) -> Iterator[Everturn]:
    """Waits by a clock of its own."""
    with Everturn(
        "http://localhost", transport=transport, best_effort=True, clock=HandClock()
    ) as made:
        yield made


@pytest.fixture
def repository(client: Everturn) -> EverturnSessionRepository:
    made = EverturnSessionRepository(client)
    begin(made, "my secret", "b")
    return made


def failing(*asked: str) -> Callable[[str], httpx.Response | None]:
    """Fail what begins so; everything, if nothing is given."""

    def answer(request: str) -> httpx.Response | None:
        return httpx.Response(503) if not asked or request.startswith(asked) else None

    return answer


def test_an_agent_goes_on_without_its_session(
    client_without_waits: Everturn, transport: WatchedTransport
) -> None:
    """It answers, it remembers nothing, and nothing is raised."""
    transport.instead = failing()
    agent = opened(client_without_waits, ScriptedModel("Hello."))
    result = agent("hi")
    agent.state.set("city", "Rome")
    agent("hi")

    assert str(result) == "Hello.\n"
    assert len(agent.messages) == 4
    assert opened(client_without_waits, ScriptedModel()).messages == []


@pytest.mark.parametrize("asked", ["PATCH", "GET turns"])
def test_a_message_that_could_not_be_redacted_is_said(
    repository: EverturnSessionRepository,
    client_without_waits: Everturn,
    transport: WatchedTransport,
    asked: str,
) -> None:
    """A guardrail's secret would stay where everybody believes it gone."""
    transport.instead = failing(asked)
    left: Any = {"role": "user", "content": [{"text": "[gone]"}]}
    redacted = message("my secret", 0)
    redacted.redact_message = left

    with pytest.raises(SessionException) as raised:
        EverturnSessionRepository(client_without_waits).update_message("s", "default", redacted)

    assert isinstance(raised.value.__cause__, UnavailableError)
    transport.instead = failing("none")
    repository.update_message("s", "default", redacted)
    assert listed(repository) == ["[gone]", "b"]


@pytest.mark.parametrize(
    "asked", ["GET session", "GET strands.s", "DELETE s", "DELETE agent.", "DELETE session"]
)
def test_a_session_that_could_not_be_deleted_is_said(
    repository: EverturnSessionRepository,
    client_without_waits: Everturn,
    transport: WatchedTransport,
    asked: str,
) -> None:
    """Whichever request fails; deleted again, nothing of it is left."""
    transport.instead = failing(asked)

    with pytest.raises(SessionException) as raised:
        EverturnSessionRepository(client_without_waits).delete_session("s")

    assert isinstance(raised.value.__cause__, UnavailableError)
    transport.instead = failing("none")
    repository.delete_session("s")
    assert repository.read_session("s") is None
    assert repository.read_agent("s", "default") is None
    assert listed(repository) == []


def test_the_beginning_of_a_history_is_not_given_for_all_of_it(
    client: Everturn, transport: WatchedTransport
) -> None:
    manager = EverturnSessionManager("long", client)
    for first in range(0, TURNS, TURNS // 2):
        said = [{"role": "user", "text": str(n)} for n in range(first, first + TURNS // 2)]
        client.append("long", said)
    pages = iter([None])
    transport.instead = lambda asked: (
        next(pages, httpx.Response(503)) if asked == "GET turns" else None
    )

    with pytest.raises(SessionException) as raised:
        manager.session_repository.list_messages("long", "default")

    assert isinstance(raised.value.__cause__, UnavailableError)


def test_a_state_that_could_not_be_read_is_not_written_over(
    repository: EverturnSessionRepository,
    client_without_waits: Everturn,
    transport: WatchedTransport,
) -> None:
    """The agent goes on without, and what it has then is not what was kept."""
    repository.update_agent("s", agent(city="Rome"))
    ours = EverturnSessionRepository(client_without_waits)
    transport.instead = failing("GET agent.", "PUT agent.")
    assert ours.read_agent("s", "default") is None
    ours.create_agent("s", agent())
    transport.instead = failing("none")

    ours.update_agent("s", agent())

    found = ours.read_agent("s", "default")
    assert found is not None
    assert found.state == {"city": "Rome"}
    ours.update_agent("s", agent(city="Oslo"))
    kept = repository.read_agent("s", "default")
    assert kept is not None
    assert kept.state == {"city": "Oslo"}, "what was read since may be written"


def test_a_state_that_could_not_be_created_is_not_written_over(
    repository: EverturnSessionRepository,
    client_without_waits: Everturn,
    transport: WatchedTransport,
) -> None:
    """Strands creates the agents of a session that seems new without reading."""
    repository.update_agent("s", agent(city="Rome"))
    ours = EverturnSessionRepository(client_without_waits)
    transport.instead = failing("PUT agent.")
    ours.create_agent("s", agent())
    transport.instead = failing("none")

    ours.update_agent("s", agent())

    found = repository.read_agent("s", "default")
    assert found is not None
    assert found.state == {"city": "Rome"}


def test_a_graph_that_could_not_be_read_is_not_written_over(
    repository: EverturnSessionRepository,
    client_without_waits: Everturn,
    transport: WatchedTransport,
) -> None:
    repository.create_multi_agent("s", swarm(step=7))
    ours = EverturnSessionRepository(client_without_waits)
    transport.instead = failing("GET multi_agent.")
    assert ours.read_multi_agent("s", "team") is None
    transport.instead = failing("none")

    ours.create_multi_agent("s", swarm(step=0))
    ours.update_multi_agent("s", swarm(step=1))

    assert repository.read_multi_agent("s", "team") == {"step": 7}


def test_a_graph_that_could_not_be_read_is_kept_where_there_is_none(
    repository: EverturnSessionRepository,
    client_without_waits: Everturn,
    transport: WatchedTransport,
) -> None:
    ours = EverturnSessionRepository(client_without_waits)
    transport.instead = failing("GET multi_agent.")
    assert ours.read_multi_agent("s", "team") is None
    transport.instead = failing("none")

    ours.create_multi_agent("s", swarm(step=0))
    ours.update_multi_agent("s", swarm(step=1))

    assert repository.read_multi_agent("s", "team") == {"step": 1}
