"""Consolidating a conversation of which turns, or all of it, are taken back."""

from consolidation.consolidations import PlannedExtractor, mark_of, memories, run
from everturn.consolidation.outcome import Consolidated
from everturn.ports.object_store import ABSENT, StoredObject
from everturn.values.keys import watermark_key
from scenarios.memory_process import memory_process
from scenarios.process import CONVERSATION
from scenarios.world import World
from upkeep.traces import traces


def test_redacted_turns_are_not_read(world: World) -> None:
    world.process().append("my secret", "Dana likes tea.")
    world.process().redact(0)
    run(world, PlannedExtractor())
    assert list(memories(world)) == ["Dana likes tea."]


def test_a_conversation_that_is_not_there_is_done_quietly(world: World) -> None:
    assert run(world, PlannedExtractor(), conversation_id="unknown") == Consolidated()


def test_a_deleted_conversation_is_done_quietly(world: World) -> None:
    world.process().append("my secret")
    world.process().delete()
    extractor = PlannedExtractor()
    assert run(world, extractor) == Consolidated()
    assert not extractor.windows
    assert not traces(world)


def test_a_conversation_deleted_while_it_is_read_leaves_nothing(world: World) -> None:
    world.process().append("my secret")
    extractor = PlannedExtractor(meanwhile=lambda: world.process().delete())
    run(world, extractor)
    assert not memories(world)
    assert not traces(world)


def test_a_turn_redacted_while_it_is_read_is_taken_back(world: World) -> None:
    world.process().append("my secret", "Dana likes tea.")
    extractor = PlannedExtractor(meanwhile=lambda: world.process().redact(0))
    run(world, extractor)
    assert list(memories(world)) == ["Dana likes tea."]


def test_a_turn_popped_while_it_is_read_is_taken_back(world: World) -> None:
    world.process().append("Dana likes tea.", "my secret")
    calls = iter(range(9))
    extractor = PlannedExtractor(
        meanwhile=lambda: world.process().pop(expected=2) if next(calls) == 0 else None
    )
    run(world, extractor)
    assert list(memories(world)) == ["Dana likes tea."]


def test_what_takes_the_place_of_popped_turns_is_read(world: World) -> None:
    process = world.process()
    process.append("Dana likes tea.", "Dana likes milk.")
    run(world, PlannedExtractor())
    process.pop(expected=2)
    process.append("Dana likes juice.")
    run(world, PlannedExtractor())
    assert sorted(memories(world)) == ["Dana likes juice.", "Dana likes tea."]
    assert mark_of(world).turns == 2


def test_a_second_life_is_read_from_its_beginning(world: World) -> None:
    """Even where a worker of the first one wrote its watermark after the delete."""
    process = world.process()
    process.append("First life.", "It goes on.")
    run(world, PlannedExtractor())
    late = world.data.get(watermark_key(world.scope, CONVERSATION))
    assert isinstance(late, StoredObject)
    process.delete()
    process.create()
    process.append("Second life.", "It goes on too.", "And on.")
    world.data.put(watermark_key(world.scope, CONVERSATION), late.body, expect=ABSENT)
    extractor = PlannedExtractor()
    run(world, extractor)
    assert extractor.windows == [(0, 3)]
    assert len(memories(world)) == 3


def test_a_redacted_turn_does_not_send_the_watermark_back(world: World) -> None:
    process = world.process()
    process.append("Dana likes tea.", "my secret", "The port is 8080.")
    run(world, PlannedExtractor())
    process.redact(1)
    process.append("Dana likes milk.")
    extractor = PlannedExtractor()
    run(world, extractor)
    assert extractor.windows == [(3, 4)]


def test_a_popped_turn_that_is_said_again_is_read_again(world: World) -> None:
    """Its time may be the client's: nothing tells it from the one that was read."""
    process = world.process()
    process.append("Dana likes tea.", "Dana likes milk.", ts="2026-01-01T00:00:00Z")
    run(world, PlannedExtractor())
    process.pop(expected=2)
    assert mark_of(world).turns == 1
    process.append("Dana likes milk.", ts="2026-01-01T00:00:00Z")
    assert run(world, PlannedExtractor()).turns == 1
    assert sorted(memories(world)) == ["Dana likes milk.", "Dana likes tea."]


def test_what_takes_the_place_of_a_popped_turn_is_pending_before_any_job(world: World) -> None:
    """Counts alone tell it: nobody who lists compares what turns say."""
    world.process().append("Dana likes tea.", "Dana likes milk.")
    run(world, PlannedExtractor())
    world.process().pop(expected=2)
    world.process().append("Dana likes juice.")
    found = memory_process(world).retrieve("who likes juice?")
    assert [one.text for one in found.snippets if one.kind == "turn"] == ["user: Dana likes juice."]
    assert found.pending_turns == 1
