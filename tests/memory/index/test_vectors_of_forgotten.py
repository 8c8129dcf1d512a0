"""The vector of what was forgotten goes, though whoever forgot it did not reach the index."""

import pytest

from emulation.counting_store import CountingStore
from everturn.ports.object_store import ANY
from everturn.values.keys import memory_key
from fakes.faulty_store import Fault, FaultyStore
from memory.index.memories_planted import plant
from scenarios.memory_process import MemoryProcess, live, memory_process
from scenarios.memory_traces import assert_nothing_of, indexed_rids, stored_vectors
from scenarios.world import World


def _load(process: MemoryProcess) -> None:
    process.parts.memory_loader().load()


def _forget_out_of_reach(world: World, rid: str) -> None:
    """Forget a memory while the index is down."""
    down = FaultyStore(world.derived, lambda _: Fault.UNAVAILABLE)
    assert not memory_process(world, derived=down).forget(rid).complete


@pytest.mark.parametrize("others", [0, 1, 2, 3, 20])
def test_a_process_that_starts_takes_it_out_however_few_there_are(
    world: World, others: int
) -> None:
    plant(world, others)
    process = memory_process(world)
    rid = live(process.remember("The vault opens with zanzibar.")).rid
    _load(process)
    assert rid in indexed_rids(world)
    _forget_out_of_reach(world, rid)
    _load(memory_process(world))
    assert_nothing_of(world, rid, "zanzibar")
    assert len(stored_vectors(world)) == others


@pytest.mark.parametrize("others", [0, 1, 20])
def test_a_process_that_knows_it_takes_it_out(world: World, others: int) -> None:
    plant(world, others)
    warm = memory_process(world)
    rid = live(warm.remember("The vault opens with zanzibar.")).rid
    _load(warm)
    _forget_out_of_reach(world, rid)
    _load(warm)
    assert_nothing_of(world, rid, "zanzibar")
    assert len(stored_vectors(world)) == others


def test_so_does_one_that_knows_of_a_record_that_is_not_there_any_more(world: World) -> None:
    rids = plant(world, 20)
    warm = memory_process(world)
    _load(warm)
    world.data.delete(memory_key(world.scope, rids[0]), expect=ANY)
    _load(warm)
    assert rids[0] not in {one.rid for one in stored_vectors(world)}


def test_one_that_cannot_write_just_then_does_it_with_the_next_change(world: World) -> None:
    rids = plant(world, 20)
    derived = FaultyStore(world.derived)
    warm = memory_process(world, derived=derived)
    _load(warm)
    _forget_out_of_reach(world, rids[0])
    derived.plan = lambda verb: Fault.UNAVAILABLE if verb == "overwrite" else None
    _load(warm)
    assert rids[0] in indexed_rids(world)
    derived.plan = lambda _: None
    warm.remember("Something new.")
    _load(warm)
    assert rids[0] not in indexed_rids(world)


def test_where_nothing_was_forgotten_a_few_memories_cost_no_look_at_the_files(
    world: World,
) -> None:
    plant(world, 2)
    _load(memory_process(world))
    derived = CountingStore(world.derived)
    _load(memory_process(world, derived=derived))
    assert [verb for verb, key in derived.calls if "/vectors/" in key and verb == "get"] == []
