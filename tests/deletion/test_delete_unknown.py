"""Deleting a conversation that is not stored here, or not any more: memories may come from it."""

import pytest

from everturn.errors import NotFoundError
from everturn.memory.model.draft import SourceDraft
from scenarios.memory_process import bodies, live, memory_process
from scenarios.world import World

SECRET = "the locker code is zanzibar"


def test_what_a_conversation_of_elsewhere_said_goes_when_it_is_deleted(world: World) -> None:
    process = memory_process(world)
    process.remember(SECRET, source=SourceDraft("elsewhere", 3, 3, "zanzibar"))
    shared = live(process.remember("The port is 8080.", source=SourceDraft("elsewhere"))).rid
    process.remember("The port is 8080.", source=SourceDraft("other"))
    receipt = world.process().delete("elsewhere")
    assert receipt.complete
    assert (receipt.deleted["memories"], receipt.deleted["memory_sources"]) == (1, 2)
    assert receipt.deleted["turns"] == 0
    assert not any(b"zanzibar" in body for body in bodies(world.data, world.derived).values())
    assert process.read(shared).view.memory.count == 1
    with pytest.raises(NotFoundError):
        world.process().delete("elsewhere")


def test_what_was_written_late_goes_when_it_is_deleted_again(world: World) -> None:
    writer, process = world.process(), memory_process(world)
    process.remember(SECRET, source=SourceDraft("late", quote="zanzibar"))
    writer.append("hello", to="late")
    writer.delete("late")
    with pytest.raises(NotFoundError):
        writer.delete("late")
    assert not any(b"zanzibar" in body for body in bodies(world.data, world.derived).values())
