"""What clears up behind a redaction or a pop, while others take back, delete and create anew."""

from collections.abc import Callable

import pytest

from fakes.interleaved_store import InterleavedStore, Place
from scenarios.process import Process
from scenarios.sealed_world import everything, fill, orphans, said, sealed_of, stored_texts
from scenarios.world import World

COUNT = 50

pytestmark = pytest.mark.usefixtures("small")


def _redact_again(process: Process) -> None:
    process.redact(5, text="another text")


def _live_again(process: Process) -> None:
    process.delete()
    process.create()
    fill(process, COUNT, start=500)


def _pop_and_go_on(process: Process) -> None:
    process.pop(expected=COUNT)
    fill(process, 30, start=500)


@pytest.mark.parametrize("place", [("list", 1), ("get", 3), ("get", 4), ("delete_many", 1)])
@pytest.mark.parametrize("meanwhile", [_redact_again, _live_again, _pop_and_go_on])
@pytest.mark.parametrize("number", [5, COUNT - 1])
def test_a_redaction_removes_no_segment_that_counts(
    place: Place, meanwhile: Callable[[Process], None], number: int
) -> None:
    world = World()
    fill(world.process(), COUNT)
    other = world.process()
    store = InterleavedStore(world.data, before={place: lambda: meanwhile(other)})

    world.process(store).redact(number)

    texts = stored_texts(world)
    assert len(texts) == world.record().head.turn_count
    assert said(number) not in texts


@pytest.mark.parametrize("place", [("put", 1), ("put", 2)])
def test_a_redaction_spares_the_segment_that_another_one_is_about_to_name(place: Place) -> None:
    """The other one has put its segment, and puts its head when this one is through."""
    world = World()
    fill(world.process(), COUNT)
    other = world.process()
    store = InterleavedStore(world.data, after={place: lambda: _redact_again(other)})

    world.process(store).redact(5, text="mine")

    assert stored_texts(world)[5] in {"mine", "another text"}
    assert said(5).encode() not in everything(world)


@pytest.mark.parametrize("popped", [0, 3])
def test_the_segment_of_a_crashed_append_goes_with_the_turns_that_it_holds(popped: int) -> None:
    world = World()
    fill(world.process(), 15)

    def crash() -> None:
        raise KeyboardInterrupt

    store = InterleavedStore(world.data, after={("put", 1): crash})
    with pytest.raises(KeyboardInterrupt):
        fill(world.process(store), 8, start=15)
    [lost] = orphans(world)
    count = world.record().head.turn_count
    inside = int(lost[13:25])
    for expected in range(count, inside + 1 - popped, -1):
        assert world.process().pop(expected=expected).complete

    assert popped == 0 or lost not in orphans(world)
    for number in range(inside + 1 - popped, count):
        assert said(number).encode() not in everything(world)


def test_a_writer_that_lost_its_race_leaves_no_segment() -> None:
    world = World()
    fill(world.process(), 15)
    other = world.process()
    store = InterleavedStore(world.data, after={("put", 1): lambda: fill(other, 2, start=900)})

    fill(world.process(store), 4, start=15)

    assert sealed_of(world)
    assert orphans(world) == []
