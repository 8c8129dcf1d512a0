"""What was said and is in no memory yet: found as a turn, until a watermark covers it."""

import json
from dataclasses import replace

import pytest

from everturn.memory.model.retrieve_request import Retrieved, Snippet
from everturn.ports.embedder import Embedder
from everturn.prompts import retrieve_memories
from everturn.prompts.find_pending_turns import PendingTurns
from everturn.values.go_json import JsonObject
from everturn.values.keys import watermark_key
from everturn.values.timestamps import TimeWindow, parse_time
from scenarios.memory_process import MemoryProcess, memory_process
from scenarios.process import Process
from scenarios.world import World

MARK = "The locker code is MARK-77120431."


@pytest.fixture
def writer(world: World) -> Process:
    return world.process()


@pytest.fixture
def process(world: World, embedder: Embedder) -> MemoryProcess:
    return memory_process(world, embedder)


def consolidated(world: World, conversation_id: str, turns: int, **more: JsonObject) -> None:
    """Put a watermark there, as consolidation does."""
    body = {"conversation_id": conversation_id, "turns": turns, **more}
    key = watermark_key(world.scope, conversation_id)
    world.data.overwrite(key, json.dumps(body).encode())


def places(found: Retrieved) -> list[tuple[str, int]]:
    """The turns among the snippets, in order."""
    return [one.place for one in found.snippets if one.place is not None]


def test_what_was_said_in_another_conversation_is_found_by_the_next_request(
    world: World, writer: Process, process: MemoryProcess
) -> None:
    writer.append("Hello there.", to="monday")
    process.retrieve("warm")
    writer.append(MARK, to="tuesday")

    for reader in (process, memory_process(world, process.embedder)):
        found = reader.retrieve("what is my locker code")
        best = found.snippets[0]
        assert (best.text, best.kind) == (f"user: {MARK}", "turn")
        assert best.uri == "everturn://turn/tuesday/0"
        assert 0 < best.score <= 1
        assert found.pending_turns == 2


def test_a_watermark_takes_turns_out(world: World, writer: Process, process: MemoryProcess) -> None:
    writer.append("The code was Alpha.", "The code was Bravo.", "The code is Charlie.")
    assert places(process.retrieve("code")) != []
    for turns in (1, 2, 3, 2, 9):
        consolidated(world, "thread-1", turns)
        found = process.retrieve("code")
        assert sorted(places(found)) == [("thread-1", at) for at in range(turns, 3)]
        assert found.pending_turns == max(3 - turns, 0)
    writer.append("The code is Delta.")
    consolidated(world, "thread-1", 3)
    assert places(process.retrieve("code")) == [("thread-1", 3)]


def test_watermarks_belong_to_their_conversations(
    world: World, writer: Process, process: MemoryProcess
) -> None:
    for id_ in ("a", "b", "a/b", "é"):
        writer.append(f"The code of {id_} is Alpha.", to=id_)
    for done, left in (("a", 3), ("a/b", 2), ("é", 1), ("b", 0)):
        consolidated(world, done, 1)
        found = process.retrieve("code")
        assert found.pending_turns == left
        assert done not in {place for place, _ in places(found)}


def test_a_turn_comes_after_the_memory_that_it_ties_with(
    process: MemoryProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As sure as it gets: the query word for word. What a memory says no turn says beside it."""
    said = Snippet("user: a tie", "everturn://turn/c/0", "turn", 1.0, place=("c", 0))
    monkeypatch.setattr(
        retrieve_memories, "find_pending_turns", lambda *_: PendingTurns((said,), 1)
    )
    for kind in ("fact", "goal"):
        process.remember("The deploy port is 8080.", kind, subject="")
    process.remember("The test port is 9090.")
    found = process.retrieve("The deploy port is 8080.").snippets
    assert [one.score for one in found[:2]] == [1.0, 1.0]
    assert [one.kind for one in found[:2]] in (["fact", "turn"], ["goal", "turn"])


def test_a_blank_query_finds_no_turn_but_counts_them(
    writer: Process, process: MemoryProcess
) -> None:
    writer.append(MARK, "And more.")
    process.remember("Of weight.")
    found = process.retrieve(" ")
    assert [one.kind for one in found.snippets] == ["fact"]
    assert (found.pending_turns, found.degraded) == (2, False)


def test_turns_are_looked_for_only_where_their_kind_is_asked_for(
    writer: Process, process: MemoryProcess
) -> None:
    writer.append(MARK)
    process.remember("The locker is red.")
    assert places(process.retrieve("locker", kinds=("fact",))) == []
    assert process.retrieve("locker", kinds=("fact",)).pending_turns == 0
    only = process.retrieve("locker", kinds=("turn",))
    assert [one.kind for one in only.snippets] == ["turn"]
    assert len(process.retrieve("locker", kinds=("turn", "fact")).snippets) == 2


def test_a_window_holds_for_turns_too(writer: Process, process: MemoryProcess) -> None:
    for day in (1, 2, 3):
        writer.append(f"Code number {day}.", ts=f"2025-01-0{day}T00:00:00+02:00")
    since, until = parse_time("2025-01-01T22:00:00Z"), parse_time("2025-01-03T00:00:00+02:00")
    found = process.retrieve("code", window=TimeWindow(since, until))
    assert places(found) == [("thread-1", 1)]


def test_a_least_score_cuts_turns_and_counts_them(writer: Process, process: MemoryProcess) -> None:
    writer.append("The locker code is Alpha.", "A locker.", "The code of conduct.")
    scores = [one.score for one in process.retrieve("locker code").snippets]
    found = process.retrieve("locker code", min_score=scores[0])
    assert len(found.snippets) == 1
    assert found.filtered == len(scores) - 1 > 0


def test_old_conversations_are_not_asked_about_without_end(
    world: World, writer: Process, process: MemoryProcess
) -> None:
    """A process that has just started asks for 64 watermarks, however many there are."""
    for number in range(70):
        writer.append(f"The code of {number} is Alpha.", to=f"c{number:02}")
        world.clock.sleep(60)
    assert process.retrieve("code").pending_turns == 16
    for number in range(70):
        consolidated(world, f"c{number:02}", 1)
    assert process.retrieve("code").pending_turns == 0
    consolidated(world, "c06", 0)
    assert process.retrieve("code").pending_turns == 1
    consolidated(world, "c05", 0)
    assert process.retrieve("code").pending_turns == 1


def test_a_long_thread_is_searched_to_its_oldest_pending_turn(
    world: World, writer: Process, process: MemoryProcess, small: None
) -> None:
    del small
    for number in range(60):
        writer.append(f"Code number {number}." if number % 20 == 0 else f"Filler {number}.")
    consolidated(world, "thread-1", 20)
    found = process.retrieve("code number", top_k=50, min_score=0.2)
    assert set(places(found)) >= {("thread-1", 20), ("thread-1", 40)}
    assert min(number for _, number in places(found)) >= 20
    assert found.pending_turns == 40


def test_a_request_of_another_process_finds_the_same(
    world: World, writer: Process, process: MemoryProcess
) -> None:
    for number in range(5):
        writer.append(f"The code of {number} is 80{number}.", to=f"c{number}")
    process.remember("The code of 7 is 807.")
    warm = [process.retrieve("code of 3") for _ in range(2)][-1]
    cold = memory_process(world, process.embedder).retrieve("code of 3")
    assert replace(cold, embedded=0) == replace(warm, embedded=0)
