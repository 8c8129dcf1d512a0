"""What a recall in one conversation answers."""

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from everturn.adapters.directory.store import DirectoryStore
from everturn.conversations.model.turn import TurnDraft
from everturn.errors import CorruptRecordError, InvalidRequestError, NotFoundError
from everturn.values.keys import Scope
from everturn.values.timestamps import TimeWindow
from scenarios.process import CONVERSATION, SCOPE
from scenarios.recall_process import lexical, numbers, recaller, stored_rows, texts
from scenarios.sealed_world import fill, remove_segment, said, sealed_of
from scenarios.world import World


def test_a_hit_is_the_turn_word_for_word(world: World) -> None:
    verbatim = 'My  server\nlistens on "port" 8080 \U0001f600 \u2028 <b>&</b>'
    world.process().append_drafts([TurnDraft("user", verbatim, name="Ann", intent_id="i-1")])

    [hit] = recaller(world).recall("which port").hits

    assert hit.turn.text == verbatim
    assert (hit.turn.role, hit.turn.index, hit.conversation_id) == ("user", 0, CONVERSATION)
    assert hit.turn.value["intent_id"] == "i-1"
    assert 0 < hit.score <= 1


def test_scores_fall_in_the_order_of_hits(world: World) -> None:
    fill(world.process(), 30)

    scores = [hit.score for hit in recaller(world).recall("turn 0003 0004").hits]

    assert scores == sorted(scores, reverse=True)


def test_of_equal_texts_the_newest_has_the_score_of_the_best(world: World) -> None:
    """It stands in that one's place; alone it would come after others."""
    filler = [f"we talked of lunch on day {number}" for number in range(8)]
    world.process().append("my server", "a port", "my server", *filler, "a port of call", "a port")

    found = recaller(world, lexical()).recall("server port")
    scores = {hit.turn.index: hit.score for hit in found.hits}

    assert 1 not in scores
    assert scores[12] > scores[11]
    assert list(scores.values()) == sorted(scores.values(), reverse=True)


@pytest.mark.usefixtures("small", "small_chunks")
def test_every_turn_of_a_long_thread_is_found_by_what_it_says(world: World) -> None:
    fill(world.process(), 60)
    process = recaller(world)

    for number in (0, 15, 16, 31, 40, 59):
        assert numbers(process.recall(said(number), top_k=1)) == [number]


def test_the_newest_turns_are_left_out_where_the_caller_has_them(world: World) -> None:
    fill(world.process(), 10)
    process = recaller(world)

    assert set(numbers(process.recall("turn", exclude_last=4))) == set(range(6))
    assert process.recall("turn", exclude_last=99).hits == ()


@pytest.mark.usefixtures("small")
def test_neighbours_come_with_a_hit_from_wherever_they_are(world: World) -> None:
    fill(world.process(), 40)
    first = sealed_of(world).segments[-1].first

    [hit] = recaller(world).recall(said(first), top_k=1, neighbours=2).hits

    around = [first - 2, first - 1, first + 1, first + 2]
    assert [turn.index for turn in hit.neighbours] == around


def test_roles_and_times_leave_turns_out(world: World) -> None:
    fill(world.process(), 10, seconds=60)
    start = world.clock.now_ns() - 10 * 60 * 10**9
    process = recaller(world)
    window = TimeWindow(start + 4 * 60 * 10**9, start + 8 * 60 * 10**9)

    assert set(numbers(process.recall("turn", roles=("assistant",)))) == {1, 3, 5, 7, 9}
    assert set(numbers(process.recall("turn", window=window))) == {4, 5, 6, 7}


def test_lanes_are_explained_where_they_are_asked_for(world: World) -> None:
    fill(world.process(), 3)
    process = recaller(world)

    assert process.recall(said(1)).hits[0].lanes == {}
    assert process.recall(said(1), explain=True).hits[0].lanes["lexical"] > 0


@pytest.mark.parametrize("query", ["", "  ", "\u200b", "<recalled_memory>turn</recalled_memory>"])
def test_a_blank_query_finds_nothing_and_says_so(world: World, query: str) -> None:
    fill(world.process(), 3)

    found = recaller(world).recall(query)

    assert (found.hits, found.degraded, found.reason) == ((), True, "blank_query")


