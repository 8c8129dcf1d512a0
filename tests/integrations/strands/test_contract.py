"""Strands' own file sessions and ours, side by side on the same calls."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from strands.types.exceptions import SessionException

from integrations.strands.strands_repositories import (
    KINDS,
    PNG,
    Repository,
    agent,
    begin,
    listed,
    message,
    session,
    swarm,
)


@pytest.fixture(params=KINDS)
def repository(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Repository]:
    with KINDS[request.param](tmp_path) as made:
        yield made


def test_what_is_unknown_is_none(repository: Repository) -> None:
    begin(repository, "a")

    assert repository.read_session("other") is None
    assert repository.read_agent("s", "other") is None
    assert repository.read_agent("other", "default") is None
    assert repository.read_message("s", "default", 1) is None
    assert repository.read_message("s", "other", 0) is None
    assert repository.read_multi_agent("s", "other") is None


def test_a_session_comes_back_equal(repository: Repository) -> None:
    assert repository.create_session(session()) == session()

    assert repository.read_session("s") == session()


def test_a_session_is_created_once(repository: Repository) -> None:
    repository.create_session(session())

    with pytest.raises(SessionException, match="already exists"):
        repository.create_session(session())


def test_an_agent_comes_back_equal(repository: Repository) -> None:
    """Its bytes too, and what Strands keeps in it for itself."""
    kept = agent("helper", n=1, logo=PNG, deep={"list": [1, None, "ä"]})
    kept._internal_state = {"interrupt_state": {"activated": False}}
    repository.create_session(session())
    repository.create_agent("s", kept)

    assert repository.read_agent("s", "helper") == kept


def test_an_update_replaces_the_state_and_keeps_the_day_of_birth(repository: Repository) -> None:
    begin(repository)
    born = repository.read_agent("s", "default")
    assert born is not None

    for n in (1, 2):
        new = agent(n=n)
        new.created_at = "2031-01-01T00:00:00+00:00"
        repository.update_agent("s", new)
        assert new.created_at == born.created_at
    found = repository.read_agent("s", "default")
    assert found is not None
    assert (found.state, found.created_at) == ({"n": 2}, born.created_at)


def test_an_agent_that_is_not_there_cannot_be_updated(repository: Repository) -> None:
    repository.create_session(session())

    with pytest.raises(SessionException, match="does not exist"):
        repository.update_agent("s", agent("other"))


def test_the_state_of_a_swarm_is_kept_and_replaced(repository: Repository) -> None:
    repository.create_session(session())
    repository.create_multi_agent("s", swarm(node="a"))
    assert repository.read_multi_agent("s", "team") == {"node": "a"}

    repository.update_multi_agent("s", swarm(node="b", done=True))

    assert repository.read_multi_agent("s", "team") == {"node": "b", "done": True}


def test_a_swarm_that_is_made_again_is_replaced(repository: Repository) -> None:
    repository.create_session(session())

    for node in "ab":
        repository.create_multi_agent("s", swarm(node=node))

    assert repository.read_multi_agent("s", "team") == {"node": "b"}


def test_a_swarm_that_is_not_there_cannot_be_updated(repository: Repository) -> None:
    repository.create_session(session())

    with pytest.raises(SessionException, match="does not exist"):
        repository.update_multi_agent("s", swarm())


def test_a_deleted_session_is_gone_and_can_be_begun_again(repository: Repository) -> None:
    begin(repository, *"ab")
    repository.create_multi_agent("s", swarm(node="a"))

    repository.delete_session("s")

    assert repository.read_session("s") is None
    assert repository.read_agent("s", "default") is None
    assert repository.read_message("s", "default", 0) is None
    assert repository.read_multi_agent("s", "team") is None
    begin(repository, "c")
    assert listed(repository) == ["c"]


def test_a_session_is_deleted_once(repository: Repository) -> None:
    begin(repository)
    repository.delete_session("s")

    with pytest.raises(SessionException, match="does not exist"):
        repository.delete_session("s")


def test_other_sessions_and_agents_are_left_alone(repository: Repository) -> None:
    begin(repository, "a")
    repository.create_agent("s", agent("other"))
    repository.create_message("s", "other", message("b"))
    repository.create_session(session("t"))
    repository.create_agent("t", agent())
    repository.create_message("t", "default", message("c"))

    repository.delete_session("s")

    [kept] = repository.list_messages("t", "default")
    assert kept.message["content"] == [{"text": "c"}]
