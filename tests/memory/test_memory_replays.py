"""The same request sent again, with its key: it says nothing new, and undoes nothing newer."""

import pytest

from everturn.memory.model.draft import SourceDraft
from scenarios.memory_process import MemoryProcess, live, memory_process
from scenarios.process import CONVERSATION
from scenarios.world import World

OLD, NEW, NEWEST = (f"The door code is {number}." for number in (11, 22, 33))
BY_KEY = SourceDraft(key="k1")
IN_TALK = SourceDraft(CONVERSATION, key="k1")


@pytest.fixture
def process(world: World) -> MemoryProcess:
    world.process().append("the door code is 11")
    return memory_process(world)


def codes(process: MemoryProcess) -> list[str]:
    return [text for text in process.texts("door code", kinds=("fact",)) if "code" in text]


@pytest.mark.parametrize("source", [BY_KEY, IN_TALK])
def test_a_retry_does_not_undo_a_correction(
    world: World, process: MemoryProcess, source: SourceDraft
) -> None:
    rid = live(process.remember(OLD, source=source)).rid
    world.clock.sleep(5)
    process.change(rid, statement=NEW)
    world.clock.sleep(5)
    assert not process.remember(OLD, source=source).created
    assert codes(process) == [NEW]


@pytest.mark.parametrize("source", [BY_KEY, IN_TALK])
def test_a_retry_does_not_bring_back_what_was_forgotten(
    world: World, process: MemoryProcess, source: SourceDraft
) -> None:
    rid = live(process.remember(OLD, source=source)).rid
    process.forget(rid)
    world.clock.sleep(5)
    assert process.remember(OLD, source=source).memory is None
    assert codes(process) == []
    assert live(process.remember(OLD, source=SourceDraft(key="k2"))).rid == rid
    assert codes(process) == [OLD]


def test_a_retried_correction_does_not_undo_a_newer_one(
    world: World, process: MemoryProcess
) -> None:
    rid = live(process.remember(OLD)).rid
    for statement, key in ((NEW, "p1"), (NEWEST, "p2")):
        world.clock.sleep(5)
        process.change(rid, statement=statement, source=SourceDraft(key=key))
    world.clock.sleep(5)
    again = process.change(rid, statement=NEW, source=SourceDraft(key="p1"))
    assert again.superseded is None
    assert codes(process) == [NEWEST]


def test_the_same_statement_without_a_key_is_said_anew(
    world: World, process: MemoryProcess
) -> None:
    rid = live(process.remember(OLD)).rid
    world.clock.sleep(5)
    process.change(rid, statement=NEW)
    world.clock.sleep(5)
    process.remember(OLD)
    assert codes(process) == [OLD]
