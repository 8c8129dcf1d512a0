"""Correcting a memory while others correct it or say it again: nothing is lost in any order."""

from itertools import product
from typing import Any

from everturn.ports.object_store import ObjectStore
from fakes.schedule import Call, merged, run_in_order
from scenarios.memory_process import live, memory_process
from scenarios.memory_traces import stored_memory
from scenarios.world import World

OLD, NEW, THIRD = "The port is 8080.", "The port is 9090.", "The port is 7070."


def _call(world: World, **call: Any) -> Call:  # noqa: ANN401
    """Return a call by a process that starts now: `remember` or a change of the old one."""

    def made(store: ObjectStore) -> object:
        process = memory_process(world, data=store)
        if "remember" in call:
            return process.remember(call["remember"], source=call["source"])
        return process.change(RID, **call)

    return made


RID = live(memory_process(World()).remember(OLD)).rid
# A correction lists, reads the old one, reads the new one and writes it; two more for a lost race.
_REQUESTS = 6


def test_a_correction_beside_a_reinforcement_loses_neither() -> None:
    """In every order of their requests; who speaks later is right."""
    for order in merged(C=_REQUESTS, R=3):
        world = World()
        memory_process(world).remember(OLD, source="first")
        world.clock.sleep(1)
        calls = {
            "C": _call(world, statement=NEW),
            "R": _call(world, remember=OLD, source="second"),
        }
        run_in_order(world.data, calls, order)
        memory = stored_memory(world, RID)
        assert memory.count == 2
        found = memory_process(world).read(RID)
        assert NEW in {entry.statement for entry in found.history}
        assert len(memory_process(world).texts("port")) == 1


def test_rewording_beside_a_reinforcement_loses_neither() -> None:
    for order in merged(C=_REQUESTS, R=3):
        world = World()
        memory_process(world).remember(OLD, source="first")
        world.clock.sleep(1)
        calls = {
            "C": _call(world, statement=OLD.upper(), pinned=True),
            "R": _call(world, remember=OLD, source="second"),
        }
        run_in_order(world.data, calls, order)
        memory = stored_memory(world, RID)
        assert (memory.count, memory.statement, memory.pinned) == (2, OLD.upper(), True)


def test_two_corrections_at_once_leave_one_that_holds() -> None:
    for order in product("CD", repeat=5):
        world = World()
        memory_process(world).remember(OLD, source="first")
        world.clock.sleep(1)
        calls = {"C": _call(world, statement=NEW), "D": _call(world, statement=THIRD)}
        run_in_order(world.data, calls, order)
        [held] = memory_process(world).texts("port")
        assert held in {NEW, THIRD}
        said = {entry.statement for entry in memory_process(world).read(RID).history}
        assert {OLD, held} <= said
        listed = memory_process(world).page(superseded=True).views
        assert {view.memory.statement for view in listed} == {OLD, NEW, THIRD}


def test_the_same_correction_twice_at_once_is_one_memory() -> None:
    for order in product("CD", repeat=5):
        world = World()
        memory_process(world).remember(OLD, source="first")
        world.clock.sleep(1)
        calls = {name: _call(world, statement=NEW) for name in "CD"}
        run_in_order(world.data, calls, order)
        assert memory_process(world).texts("port") == [NEW]
        assert len(memory_process(world).page(superseded=True).views) == 2
