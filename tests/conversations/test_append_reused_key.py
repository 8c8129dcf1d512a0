"""A key that is used again after it was forgotten, while another append is unclear."""

from everturn.conversations.model.write_ring import RING_ENTRIES
from fakes.faulty_store import Fault, FaultyStore, scripted
from fakes.interleaved_store import InterleavedStore
from scenarios.world import World


def test_an_unclear_append_is_not_doubled_where_the_key_before_it_comes_again() -> None:
    """The write before an attempt proves nothing about it once its key has been written anew."""
    world = World()
    process, others = world.process(), world.process()
    process.append("first", key="k")

    def crowd() -> None:
        for number in range(RING_ENTRIES - 1):
            others.append(f"other {number}")
        assert not others.append("first", key="k").replayed

    store = InterleavedStore(world.data, before={("get", 1): crowd})
    process.store = FaultyStore(store, scripted({("put", 1): Fault.LOST_RESPONSE}))

    outcome = process.append("mine")
    assert world.texts().count("mine") == 1
    assert outcome.first_turn == 1
