"""A conversation that said a bit of everything, taken back while a test steps in at any request."""

from collections.abc import Callable, Iterator

from everturn.memory.model.draft import SourceDraft
from everturn.ports.object_store import ObjectStore
from fakes import nth_request
from scenarios.memory_sources import index, indexed, memories, say, show, turn
from scenarios.process import Process
from scenarios.sealed_world import everything
from scenarios.world import World

SECRET, SHARED = "A secret of its own.", "The deploy port is 8080."
PATTERN = "Deploy | steps: 1) kept step"


def told() -> World:
    """Return a world with a conversation that said a bit of everything, in the index as well."""
    world = World()
    world.process().append("a")
    say(world, SECRET, turn(0, 0, "secret"))
    say(world, SHARED, turn(0, 0, "secret"))
    say(world, SHARED, SourceDraft("other", 1, 1, "kept"))
    show(world, "kept step", "other")
    show(world, "secret step")
    index(world)
    return world


def through(
    world: World, data: ObjectStore | None = None, derived: ObjectStore | None = None
) -> Process:
    process = world.process(data)
    process.derived = derived or world.derived
    return process


def assert_erased(world: World) -> None:
    left = memories(world)
    assert set(left) == {SHARED, PATTERN}
    assert all(
        [one.conversation_id for one in memory.sources] == ["other"] for memory in left.values()
    )
    assert left[SHARED].sources[0].quote == "kept"
    assert b"secret" not in everything(world)
    rows, hashes = indexed(world)
    kept = {memory.rid for memory in left.values()}
    assert {row.rid for row in rows if row.terms} <= kept
    assert len(hashes) <= len(kept)


def places(call: Callable[[Process], object]) -> Iterator[tuple[str, int]]:
    """Yield every request that a call makes: of which store, and the how manieth."""
    world = told()
    return nth_request.places(
        world.data, world.derived, lambda data, derived: call(through(world, data, derived))
    )
