"""An import puts memories where none is, and brings nothing back that was forgotten or deleted."""

import json
from typing import Any

import pytest

from everturn.errors import CorruptRecordError, InvalidRequestError, UnavailableError
from everturn.memory.model.draft import SourceDraft
from everturn.values.go_json import JsonObject, JsonValue
from everturn.values.keys import memory_key
from fakes.faulty_store import Fault, FaultyStore, scripted
from fakes.nth_request import NthRequest, crash
from fakes.wrapped_store import RefusingStore
from scenarios.memory_process import memory_process
from scenarios.memory_sources import memories, say, turn
from scenarios.memory_traces import stored_memory
from scenarios.process import CONVERSATION, SCOPE
from scenarios.world import World
from transfer.memory_lines import PORT, TEA, exported, put, told

TS = "2026-01-01T00:00:00Z"
ALONE = "Of that conversation alone."


@pytest.fixture
def world() -> World:
    """Return a world of three memories."""
    return told()


def without_writes(lines: list[Any]) -> list[Any]:
    """Leave out what tells one write from another."""
    return [{name: value for name, value in line.items() if name != "write"} for line in lines]


def test_they_come_in_as_they_were_and_twice_doubles_nothing(world: World) -> None:
    other = World()
    assert {put(other, line).status for line in exported(world)} == {"imported"}
    assert memories(other) == memories(world)
    assert without_writes(exported(other)) == without_writes(exported(world))
    assert {put(other, line).status for line in exported(world)} == {"already there"}
    assert memories(other) == memories(world)


def test_whatever_is_there_stays(world: World) -> None:
    other = World()
    say(other, PORT.upper(), SourceDraft(key="mine"))
    before = memories(other)
    [line] = [line for line in exported(world) if line.get("statement") == PORT]
    assert put(other, line).status == "already there"
    assert memories(other) == before


def test_what_was_forgotten_does_not_come_back(world: World) -> None:
    lines = exported(world)
    rid = memories(world)[TEA].rid
    memory_process(world).forget(rid)
    [line] = [line for line in lines if line["id"] == rid]
    assert put(world, line).status == "forgotten"
    stored = world.data.get(memory_key(SCOPE, rid))
    assert b"tea" not in getattr(stored, "body", b"tea")


def test_what_a_deleted_conversation_said_does_not_come_back(world: World) -> None:
    say(world, ALONE, turn(0))
    lines = exported(world)
    world.process().delete()
    left = memories(world)
    for memory in left.values():
        world.data.delete_many([memory_key(SCOPE, memory.rid)])
    statuses = {line.get("statement", ""): put(world, line).status for line in lines}
    assert statuses.pop(ALONE) == "of deleted conversations"
    assert set(statuses.values()) == {"imported"}
    assert memories(world) == left
    assert all(CONVERSATION not in json.dumps(line) for line in exported(world))


def _changed(**fields: JsonValue) -> JsonObject:
    world = World()
    say(world, TEA, turn(0, 0, "quote"))
    return {**exported(world)[0], **fields}


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ({}, CorruptRecordError),
        ({"id": "0" * 32, "kind": "fact"}, CorruptRecordError),
        (_changed(statement="Another."), InvalidRequestError),
        (_changed(subject="Bob"), InvalidRequestError),
        (_changed(kind="event"), InvalidRequestError),
        (_changed(id="0" * 32), InvalidRequestError),
        (_changed(statement=" "), InvalidRequestError),
        (_changed(importance=11), CorruptRecordError),
        (_changed(sources=[]), InvalidRequestError),
        (_changed(sources=[{"ref": "0" * 16, "at": TS, "conversation_id": "c"}]),
         InvalidRequestError),
        (_changed(gone=TS, refs=[]), InvalidRequestError),
        (_changed(forgotten=TS, times=[TS], refs=["x"]), CorruptRecordError),
        (_changed(statement=5), CorruptRecordError),
    ],
)  # fmt: skip
def test_what_is_no_memory_of_its_id_is_refused_and_not_stored(
    line: JsonObject, error: type[Exception]
) -> None:
    world = World()
    with pytest.raises(error):
        put(world, line)
    assert world.data.list("").keys == ()


