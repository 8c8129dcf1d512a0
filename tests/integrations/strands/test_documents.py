from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from strands.types.exceptions import SessionException
from strands.types.session import Session, SessionAgent, SessionType

from everturn import errors
from everturn.client import Everturn
from everturn.integrations.strands.documents import Documents
from everturn.integrations.strands.names import Place
from everturn.integrations.strands.repository import (
    AlreadyKeptError,
    EverturnSessionRepository,
    as_session_exception,
)
from integrations.watched_transport import WatchedTransport

PLACE = Place("strands.s", "agent.a")


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Everturn]:
    with Everturn.local(tmp_path) as made:
        yield made


def added(old: dict[str, Any] | None) -> dict[str, Any]:
    if old is None:
        raise LookupError
    return {"n": old["n"] + 1}


def test_a_change_by_somebody_else_is_read_and_changed_on(client: Everturn) -> None:
    documents, others = Documents(client), Documents(client)
    documents.create(PLACE, {"n": 0})

    for n in range(1, 5):
        assert (documents if n % 2 else others).change(PLACE, added) == {"n": n}


def test_a_crowd_of_writers_is_no_endless_loop(client: Everturn) -> None:
    documents, others = Documents(client), Documents(client)
    documents.create(PLACE, {"n": 0})

    def overtaken(old: dict[str, Any] | None) -> dict[str, Any]:
        others.change(PLACE, added)
        return added(old)

    with pytest.raises(errors.UnavailableError, match="too many writers of one document"):
        documents.change(PLACE, overtaken)


def test_a_document_that_went_meanwhile_is_not_made_again(client: Everturn) -> None:
    documents = Documents(client)
    documents.create(PLACE, {"n": 0})
    Documents(client).delete(PLACE)

    with pytest.raises(LookupError):
        documents.change(PLACE, added)
    assert documents.read(PLACE) is None


def test_a_write_whose_answer_was_lost_is_known_again(tmp_path: Path) -> None:
    transport, lost = WatchedTransport(tmp_path), iter([True, False, True])

    def lose(asked: str) -> None:
        if asked.startswith("PUT") and next(lost, False):
            raise httpx.ReadError("reset")

    transport.after = lose
    with transport.blocking_client() as client:
        documents = Documents(client)

        assert documents.create(PLACE, {"n": 0})
        assert documents.change(PLACE, lambda old: {**(old or {}), "n": 1}) == {"n": 1}
        assert documents.read(PLACE) == {"n": 1}
        assert not documents.create(PLACE, {"n": 2})
    assert next(lost, None) is None


KINDS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, errors.EverturnError)
]


@pytest.mark.parametrize("kind", KINDS)
def test_every_error_of_ours_is_a_session_exception(kind: type[errors.EverturnError]) -> None:
    """As Strands' own managers raise it; ours is the cause."""
    with (
        pytest.raises(SessionException, match=r"^it failed n=1$") as raised,
        as_session_exception(),
    ):
        raise kind("it failed n=1")

    assert isinstance(raised.value.__cause__, kind)


def test_an_agent_is_created_once(client: Everturn) -> None:
    """Strands' file sessions overwrite the first one: its state would be lost."""
    repository = EverturnSessionRepository(client)
    repository.create_session(Session("s", SessionType.AGENT))
    repository.create_agent("s", SessionAgent("a", {"n": 1}, {}))

    with pytest.raises(AlreadyKeptError, match="agent already exists agent_id=a"):
        repository.create_agent("s", SessionAgent("a", {}, {}))

    found = repository.read_agent("s", "a")
    assert found is not None
    assert found.state == {"n": 1}


def test_other_errors_are_left_as_they_are() -> None:
    with pytest.raises(TypeError), as_session_exception():
        raise TypeError


def test_a_session_that_cannot_be_reached_is_a_session_exception(tmp_path: Path) -> None:
    def refuse(_asked: str) -> None:
        raise httpx.ConnectError("refused")

    transport = WatchedTransport(tmp_path)
    transport.before = refuse
    with Everturn("http://localhost", timeout_s=0.2, transport=transport) as client:
        repository = EverturnSessionRepository(client)
        with pytest.raises(SessionException, match="nothing answers") as raised:
            repository.create_session(Session("s", SessionType.AGENT))

    assert isinstance(raised.value.__cause__, errors.UnavailableError)
