"""A session that is deleted is gone, however many requests it takes."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from strands.types.exceptions import SessionException

from everturn.client import Everturn
from everturn.errors import UnavailableError
from everturn.integrations.strands.sessions import EverturnSessionRepository
from integrations.strands.strands_repositories import begin, listed
from integrations.watched_transport import WatchedTransport, incomplete_always, incomplete_once


@pytest.fixture
def transport(tmp_path: Path) -> WatchedTransport:
    return WatchedTransport(tmp_path)


@pytest.fixture
def client(transport: WatchedTransport) -> Iterator[Everturn]:
    with transport.blocking_client() as made:
        yield made


@pytest.fixture
def repository(client: Everturn) -> EverturnSessionRepository:
    made = EverturnSessionRepository(client)
    begin(made, "a", "b")
    return made


def test_a_deletion_that_the_server_could_not_end_goes_on(
    repository: EverturnSessionRepository, transport: WatchedTransport
) -> None:
    transport.instead = incomplete_once()

    repository.delete_session("s")

    assert listed(repository) == []
    assert repository.read_session("s") is None


def test_what_is_left_of_a_session_is_said_and_found_again(
    repository: EverturnSessionRepository, transport: WatchedTransport
) -> None:
    transport.instead = incomplete_always

    with pytest.raises(SessionException, match="not deleted whole") as raised:
        repository.delete_session("s")

    assert isinstance(raised.value.__cause__, UnavailableError)
    transport.instead = lambda _asked: None
    repository.delete_session("s")
    assert listed(repository) == []
    assert repository.read_session("s") is None
