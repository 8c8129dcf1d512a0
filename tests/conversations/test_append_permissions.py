"""Appends of an identity that may not list, or not read."""

import pytest

from everturn.errors import AccessDeniedError, ConversationGoneError, NotFoundError
from fakes.faulty_store import Fault, FaultyStore, Script, UnlistableStore, scripted
from fakes.interleaved_store import InterleavedStore
from scenarios.world import World


def test_a_first_append_works_though_absence_reads_as_refusal(world: World) -> None:
    process = world.process(UnlistableStore(world.data))

    assert process.append("a").first_turn == 0
    assert process.append("b").first_turn == 1
    assert world.texts() == ["a", "b"]


def test_an_existing_conversation_is_appended_to_without_listing(world: World) -> None:
    world.process().append("a")

    assert world.process(UnlistableStore(world.data)).append("b").first_turn == 1


@pytest.mark.parametrize("fault", [Fault.LOST_REQUEST, Fault.LOST_RESPONSE, Fault.DELAYED])
def test_an_unclear_first_append_without_listing_is_written_once(
    world: World, fault: Fault
) -> None:
    script: Script = {("put", 1): fault}
    for delay in range(1, 5):
        name = f"c{delay}"
        store = FaultyStore(UnlistableStore(world.data), scripted(script), delay=delay)
        world.process(store).append("mine", to=name)
        store.land_all()
        assert world.texts(name) == ["mine"]


def test_a_race_for_the_first_append_without_listing_keeps_both(world: World) -> None:
    other = world.process()
    store = InterleavedStore(world.data, before={("put", 1): lambda: other.append("other")})

    world.process(UnlistableStore(store)).append("mine")

    assert world.texts() == ["other", "mine"]


def test_an_existing_conversation_that_may_not_be_read_is_refused_at_once(world: World) -> None:
    """One read, one put that expects absence, one read: then the refusal stands."""
    world.process().append("a")
    before = world.stored()
    store = InterleavedStore(world.data)

    with pytest.raises(AccessDeniedError):
        world.process(UnlistableStore(store, readable=False)).append("b")

    assert store.verbs == ["put"]
    assert world.stored() == before


def test_a_conversation_that_must_exist_is_not_made_without_listing(world: World) -> None:
    with pytest.raises(NotFoundError):
        world.process(UnlistableStore(world.data)).append("a", must_exist=True)


def test_a_deleted_conversation_stays_deleted_without_listing(world: World) -> None:
    world.process().append("a")
    world.process().delete()

    with pytest.raises(ConversationGoneError):
        world.process(UnlistableStore(world.data)).append("b")
