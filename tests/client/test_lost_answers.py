"""Every writing call, in a network that fails: nothing is doubled, nothing is lost."""

import functools
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from client.faults import Fault, FaultyNetwork, answers, lost_answer, lost_request, no_connection
from client.writes import NOT_DONE, ONCE, REPEATED, UNCLEAR, WRITES, Write, seeded, state_of
from everturn.client import ABSENT, Everturn
from everturn.errors import (
    ConflictError,
    EverturnError,
    NotFoundError,
    OutcomeUnknownError,
    StaleEtagError,
    UnavailableError,
)


def _after(memory: Everturn, network: FaultyNetwork, write: Write, faults: list[Fault]) -> Any:  # noqa: ANN401
    ids = seeded(memory)
    network.meets(faults)
    result = write(memory, ids)
    network.meets([])
    return result


@pytest.fixture(scope="session")
def once(
    store: httpx.BaseTransport, new_actor: Callable[[], str]
) -> Callable[[Write], dict[str, Any]]:
    """Return what gives the state that a call leaves in a network that works."""

    @functools.cache
    def run(write: Write) -> dict[str, Any]:
        with Everturn("http://localhost", actor=new_actor(), transport=store) as memory:
            write(memory, seeded(memory))
            return state_of(memory)

    return run


@pytest.mark.parametrize("faults", [*NOT_DONE.values(), *UNCLEAR.values()])
@pytest.mark.parametrize("write", REPEATED.values(), ids=REPEATED)
def test_a_call_that_may_be_sent_again_has_happened_once(
    memory: Everturn,
    network: FaultyNetwork,
    once: Callable[[Write], dict[str, Any]],
    write: Write,
    faults: list[Fault],
) -> None:
    _after(memory, network, write, faults)
    assert state_of(memory) == once(write)


@pytest.mark.parametrize("faults", NOT_DONE.values(), ids=NOT_DONE)
@pytest.mark.parametrize("write", ONCE.values(), ids=ONCE)
def test_a_call_that_surely_did_not_happen_is_sent_again(
    memory: Everturn,
    network: FaultyNetwork,
    once: Callable[[Write], dict[str, Any]],
    write: Write,
    faults: list[Fault],
) -> None:
    _after(memory, network, write, faults)
    assert state_of(memory) == once(write)


@pytest.mark.parametrize("faults", UNCLEAR.values(), ids=UNCLEAR)
@pytest.mark.parametrize("write", ONCE.values(), ids=ONCE)
def test_a_call_that_may_have_happened_says_so_or_has_happened_once(
    memory: Everturn,
    network: FaultyNetwork,
    once: Callable[[Write], dict[str, Any]],
    write: Write,
    faults: list[Fault],
) -> None:
    ids = seeded(memory)
    before = state_of(memory)
    network.meets(faults)
    try:
        write(memory, ids)
    except OutcomeUnknownError:
        expected = [before, once(write)]
    else:
        expected = [once(write)]
    network.meets([])
    assert state_of(memory) in expected


def test_a_pop_is_never_sent_again_where_it_may_have_happened(
    memory: Everturn, network: FaultyNetwork
) -> None:
    """Somebody else may append meanwhile: a second pop would take that turn."""
    seeded(memory)
    network.meets([lost_answer])
    with pytest.raises(OutcomeUnknownError):
        memory.pop_turn("talk", expected_turn_count=2)
    assert len(network.requests) == 1
    assert memory.get_turns("talk").turn_count == 1


def test_a_version_that_is_stale_after_a_lost_answer_may_be_our_own(
    memory: Everturn, network: FaultyNetwork
) -> None:
    """Two who count up from 4 write the same 5: what is there does not tell whose it is."""
    etag = seeded(memory)["etag"]
    network.meets([lost_answer])
    with pytest.raises(OutcomeUnknownError) as raised:
        memory.put_document("space", "key", {"n": 2}, expect=etag)
    assert isinstance(raised.value.__cause__, StaleEtagError)
    assert memory.get_document("space", "key").value == {"n": 2}


def test_a_version_that_is_stale_from_the_first_is_said_to_be(memory: Everturn) -> None:
    etag = seeded(memory)["etag"]
    memory.put_document("space", "key", {"n": 2}, expect=etag)
    with pytest.raises(StaleEtagError):
        memory.put_document("space", "key", {"n": 3}, expect=etag)
    with pytest.raises(StaleEtagError):
        memory.put_document("space", "key", {"n": 3}, expect=ABSENT)


def test_what_was_never_there_is_not_found_whatever_is_lost(
    memory: Everturn, network: FaultyNetwork
) -> None:
    network.meets([no_connection])
    with pytest.raises(NotFoundError):
        memory.delete_document("space", "none")


def test_a_delete_that_got_no_answer_and_finds_nothing_is_done(
    memory: Everturn, network: FaultyNetwork
) -> None:
    seeded(memory)
    network.meets([lost_answer])
    receipt = memory.delete_document("space", "key")
    assert receipt.complete
    assert receipt.deleted == {}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_call_that_never_gets_through_changes_nothing(
    memory: Everturn, network: FaultyNetwork, write: Write
) -> None:
    ids = seeded(memory)
    before = state_of(memory)
    network.meets([no_connection] * 100)
    with pytest.raises(UnavailableError):
        write(memory, ids)
    network.meets([])
    assert state_of(memory) == before


@pytest.mark.parametrize("status", [409, 412, 422])
@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_refusal_is_raised_after_one_request(
    memory: Everturn, network: FaultyNetwork, write: Write, status: int
) -> None:
    ids = seeded(memory)
    network.meets([answers(status)])
    with pytest.raises(EverturnError) as raised:
        write(memory, ids)
    assert not raised.value.retryable
    assert len(network.requests) == 1


def test_an_append_that_is_refused_after_a_lost_answer_had_not_happened(
    memory: Everturn, network: FaultyNetwork
) -> None:
    """Its key tells its own turns from those of others."""
    memory.append_user("talk", "One.")

    def overtaken(request: Any, answer: Any) -> Any:  # noqa: ANN401
        network.meets([])
        memory.append_user("talk", "Another's.")
        return lost_request(request, answer)

    network.meets([overtaken])
    with pytest.raises(ConflictError):
        memory.append("talk", [{"role": "user", "text": "Two."}], expected_turn_count=1)
    texts = [turn.text for turn in memory.all_turns("talk")]
    assert texts == ["One.", "Another's."]
