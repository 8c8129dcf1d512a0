"""Conversations that go, change or are broken while a recall looks at many."""

from collections.abc import Callable

import pytest

from everturn.errors import UnavailableError
from fakes.faulty_store import Fault, FaultyStore, scripted
from fakes.interleaved_store import InterleavedStore
from scenarios.process import Process
from scenarios.recall_process import recaller, talk, texts
from scenarios.sealed_world import fill, put_segment, remove_segment, said, sealed_of
from scenarios.world import World


@pytest.fixture
def writer(world: World) -> Process:
    return world.process()


def test_one_that_is_deleted_meanwhile_is_left_out(world: World, writer: Process) -> None:
    talk(writer, 4)
    store = InterleavedStore(world.data, after={("list", 1): lambda: writer.delete("c002")})

    found = recaller(world, data=store).across("port")

    assert {hit.conversation_id for hit in found.hits} == {"c000", "c001", "c003"}
    assert found.searched is not None
    assert (found.searched.conversations, found.searched.complete) == (3, True)


def test_deleted_ones_are_not_found_by_a_process_that_knew_them(
    world: World, writer: Process
) -> None:
    talk(writer, 3)
    process = recaller(world)
    process.across("port")

    writer.delete("c001")

    assert {hit.conversation_id for hit in process.across("port").hits} == {"c000", "c002"}


def _spoil_head(world: World) -> None:
    world.place(b"{no json")


def _spoil_segment(world: World) -> None:
    put_segment(world, sealed_of(world).segments[0].name, b"{no json")


def _lose_segment(world: World) -> None:
    remove_segment(world, sealed_of(world).segments[0].name)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("spoil", [_spoil_head, _spoil_segment, _lose_segment])
def test_a_corrupt_one_hides_no_other_and_the_answer_says_that_it_lacks_something(
    world: World, writer: Process, spoil: Callable[[World], None]
) -> None:
    talk(writer, 2)
    fill(writer, 40)
    spoil(world)

    found = recaller(world).across("port turn")

    assert {hit.conversation_id for hit in found.hits} == {"c000", "c001"}
    assert found.searched is not None
    assert (found.searched.conversations, found.searched.complete) == (2, False)


@pytest.mark.usefixtures("small")
def test_a_segment_that_goes_bad_under_a_process_that_knows_it_hides_no_other(
    world: World, writer: Process
) -> None:
    talk(writer, 2)
    fill(writer, 40)
    recaller(world).across("turn")
    name = sealed_of(world).segments[0].name
    remove_segment(world, name)

    # One knows the rows of all turns from the side index, and reads the texts of its hits.
    gone = recaller(world).across(f"port {said(2)}")
    put_segment(world, name, b"{no json")
    damaged = recaller(world).across(f"port {said(2)}")

    for found in (gone, damaged):
        assert {"c000", "c001"} <= {hit.conversation_id for hit in found.hits}
        assert said(2) not in texts(found)


@pytest.mark.usefixtures("small")
def test_a_turn_that_is_redacted_while_its_text_is_read_is_not_shown(
    world: World, writer: Process
) -> None:
    talk(writer, 2)
    fill(writer, 40)
    recaller(world).across("turn")
    reads = 1 + len({"c000", "c001", "thread-1"})
    store = InterleavedStore(
        world.data, before={("get", reads): lambda: writer.redact(2, text="taken back")}
    )

    found = recaller(world, data=store).across(said(2))

    assert said(2) not in texts(found)
    assert len(found.hits) > 30


def test_a_store_that_does_not_answer_is_said(world: World, writer: Process) -> None:
    talk(writer, 2)
    down = FaultyStore(world.data, scripted({("list", 1): Fault.UNAVAILABLE}))

    with pytest.raises(UnavailableError):
        recaller(world, data=down).across("port")
