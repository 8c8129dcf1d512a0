"""A memory to be forgotten, among others, in the index as well."""

from everturn.memory.model.draft import SourceDraft
from scenarios.memory_process import MemoryProcess, live, memory_process
from scenarios.process import CONVERSATION
from scenarios.world import World

SECRET = "The vault opens with zanzibar."


def indexed(world: World, count: int = 20) -> MemoryProcess:
    """Return a process that has just written the index of many memories and a secret one."""
    process = memory_process(world)
    for number in range(count):
        process.remember(f"Note {number} says nothing.")
    process.remember(SECRET, subject="Dana", source=SourceDraft(CONVERSATION, 1, 2, "zanzibar"))
    process.retrieve("vault")
    world.clock.sleep(1)
    return process


RID = live(memory_process(World()).remember(SECRET, subject="Dana")).rid
