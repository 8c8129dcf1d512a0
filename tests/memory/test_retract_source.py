"""What a conversation said in memories goes with it, and what a turn said with the turn."""

import pytest

from emulation.counting_store import CountingStore
from everturn.errors import ConversationGoneError, OutcomeUnknownError
from everturn.memory.index.row import row_of
from everturn.memory.model.draft import SourceDraft
from everturn.ports.object_store import ObjectStore
from everturn.values.keys import Scope, memory_key
from fakes.faulty_store import Fault, FaultyStore
from fakes.wrapped_store import RefusingStore
from scenarios.memory_sources import index, indexed, memories, say, show, turn
from scenarios.process import CONVERSATION
from scenarios.sealed_world import everything, fill
from scenarios.world import World
from upkeep.erase_calls import erase

DAY_S = 24 * 3_600
PORT, TEA = "The deploy port is 8080.", "Dana likes tea."


@pytest.fixture
def told(world: World) -> World:
    """Return a world in which a conversation of ten turns said some of what is remembered."""
    fill(world.process(), 10)
    say(world, PORT, turn(3, 4, "secret port"))
    say(world, PORT, SourceDraft("other", 1, 1, "kept"))
    say(world, TEA, turn(5, 5, "secret tea"))
    say(world, "Said by itself.", None)
    show(world, "kept step", "other")
    show(world, "secret step")
    index(world)
    return world


def test_a_delete_takes_back_sources_quotes_and_memories_without_another(told: World) -> None:
    tea = memories(told)[TEA]
    receipt = told.process().delete()
    assert (receipt.deleted["memory_sources"], receipt.deleted["memories"]) == (3, 1)
    assert receipt.complete
    left = memories(told)
    assert set(left) == {PORT, "Said by itself.", "Deploy | steps: 1) kept step"}
    assert [source.conversation_id for source in left[PORT].sources] == ["other"]
    assert b"secret" not in everything(told)
    rows, hashes = indexed(told)
    assert tea.rid not in {row.rid for row in rows}
    assert row_of(tea, "").text_hash not in hashes


def test_what_a_pattern_said_before_leaves_the_index_as_well(told: World) -> None:
    [deploy] = [memory for memory in memories(told).values() if memory.spec]
    assert row_of(deploy, "").text_hash in indexed(told)[1]
    told.process().delete()
    assert row_of(deploy, "").text_hash not in indexed(told)[1]


def test_what_stays_as_it_was_is_not_embedded_again(told: World) -> None:
    """Its vector costs a request to a model."""
    told.process().delete()
    assert row_of(memories(told)[PORT], "").text_hash in indexed(told)[1]


@pytest.mark.parametrize("other", [f"{CONVERSATION}0", "thread", "Thread-1"])
def test_conversations_of_a_like_name_keep_what_they_said(world: World, other: str) -> None:
    world.process().append("a")
    say(world, TEA, turn(0, 0, "kept", of=other))
    assert world.process().delete().deleted["memory_sources"] == 0
    assert memories(world)[TEA].sources[0].quote == "kept"


def test_another_actor_keeps_what_a_conversation_of_the_same_id_said(told: World) -> None:
    other = World(data=told.data, clock=told.clock, scope=Scope("acme", "bob"))
    say(other, TEA)
    told.process().delete()
    assert set(memories(other)) == {TEA}


def test_where_there_are_no_memories_it_is_one_listing_and_no_request_to_the_index(
    world: World,
) -> None:
    world.process().append("a")
    store, derived = CountingStore(world.data), CountingStore(world.derived)
    process = world.process(store)
    process.derived = derived
    process.delete()
    assert [verb for verb, key in store.calls if key.startswith("m/")] == ["list"]
    assert not [key for _, key in derived.calls if "/memories/" in key or "/vectors/" in key]


def test_a_memory_costs_two_requests_and_no_other_record_is_read(world: World) -> None:
    fill(world.process(), 10)
    for number in range(30):
        say(world, f"Number {number} is kept.", "other")
    index(world)
    say(world, TEA)
    index(world)
    store = CountingStore(world.data)
    world.process(store).delete()
    [rid] = [key for verb, key in store.calls if verb == "put" and key.startswith("m/")]
    about_records = [(verb, key) for verb, key in store.calls if key.startswith("m/")]
    assert about_records[1:3] == [("get", rid), ("put", rid)]
    assert {verb for verb, _ in about_records[3:]} <= {"list"}
    assert len(memories(world)) == 30


