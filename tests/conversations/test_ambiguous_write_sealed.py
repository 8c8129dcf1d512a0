"""An append without a clear answer, whose place was sealed since, or edited."""

from collections.abc import Callable

import pytest

from everturn.conversations.model import write_ring
from everturn.errors import ConversationGoneError, UnavailableError
from fakes.faulty_store import Fault, FaultyStore, scripted
from fakes.interleaved_store import InterleavedStore
from scenarios.process import Process
from scenarios.sealed_world import TS, fill, said, sealed_of, stored_texts
from scenarios.world import World

pytestmark = pytest.mark.usefixtures("small")

NEVER_LANDED = (Fault.LOST_REQUEST, Fault.DELAYED)


@pytest.fixture(autouse=True)
def _short_ring(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the ring forget after four appends."""
    monkeypatch.setattr(write_ring, "RING_ENTRIES", 4)


def unclear(world: World, fault: Fault, meanwhile: Callable[[], object]) -> Process:
    """Return a process whose next write fails so, and then others have a turn."""
    lossy = FaultyStore(world.data, scripted({("put", 1): fault}), delay=10**9)
    return world.process(InterleavedStore(lossy, after={("put", 1): meanwhile}))


@pytest.mark.parametrize("others", [3, 4, 5, 12, 40, 90])
@pytest.mark.parametrize("batch", [1, 2, 9])
def test_a_written_attempt_is_found_at_its_place_in_whatever_segment_that_is(
    world: World, others: int, batch: int
) -> None:
    """The ring has forgotten the write id, and the turns were sealed meanwhile."""
    fill(world.process(), 6)
    mine = [f"mine {number}" for number in range(batch)]
    other = world.process()
    process = unclear(world, Fault.LOST_RESPONSE, lambda: fill(other, others, start=6))

    outcome = process.append(*mine)

    count = 6 + batch + others
    assert (outcome.first_turn, outcome.turn_count, outcome.replayed) == (6, count, False)
    assert stored_texts(world) == [*map(said, range(6)), *mine, *map(said, range(6, 6 + others))]
    assert others < 40 or sealed_of(world).turns > 6 + batch


@pytest.mark.parametrize("fault", NEVER_LANDED)
@pytest.mark.parametrize("others", [4, 40])
def test_an_attempt_that_never_landed_is_written_once(
    world: World, fault: Fault, others: int
) -> None:
    fill(world.process(), 6)
    other = world.process()
    process = unclear(world, fault, lambda: fill(other, others, start=6))

    outcome = process.append("mine")

    assert outcome.first_turn == 6 + others
    assert stored_texts(world) == [*map(said, range(6 + others)), "mine"]


@pytest.mark.parametrize("fault", [Fault.LOST_RESPONSE, *NEVER_LANDED])
def test_equal_turns_that_others_said_elsewhere_are_not_taken_for_it(
    world: World, fault: Fault
) -> None:
    """Thirty times `yes` at one time: ours is one of them, and is there once."""
    fill(world.process(), 6)
    other = world.process()

    def yes() -> None:
        fill(other, 1, start=6)
        for _ in range(30):
            other.append("yes", ts=TS)

    unclear(world, fault, yes).append("yes", ts=TS)

    assert stored_texts(world).count("yes") == 31


@pytest.mark.parametrize("fault", [Fault.LOST_RESPONSE, *NEVER_LANDED])
@pytest.mark.parametrize("edit", ["redact", "pop"])
def test_an_attempt_that_was_perhaps_taken_back_is_neither_found_nor_repeated(
    world: World, fault: Fault, edit: str
) -> None:
    """What is missing at its place may have been written and removed: the caller has to look."""
    fill(world.process(), 6)
    other = world.process()

    def meanwhile() -> None:
        if edit == "redact":
            other.redact(6 if fault is Fault.LOST_RESPONSE else 5)
        else:
            other.pop(expected=len(stored_texts(world)))
        fill(other, 40, start=6)

        before.extend(stored_texts(world))

    before: list[str] = []
    with pytest.raises(UnavailableError):
        unclear(world, fault, meanwhile).append("mine")

    assert stored_texts(world) == before
    assert "mine" not in before


@pytest.mark.parametrize("edit", ["redact", "pop"])
def test_edits_do_not_hinder_as_long_as_the_ring_remembers(world: World, edit: str) -> None:
    fill(world.process(), 6)
    other = world.process()

    def meanwhile() -> None:
        if edit == "redact":
            other.redact(6)
        else:
            other.pop(expected=7)

    outcome = unclear(world, Fault.LOST_RESPONSE, meanwhile).append("mine")

    assert outcome.first_turn == 6
    assert "mine" not in stored_texts(world)


def test_an_attempt_that_was_deleted_is_not_written_into_a_second_life(world: World) -> None:
    """Also where the second life is long, and has forgotten the first."""
    fill(world.process(), 20)
    other = world.process()

    def meanwhile() -> None:
        other.delete()
        other.create()
        fill(other, 40)

    process = unclear(world, Fault.LOST_RESPONSE, meanwhile)
    with pytest.raises((ConversationGoneError, UnavailableError)):
        process.append("mine")
    assert stored_texts(world) == [said(number) for number in range(40)]


def test_a_key_is_found_by_its_place_too(world: World) -> None:
    fill(world.process(), 6)
    other = world.process()
    process = unclear(world, Fault.LOST_RESPONSE, lambda: fill(other, 40, start=6))
    assert process.append("mine", key="k").first_turn == 6
    assert stored_texts(world).count("mine") == 1


def test_the_check_fails_without_a_look_into_the_segments(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Negative control: who looks into the head alone doubles what was sealed."""
    monkeypatch.setattr("everturn.conversations.ambiguous_write.turns_at", lambda *_, **__: [])
    fill(world.process(), 6)
    other = world.process()
    unclear(world, Fault.LOST_RESPONSE, lambda: fill(other, 40, start=6)).append("mine")
    assert stored_texts(world).count("mine") == 2
