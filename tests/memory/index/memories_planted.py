"""Memories put into a store without any service: quick, and of foreseeable ids."""

from everturn.memory.model.codec import encode_memory
from everturn.memory.model.draft import MemoryDraft, new_memory
from everturn.memory.model.source import Source
from everturn.values.keys import Scope, memory_key
from scenarios.world import World


def plant(world: World, count: int, scope: Scope | None = None) -> list[str]:
    """Put so many memories there; return their ids in order."""
    rids = []
    for number in range(count):
        memory = new_memory(MemoryDraft("fact", f"Planted {number} it is."))
        memory = memory.with_source(Source("0" * 16, number))
        world.data.overwrite(memory_key(scope or world.scope, memory.rid), encode_memory(memory))
        rids.append(memory.rid)
    return sorted(rids)