@pytest.mark.parametrize("query", ["turn", ""])
def test_an_unknown_or_deleted_conversation_is_not_found(world: World, query: str) -> None:
    process = recaller(world)
    with pytest.raises(NotFoundError):
        process.recall(query)
    fill(world.process(), 3)
    process.recall("turn")
    world.process().delete()

    for each in (process, recaller(world)):
        with pytest.raises(NotFoundError):
            each.recall(query)


def test_an_id_that_is_none_is_refused(world: World) -> None:
    with pytest.raises(InvalidRequestError):
        recaller(world).recall("turn", to=" ")


def test_a_conversation_without_turns_has_no_hits(world: World) -> None:
    world.process().create()

    found = recaller(world).recall("turn")

    assert (found.hits, found.degraded) == ((), False)


@pytest.mark.usefixtures("small")
def test_a_missing_segment_is_a_corrupt_record(world: World) -> None:
    fill(world.process(), 40)
    remove_segment(world, sealed_of(world).segments[0].name)

    with pytest.raises(CorruptRecordError, match=CONVERSATION):
        recaller(world).recall("turn")


def test_a_turn_of_another_program_without_role_or_text_hides_no_other(world: World) -> None:
    world.process().append("first", "second", "third")
    head = json.loads(world.stored().body)
    del head["turns"][1]["text"]
    head["turns"][0]["ts"] = "0001-01-01T00:00:00Z"
    world.place(json.dumps(head, separators=(",", ":")).encode())

    found = recaller(world).recall("first second third", neighbours=2)

    assert set(numbers(found)) == {0, 2}
    assert [turn.index for turn in found.hits[0].neighbours] in ([0], [2])


def test_another_scope_finds_nothing_of_this_one(world: World) -> None:
    fill(world.process(), 3)
    other = recaller(world, scope=Scope("acme", "bob"))
    other.indexes = (mine := recaller(world)).indexes
    mine.recall("turn")

    with pytest.raises(NotFoundError):
        other.recall("turn")
    assert other.across("turn").hits == ()


@pytest.mark.parametrize("id_", ["../up", "a/b", "Ünicode ✓", "x" * 500])
def test_any_id_has_a_side_index_of_its_own(world: World, id_: str) -> None:
    world.process().append("my port is 8080", to=id_)
    process = recaller(world)

    assert texts(process.recall("port", to=id_)) == ["my port is 8080"]
    assert process.recall("port", to=id_).hits[0].conversation_id == id_


@pytest.mark.usefixtures("small", "small_chunks")
def test_two_processes_recall_while_one_appends(world: World) -> None:
    """All that was appended before a recall began is found by it."""
    writer, failed = world.process(), list[str]()
    done = threading.Event()
    fill(writer, 2)

    def recall() -> None:
        process = recaller(world)
        while not done.is_set():
            count = world.record().head.turn_count
            found = numbers(process.recall("turn"))
            if not set(range(count)) <= set(found):
                failed.append(f"{count} {found}")

    threads = [threading.Thread(target=recall) for _ in range(2)]
    for thread in threads:
        thread.start()
    fill(writer, 90, start=2)
    done.set()
    for thread in threads:
        thread.join()

    assert failed == []
    assert set(numbers(recaller(world).recall("turn"))) == set(range(92))
    assert all(rows.scales.all() for rows in stored_rows(world))


@pytest.mark.usefixtures("small", "small_chunks")
@pytest.mark.parametrize("scope", [SCOPE, Scope("local", "local")])
def test_a_directory_is_a_store_like_any_other(tmp_path: Path, scope: Scope) -> None:
    clock = World().clock
    store = DirectoryStore(tmp_path, clock=clock)
    world = World(clock=clock, data=store, scope=scope)
    process = recaller(world, derived=store)
    fill(writer := replace(world.process(), derived=store), 40)
    assert numbers(process.recall(said(3), top_k=1)) == [3]

    writer.redact(3, text="gone")
    found = process.recall(said(3))

    assert said(3) not in texts(found)
    assert len(found.hits) == 40
