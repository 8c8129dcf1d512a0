"""Memories as an export gives them, and an import of one line."""

from typing import Any

from everturn.ports.object_store import ObjectStore
from everturn.transfer.import_memory import MemoryImport, import_memory
from everturn.values.go_json import JsonObject
from scenarios.memory_sources import say, show, turn
from scenarios.world import World
from transfer.export_calls import walked

PORT, TEA = "The deploy port is 8080.", "Dana likes tea."


def told() -> World:
    """Return a world of three memories, said by two conversations and by nobody."""
    world = World()
    world.process().append("a")
    say(world, PORT, turn(0, 0, "a quote"))
    say(world, PORT, "other")
    say(world, TEA, None)
    show(world, "first", "other")
    show(world, "second")
    return world


def exported(world: World) -> list[Any]:
    """Return the memories of an export, page after page."""
    return [line["memory"] for line in walked(world) if "memory" in line]


def put(world: World, line: JsonObject, store: ObjectStore | None = None) -> MemoryImport:
    """Import one of them."""
    return import_memory(
        store=store or world.data, derived=world.derived, clock=world.clock,
        entropy=world.entropy, scope=world.scope, memory=line,
    )  # fmt: skip
