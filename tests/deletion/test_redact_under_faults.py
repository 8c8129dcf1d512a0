"""Redacting a turn while requests fail, processes crash and others write."""

from itertools import product

import pytest

from everturn.errors import ConflictError, NotFoundError, UnavailableError
from fakes.faulty_store import Fault, FaultyStore, Script, scripted
from fakes.interleaved_store import InterleavedStore, Place
from scenarios.sealed_world import (
    everything,
    fill,
    orphans,
    put_segment,
    said,
    sealed_of,
    segment,
    stored_texts,
)
from scenarios.world import World

COUNT = 60
TEXTS = [said(number) for number in range(COUNT)]
PLACES: list[tuple[int, Place]] = [
    (5, ("put", 1)), (5, ("put", 2)), (5, ("get", 2)), (50, ("put", 1)), (58, ("put", 1)),
]  # fmt: skip

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small")]


@pytest.fixture
def long(world: World) -> World:
    """Return a world with a conversation of 60 turns in several segments, which was listed."""
    fill(world.process(), COUNT)
    world.process().list_page()
    return world


def without(number: int) -> list[str]:
    return [*TEXTS[:number], "", *TEXTS[number + 1 :]]


@pytest.mark.parametrize("number", [5, 59])
@pytest.mark.parametrize("first", Fault)
@pytest.mark.parametrize("second", [None, *Fault])
def test_faults_redact_it_once_and_leave_nothing_behind(
    number: int, first: Fault, second: Fault | None
) -> None:
    for delay, read_fails in product((1, 3), (False, True)):
        world = World()
        fill(world.process(), COUNT)
        before = orphans(world)
        store = FaultyStore(world.data, delay=delay)
        script: Script = {("put", 1): first}
        if second is not None:
            script["put", 2] = second
        if read_fails:
            script["get", 3] = Fault.UNAVAILABLE
        store.plan = scripted(script)

        outcome = world.process(store).redact(number)
        store.land_all()

        assert outcome.complete
        assert stored_texts(world) == without(number)
        late = set(orphans(world)) - set(before)
        assert said(number).encode() not in everything(world)
        assert (
            not late or Fault.DELAYED in {first, second} or Fault.LOST_RESPONSE in {first, second}
        )


@pytest.mark.parametrize("fault", [Fault.LOST_REQUEST, Fault.UNAVAILABLE])
def test_an_old_segment_that_could_not_be_removed_goes_with_the_next_try(
    long: World, fault: Fault
) -> None:
    """The answer says so, and the caller redacts it again."""
    store = FaultyStore(long.data, scripted({("delete_many", 1): fault, ("delete_many", 2): fault}))
    process = long.process(store)

    assert not process.redact(5).complete
    assert said(5).encode() in everything(long)
    assert process.redact(5).complete
    assert said(5).encode() not in everything(long)


def test_a_crash_before_the_old_segment_went_is_mended_by_the_next_try(long: World) -> None:
    def crash() -> None:
        raise KeyboardInterrupt

    store = InterleavedStore(long.data, after={("put", 2): crash})
    with pytest.raises(KeyboardInterrupt):
        long.process(store).redact(5)
    assert said(5).encode() in everything(long)

    assert long.process().redact(5).complete
    assert said(5).encode() not in everything(long)
    assert stored_texts(long) == without(5)


@pytest.mark.parametrize("number", [5, 50])
def test_the_segment_of_a_lost_append_goes_if_it_holds_the_old_text(
    long: World, number: int
) -> None:
    """Another one, which holds other turns, may be about to be named by a head."""
    ref = sealed_of(long).segments[0]
    body = segment(long, ref.name).body
    lost = ref.name[:-16] + "z" * 16
    put_segment(long, lost, body)

    assert long.process().redact(number).complete

    assert (lost in orphans(long)) == (number > ref.last)


@pytest.mark.parametrize(("number", "place"), PLACES)
def test_appends_meanwhile_stand_beside_it(long: World, number: int, place: Place) -> None:
    """They seal the turn in the tail, and write the newest segment anew."""
    writer = long.process()
    store = InterleavedStore(long.data, before={place: lambda: fill(writer, 15, start=COUNT)})

    assert long.process(store).redact(number).complete

    texts = stored_texts(long)
    assert texts == [*without(number), *map(said, range(COUNT, COUNT + 15))]
    assert said(number).encode() not in everything(long)


def test_a_turn_that_another_one_took_the_place_of_is_not_redacted(long: World) -> None:
    other = long.process()

    def replaced() -> None:
        other.pop(expected=COUNT)
        long.clock.sleep(1)
        other.append("another")

    store = InterleavedStore(long.data, before={("put", 1): replaced})
    with pytest.raises(ConflictError) as caught:
        long.process(store).redact(COUNT - 1)
    assert caught.value.field == "n"
    assert stored_texts(long) == [*TEXTS[:-1], "another"]


def test_a_redaction_of_a_conversation_deleted_meanwhile_finds_nothing(long: World) -> None:
    store = InterleavedStore(long.data, before={("put", 2): long.process().delete})
    with pytest.raises(NotFoundError):
        long.process(store).redact(5)
    assert long.record().head.is_done


def test_a_redaction_gives_up_when_nothing_answers(long: World) -> None:
    store = FaultyStore(long.data, lambda verb: Fault.REFUSED if verb == "put" else None)
    started = long.clock.monotonic_s()
    with pytest.raises(UnavailableError, match="doing=redact"):
        long.process(store).redact(59)
    assert long.clock.monotonic_s() - started <= 11
