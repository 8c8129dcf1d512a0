"""A proven pattern becomes a skill, and remembers that it did."""

import pytest

from everturn.errors import ConflictError, NotFoundError
from everturn.memory.model.draft import SourceDraft
from scenarios.memory_process import MemoryProcess, live, memory_process
from scenarios.memory_traces import stored_memory
from scenarios.world import World


@pytest.fixture
def process(world: World) -> MemoryProcess:
    return memory_process(world)


def _said_by(process: MemoryProcess, *conversations: str, step: str = "tag it") -> str:
    for id_ in conversations:
        process.clock.sleep(1)
        memory = live(
            process.remember(
                kind="pattern",
                spec={"name": "Deploy the app", "steps": [step]},
                source=SourceDraft(id_, 3, 5),
            )
        )
    return memory.rid


def test_a_pattern_of_three_conversations_becomes_a_skill(
    world: World, process: MemoryProcess
) -> None:
    rid = _said_by(process, "a", "b", "c")
    promoted = process.promote(rid)
    assert promoted.skill.name == "deploy-the-app"
    assert "tag it" in promoted.skill.text
    assert "conversation a, turns 3 to 5" in promoted.skill.text
    known = stored_memory(world, rid).promoted
    assert known is not None
    assert (known.name, known.at_ns) == ("deploy-the-app", process.clock.now_ns())
    assert promoted.view.memory.promoted == known


def test_promoted_again_it_is_made_of_what_it_is_then(process: MemoryProcess) -> None:
    rid = _said_by(process, "a", "b", "c")
    first = process.promote(rid).view.memory.promoted
    _said_by(process, "d", step="tag it twice")
    again = process.promote(rid)
    assert "tag it twice" in again.skill.text
    assert again.view.memory.promoted == first


def test_three_times_from_one_source_is_not_proven(process: MemoryProcess) -> None:
    rid = _said_by(process, "a", "a", "a", "b")
    with pytest.raises(ConflictError) as caught:
        process.promote(rid)
    assert "tag" not in str(caught.value)


def test_a_statement_is_no_pattern(process: MemoryProcess) -> None:
    for id_ in "abc":
        rid = live(process.remember("x", source=id_)).rid
    with pytest.raises(ConflictError):
        process.promote(rid)


def test_a_forgotten_pattern_is_not_there(process: MemoryProcess) -> None:
    rid = _said_by(process, "a", "b", "c")
    process.forget(rid)
    with pytest.raises(NotFoundError):
        process.promote(rid)