@pytest.mark.parametrize("fault", Fault)
def test_an_import_whose_answer_was_lost_is_there_once(world: World, fault: Fault) -> None:
    line, other = exported(world)[0], World()
    store = FaultyStore(other.data, scripted({("put", 1): fault}))
    assert put(other, line, store).status == "imported"
    store.land_all()
    assert without_writes(exported(other)) == without_writes([line])


def test_an_import_that_the_store_does_not_answer_says_so(world: World) -> None:
    refusing = RefusingStore(world.data, "put", "m/", UnavailableError("no answer"))
    [line] = [line for line in exported(world) if line.get("statement") == TEA]
    world.data.delete_many([memory_key(SCOPE, line["id"])])
    with pytest.raises(UnavailableError):
        put(world, line, refusing)
    assert TEA not in memories(world)


def _told_and_deleted_elsewhere(world: World) -> tuple[World, list[JsonObject]]:
    """Return another world with the conversation, and lines of memories that it said."""
    say(world, ALONE, turn(0, 0, "a quote"))
    other = World()
    other.process().append("a")
    return other, exported(world)


@pytest.mark.parametrize("nth", range(1, 5))
def test_a_delete_while_a_memory_is_imported_leaves_nothing_of_it(world: World, nth: int) -> None:
    other, lines = _told_and_deleted_elsewhere(world)
    [line] = [line for line in lines if line.get("statement") == ALONE]
    receipts: list[bool] = []
    store = NthRequest(other.data, nth, lambda: receipts.append(other.process().delete().complete))
    status = put(other, line, store).status
    if not receipts:
        # Its last look came before the delete, which then finds it.
        assert other.process().delete().complete
    else:
        assert (status, receipts) == ("of deleted conversations", [True])
    assert memories(other) == {}
    assert CONVERSATION not in json.dumps(exported(other))


def test_a_crash_between_an_import_and_its_last_look_is_mended_by_the_next(world: World) -> None:
    other, lines = _told_and_deleted_elsewhere(world)
    [line] = [line for line in lines if line.get("statement") == ALONE]
    # It is put by the third request, after the look at its conversation.
    deleting = NthRequest(other.data, 3, other.process().delete)
    with pytest.raises(KeyboardInterrupt):
        put(other, line, NthRequest(deleting, 4, crash))
    assert ALONE in memories(other)
    assert put(other, line).status == "of deleted conversations"
    assert memories(other) == {}


def test_it_takes_the_place_of_what_went_with_a_conversation(world: World) -> None:
    say(world, ALONE)
    lines = exported(world)
    world.process().delete()
    [line] = [line for line in lines if line.get("statement") == ALONE]
    line["sources"][0] |= {"conversation_id": None, "ref": "0" * 16}
    assert put(world, line).status == "imported"
    assert ALONE in memories(world)


def test_what_was_forgotten_there_is_forgotten_here_and_hides_what_it_replaced() -> None:
    there, here = World(), World()
    process = memory_process(there)
    old = process.remember("The port is 8080.").memory
    assert old is not None
    there.clock.sleep(1)
    new = process.change(old.rid, statement="The port is 9090.").view.memory
    process.forget(new.rid)
    assert [put(here, line).status for line in exported(there)].count("forgotten there") == 1
    assert stored_memory(here, new.rid).is_forgotten
    assert memory_process(here).texts("port") == memory_process(there).texts("port") == []
    again = {put(here, line).status for line in exported(there)}
    assert again == {"already there"}


def test_what_was_forgotten_there_and_is_known_here_stays(world: World) -> None:
    other = told()
    rid = memories(world)[TEA].rid
    memory_process(world).forget(rid)
    [line] = [line for line in exported(world) if line["id"] == rid]
    assert put(other, line).status == "already there"
    assert TEA in memories(other)