def test_memories_on_many_pages_are_all_found() -> None:
    world = World(page_keys=3)
    world.process().append("a")
    for number in range(20):
        say(world, f"Number {number} is secret.")
    assert world.process().delete().deleted["memories"] == 20
    assert b"secret" not in everything(world)


def test_a_second_delete_finds_nothing_more(told: World) -> None:
    told.process().delete()
    before = memories(told)
    told.process().create()
    receipt = told.process().delete()
    assert (receipt.deleted["memory_sources"], receipt.deleted["memories"]) == (0, 0)
    assert memories(told) == before


def test_a_record_that_cannot_be_read_stays_and_holds_nothing_up(told: World) -> None:
    told.data.overwrite(memory_key(told.scope, "0" * 32), b"{")
    assert told.process().delete().complete
    assert told.data.get(memory_key(told.scope, "0" * 32)) is not None


def test_what_is_remembered_of_a_deleted_conversation_is_refused_and_not_kept(told: World) -> None:
    told.process().delete()
    before = memories(told)
    for source in (turn(1, 1, "secret"), turn(2)):
        with pytest.raises(ConversationGoneError):
            say(told, "A secret.", source)
    assert memories(told) == before


def test_an_index_that_does_not_answer_leaves_the_delete_undone(told: World) -> None:
    """Else nobody would look for what it keeps."""
    process = told.process()
    process.derived = FaultyStore(
        told.derived, lambda verb: Fault.UNAVAILABLE if verb == "put" else None
    )
    receipt = process.delete()
    assert not receipt.complete
    assert receipt.remaining > 0
    assert told.process().delete().complete
    assert b"secret" not in everything(told)
    assert len(indexed(told)[1]) == 2


def _unwritable(world: World) -> ObjectStore:
    return RefusingStore(world.data, "put", "m/", OutcomeUnknownError("no answer"))


def test_the_sweep_takes_back_what_a_crash_left(told: World) -> None:
    assert not told.process(_unwritable(told)).delete().complete
    assert TEA in memories(told)
    told.clock.sleep(DAY_S)
    assert told.process().sweep().swept.finished == 1
    assert TEA not in memories(told)
    assert b"secret" not in everything(told)


def test_a_redacted_turn_takes_back_what_it_said_alone_and_its_quotes(told: World) -> None:
    for number in (5, 3):
        assert told.process().redact(number).complete
    left = memories(told)
    assert TEA not in left
    [mine, _] = left[PORT].sources
    assert (mine.first_turn, mine.last_turn, mine.quote) == (3, 4, "")
    assert b"secret port" not in everything(told)
    assert b"secret tea" not in everything(told)


def test_a_turn_that_said_nothing_that_is_remembered_changes_no_memory(told: World) -> None:
    say(told, "Quoted.", turn(7, 7, "quote"))
    before = {text: memory for text, memory in memories(told).items() if memory.spec is None}
    assert told.process().redact(0).complete
    assert memories(told).items() >= before.items()


def test_a_popped_turn_takes_back_what_it_said_alone(told: World) -> None:
    say(told, "A secret of the last turn.", turn(9, 9))
    outcome = told.process().pop(expected=10)
    assert outcome.complete
    assert "A secret of the last turn." not in memories(told)
    assert TEA in memories(told)


def test_memories_that_cannot_be_changed_make_a_redaction_and_a_pop_incomplete(
    told: World,
) -> None:
    say(told, "A secret of the last turn.", turn(9, 9))
    assert not told.process(_unwritable(told)).redact(5).complete
    assert told.process().redact(5).complete
    assert TEA not in memories(told)
    assert not told.process(_unwritable(told)).pop(expected=10).complete


def test_an_erased_scope_has_no_memories_and_no_index_of_them(told: World) -> None:
    receipt = erase(told)
    assert receipt.complete
    assert receipt.deleted["memories"] == 4
    assert memories(told) == {}
    assert indexed(told) == ([], [])
    assert b"secret" not in everything(told)
