"""Memories go out of the files of the index by their ids, and nothing else does."""

import pytest

from everturn.memory.index.drop_memories import drop_memories
from everturn.memory.index.row import encode_rows
from everturn.memory.index.vectors import OwnedVector, StoredVector, encode_vectors
from everturn.ports.object_store import ObjectStore
from everturn.values.keys import Scope, memory_rows_prefix, memory_vectors_prefix
from fakes.faulty_store import Fault, FaultyStore, scripted
from fakes.interleaved_store import InterleavedStore, Place
from memory.index.memories_planted import plant
from scenarios.memory_process import bodies, memory_process
from scenarios.memory_traces import indexed_rids, stored_memory, stored_rows, stored_vectors
from scenarios.world import World

COUNT = 20


@pytest.fixture
def rids(world: World) -> list[str]:
    """Plant memories and index them; return their ids."""
    planted = plant(world, COUNT)
    memory_process(world).parts.memory_loader().load()
    return planted


def drop(world: World, *rids: str, derived: ObjectStore | None = None) -> tuple[int, bool]:
    return drop_memories(rids, derived=derived or world.derived, scope=world.scope)


def test_these_go_and_all_others_stay_as_they_are(world: World, rids: list[str]) -> None:
    rows = [row for row in stored_rows(world) if row.rid not in rids[:2]]
    vectors = [one for one in stored_vectors(world) if one.rid not in rids[:2]]
    assert drop(world, *rids[:2]) == (2, True)
    assert (stored_rows(world), stored_vectors(world)) == (rows, vectors)


def test_what_is_not_there_costs_no_write(world: World, rids: list[str]) -> None:
    before = world.derived.list("i/")
    assert drop(world, "0" * 32) == (0, True)
    drop(world, rids[0])
    after = world.derived.list("i/")
    assert drop(world, rids[0]) == (0, True)
    assert world.derived.list("i/") == after != before


def test_nothing_is_asked_for_nothing(world: World) -> None:
    derived = InterleavedStore(world.derived)
    assert drop(world, derived=derived) == (0, True)
    assert derived.verbs == []


def test_what_is_left_of_a_forgotten_one_stays(world: World, rids: list[str]) -> None:
    """It says nothing, and reading its record again would cost a request."""
    process = memory_process(world)
    process.forget(rids[0])
    process.parts.memory_loader().load()
    assert rids[0] in {row.rid for row in stored_rows(world)}
    assert drop(world, rids[0]) == (0, True)
    assert rids[0] not in indexed_rids(world)


def test_every_model_and_every_depth_is_looked_at(world: World, rids: list[str]) -> None:
    rid = rids[0]
    rows = encode_rows(stored_rows(world))
    owned = [OwnedVector(rid, 1, StoredVector(1.0, b"ab"))]
    for bucket in (f"1{rid[0]}", f"2{rid[:2]}"):
        world.derived.overwrite(memory_rows_prefix(world.scope) + bucket, rows)
        for model in ("a", "b"):
            key = memory_vectors_prefix(world.scope, model) + bucket
            world.derived.overwrite(key, encode_vectors(owned, 2))
    assert drop(world, rid) == (8, True)
    assert rid not in indexed_rids(world)


def test_a_file_that_cannot_be_read_goes_as_a_whole(world: World, rids: list[str]) -> None:
    for key in world.derived.list("i/").keys:
        world.derived.overwrite(key, b"no file of ours")
    assert drop(world, rids[0]) == (2, True)
    assert bodies(world.derived) == {}


def test_a_file_that_others_write_again_and_again_goes_as_a_whole(
    world: World, rids: list[str]
) -> None:
    [key] = world.derived.list(memory_rows_prefix(world.scope)).keys
    rows = encode_rows(stored_rows(world))
    places: list[Place] = [("put", 1), ("put", 2), ("put", 3)]
    before = dict.fromkeys(places, lambda: world.derived.overwrite(key, rows))
    derived = InterleavedStore(world.derived, before=dict(before))
    assert drop(world, rids[0], derived=derived) == (2, True)
    assert rids[0] not in indexed_rids(world)
    assert key not in bodies(world.derived)


@pytest.mark.parametrize("verb", ["list", "get", "put"])
@pytest.mark.parametrize("nth", [1, 2])
@pytest.mark.parametrize("fault", [Fault.UNAVAILABLE, Fault.LOST_REQUEST, Fault.LOST_RESPONSE])
def test_what_is_not_certain_is_told(
    world: World, rids: list[str], verb: str, nth: int, fault: Fault
) -> None:
    script = {(verb, nth): fault}
    derived = FaultyStore(world.derived, scripted(script))  # type: ignore[arg-type]
    assert not drop(world, rids[0], derived=derived)[1]
    assert drop(world, rids[0])[1]
    assert rids[0] not in indexed_rids(world)


def test_an_id_of_two_actors_goes_from_one(world: World, rids: list[str]) -> None:
    bob = World(data=world.data, clock=world.clock, scope=Scope("acme", "bob"))
    bob.derived = world.derived
    plant(bob, COUNT)
    memory_process(bob).parts.memory_loader().load()
    drop(world, *rids)
    assert indexed_rids(world) == set()
    assert indexed_rids(bob) == set(rids)
    assert stored_memory(bob, rids[0]).count == 1
