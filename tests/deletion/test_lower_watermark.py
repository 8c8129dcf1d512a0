"""A watermark is lowered where the turn is taken back that it covers last."""

import pytest

from consolidation.consolidations import PlannedExtractor, mark_of, run
from everturn.deletion.pop_turn import lower_watermark
from everturn.errors import AccessDeniedError
from everturn.ports.object_store import ObjectStore
from everturn.storage.swap import Patience
from fakes.faulty_store import Fault, FaultyStore, scripted
from fakes.interleaved_store import InterleavedStore
from fakes.wrapped_store import RefusingStore
from scenarios.process import CONVERSATION
from scenarios.world import World


def lower(world: World, turns: int, store: ObjectStore | None = None) -> bool:
    return lower_watermark(
        store=store or world.data,
        patience=Patience(clock=world.clock, entropy=world.entropy),
        scope=world.scope,
        conversation_id=CONVERSATION,
        turns=turns,
    )


@pytest.fixture
def read(world: World) -> World:
    """A conversation of which three turns were read."""
    world.process().append("a", "b", "c")
    run(world, PlannedExtractor())
    return world


def test_one_that_is_above_is_lowered(read: World) -> None:
    assert lower(read, 2)
    assert mark_of(read).turns == 2


def test_one_that_is_not_above_is_not_written(read: World) -> None:
    store = RefusingStore(read.data, "put", "w/", AccessDeniedError("403"))
    assert lower(read, 3, store)
    assert mark_of(read).turns == 3


@pytest.mark.parametrize("fault", Fault)
@pytest.mark.parametrize("verb", ["get", "put"])
def test_a_fault_is_overcome(read: World, fault: Fault, verb: str) -> None:
    assert lower(read, 2, FaultyStore(read.data, scripted({(verb, 1): fault})))  # type: ignore[dict-item]  # a verb
    assert mark_of(read).turns == 2


def test_one_that_a_worker_moves_meanwhile_is_lowered_all_the_same(read: World) -> None:
    def work() -> None:
        read.process().append("d")
        run(read, PlannedExtractor())

    assert lower(read, 2, InterleavedStore(read.data, before={("put", 1): work}))
    assert mark_of(read).turns == 2


def test_what_is_refused_is_told(read: World) -> None:
    assert not lower(read, 2, RefusingStore(read.data, "put", "w/", AccessDeniedError("403")))
