"""Segments that are missing or broken, and tombstones that another program wrote into."""

from collections.abc import Callable

import pytest

from everturn.errors import CorruptRecordError
from fakes.interleaved_store import InterleavedStore
from scenarios.process import Process
from scenarios.sealed_world import (
    at_segments_end,
    everything,
    fill,
    put_segment,
    remove_segment,
    said,
    sealed_of,
    segments_there,
)
from scenarios.world import World

pytestmark = pytest.mark.usefixtures("small")


def _remove(world: World) -> None:
    remove_segment(world, sealed_of(world).segments[-1].name)


def _break(world: World) -> None:
    put_segment(world, sealed_of(world).segments[-1].name, b"{")


@pytest.mark.parametrize("harm", [_remove, _break])
def test_a_thread_whose_newest_segment_was_lost_still_takes_turns(
    world: World, harm: Callable[[World], None]
) -> None:
    fill(world.process(), 20)
    harm(world)

    fill(world.process(), 40, start=20)

    assert world.process().read(last=16).turns[-1].text == said(59)
    assert world.record().head.turn_count == 60


@pytest.mark.parametrize("harm", [_remove, _break])
def test_redacting_in_a_segment_that_was_lost_is_a_corrupt_record_at_once(
    world: World, harm: Callable[[World], None]
) -> None:
    fill(world.process(), 20)
    harm(world)
    began = world.clock.monotonic_s()

    with pytest.raises(CorruptRecordError):
        world.process().redact(0)

    assert world.clock.monotonic_s() == began


def test_popping_into_a_segment_that_was_lost_is_a_corrupt_record_at_once(world: World) -> None:
    fill(world.process(), 20)
    count = at_segments_end(world)
    _remove(world)

    with pytest.raises(CorruptRecordError):
        world.process().pop(expected=count)


def test_a_done_tombstone_with_turns_of_another_program_is_deleted_again(world: World) -> None:
    world.process().append("a")
    world.process().delete()
    body = world.stored().body.replace(b'"turns":[]', b'"turns":[{"role":"user","text":"late"}]')
    world.place(body)

    assert world.process().delete().complete

    assert b"late" not in everything(world)


def test_an_append_whose_file_is_away_for_a_moment_removes_no_segment(world: World) -> None:
    """Another program removes the file and writes it anew, instead of renaming."""
    fill(world.process(), 15)

    def away(process: Process) -> None:
        body = world.stored().body
        world.remove()
        with pytest.raises(Exception, match="deleted"):
            process.append("another")
        world.place(body)

    other = world.process()
    other.append("seen", must_exist=True)
    store = InterleavedStore(world.data, before={("put", 1): lambda: away(other)})
    world.process(store).append("mine")

    assert segments_there(world)
    assert world.process().page(0, limit=50).turns[0].text == said(0)
