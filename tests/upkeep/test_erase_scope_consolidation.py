"""What consolidation keeps of a user goes with him: watermarks, staged, set aside, waiting jobs."""

import pytest

from consolidation.stranded import keys_below
from emulation.counting_store import CountingStore
from everturn.values.job import Job
from everturn.values.keys import (
    DIRTY_PREFIX,
    Scope,
    dirty_key,
    quarantine_key,
    staged_key,
    watermark_key,
)
from fakes.interleaved_store import InterleavedStore
from scenarios.process import SCOPE
from scenarios.world import World
from upkeep.erase_calls import OTHER, erase


def put_marker(world: World, scope: Scope, name: str, minute: int = 7) -> str:
    key = dirty_key(scope, name, minute=minute)
    world.derived.overwrite(key, Job(scope, name).encode().encode())
    return key


def put_traces_of_the_gone(world: World, name: str) -> list[str]:
    keys = [watermark_key(SCOPE, name), staged_key(SCOPE, name, 0), quarantine_key(SCOPE, name, 0)]
    for key in keys:
        world.data.overwrite(key, b"secret")
    return keys


def test_jobs_that_wait_go_and_those_of_others_stay(world: World) -> None:
    world.process().append("x", to="c")
    for number in range(3):
        put_marker(world, SCOPE, "c", number)
        put_marker(world, SCOPE, "ü/x", number)
    others = [Scope("acme", "ann2"), Scope("acme2", "ann"), OTHER]
    kept = [put_marker(world, scope, "c", number) for number, scope in enumerate(others)]
    assert erase(world).complete
    assert keys_below(world.derived, DIRTY_PREFIX) == sorted(kept)


def test_the_job_of_a_conversation_that_was_created_meanwhile_stays(world: World) -> None:
    """It is there when markers are listed: nobody else knows of its turns."""
    world.process().append("x", to="c")
    put_marker(world, SCOPE, "c")

    def second_life() -> None:
        world.process().create("c")
        world.process().append("y", to="c")

    derived = CountingStore(world.derived)
    lists = ["s", "x", "q", "w", "o", "m"]
    data = InterleavedStore(world.data, after={("list", 1 + 4 + len(lists)): second_life})
    assert erase(world, data, derived=derived).complete
    assert world.process().read("c").record.head.turn_count == 1
    assert len(keys_below(world.derived, DIRTY_PREFIX)) == 1
    assert derived.calls.count(("list", DIRTY_PREFIX)) == 1


@pytest.mark.parametrize("place", [0, 1, 2])
def test_what_a_conversation_that_was_created_meanwhile_consolidates_stays(
    world: World, place: int
) -> None:
    """Looked at before it was there, it uses the names of what was there before."""
    keys = put_traces_of_the_gone(world, "gone")

    def second_life() -> None:
        world.process().append("x", to="gone")
        world.data.overwrite(keys[place], b"new")

    # Kinds are erased in the order of the receipt: staged, set aside, watermarks.
    nth = {1: 1, 2: 2, 0: 3}[place]
    store = InterleavedStore(world.data, before={("delete", nth): second_life})
    receipt = erase(world, store)
    assert (receipt.complete, receipt.remaining) == (False, 1)
    assert world.data.get(keys[place]) is not None
    # Asked again, he means that conversation too.
    assert erase(world).complete
    assert keys_below(world.data, keys[place]) == []


def test_many_are_removed_one_by_one_and_counted(world: World) -> None:
    for number in range(50):
        put_traces_of_the_gone(world, f"gone{number}")
    data = CountingStore(world.data)
    receipt = erase(world, data)
    assert receipt.complete
    assert [receipt.deleted[kind] for kind in ("staged", "quarantined", "watermarks")] == [50] * 3
    assert data.verbs().count("delete") == 150
    assert keys_below(world.data, "") == []
