"""A context: all that an agent should know, under one budget, in one marker, nothing twice."""

from dataclasses import replace

import pytest

from everturn.memory.model.draft import SourceDraft
from everturn.ports.embedder import Embedder
from everturn.recall.language.terms import matchable_text
from everturn.values.keys import watermark_key
from everturn.values.token_estimate import count_tokens
from fakes.fake_embedder import FakeEmbedder
from fakes.interleaved_store import InterleavedStore
from prompts.contexts import HEADINGS, PORT, TOLD, filled, lines, shown_by_parts, talk
from scenarios.memory_process import MemoryProcess, live, memory_process
from scenarios.process import CONVERSATION, Process
from scenarios.world import World


@pytest.fixture
def process(world: World, embedder: Embedder) -> MemoryProcess:
    return memory_process(world, embedder)


@pytest.fixture
def writer(world: World) -> Process:
    return world.process()


def test_all_parts_stand_in_one_text_in_their_order(
    writer: Process, process: MemoryProcess
) -> None:
    talk(writer)
    built = filled(process).context(
        "harbour fee", goal="Pay the fee.", conversation_id=CONVERSATION, **TOLD
    )
    assert list(lines(built)) == list(HEADINGS)
    assert lines(built) == shown_by_parts(built)
    assert built.tokens == count_tokens(built.text)
    assert not built.degraded
    assert built.text.count("<recalled_memory>") == built.text.count("</recalled_memory>") == 1
    assert matchable_text(f"before {built.text} after") == "before after"


def test_nothing_is_said_twice(world: World, writer: Process, process: MemoryProcess) -> None:
    """Pinned and found, proven and found, recent and recalled, pending and recalled."""
    talk(writer)
    talk(world.process(), 10, to="other")
    filled(process)
    for query in ("Ada name deploy Fridays", "pay the harbour fee", "weather", "museum"):
        built = process.context(query, conversation_id=CONVERSATION, **TOLD)
        said = [line for part in lines(built).values() for line in part]
        assert len(said) == len(set(said))
        recent = {turn.index for turn in built.recent}
        recalled = {(hit.conversation_id, hit.turn.index) for hit in built.recalled}
        pending = {one.place for one in built.memories if one.place}
        assert recent == set(range(24, 40))
        assert not {number for _, number in recalled} & recent
        assert not pending & recalled
        assert {place for place, _ in pending} <= {"other", CONVERSATION}
        assert not {number for place, number in pending if place == CONVERSATION} & recent


def test_a_pinned_memory_that_did_not_fit_there_is_found_all_the_same(
    process: MemoryProcess,
) -> None:
    for number in range(11):
        process.remember(f"I like {number} {'very ' * 60}much.", "preference", importance=9)
    process.remember("My tea is Assam.", "preference", importance=1)
    built = process.context("which tea", budget_tokens=500)
    assert "My tea is Assam." not in built.pinned.parts["profile"]
    assert next(one.text for one in built.memories) == "My tea is Assam."


def test_many_pinned_memories_leave_room_for_others(world: World) -> None:
    process = memory_process(world, FakeEmbedder(semantic=False))
    for number in range(60):
        process.remember(f"Port {number} of the deploy port list.", hard=True)
    for number in range(5):
        process.remember(f"A deploy port was seen, number {number}, some weeks ago.")
    built = process.context("deploy port", budget_tokens=20_000)
    assert len(built.memories) == 5
    assert len(built.pinned.parts["constraints"]) == 60


def test_what_the_caller_still_has_stands_nowhere(writer: Process, process: MemoryProcess) -> None:
    talk(writer, 30)
    for excluded in (1, 5, 16, 20, 29):
        built = process.context(
            "weather harbour museum", conversation_id=CONVERSATION, exclude_last=excluded
        )
        kept = 30 - excluded
        assert all(turn.index < kept for turn in built.recent)
        assert all(hit.turn.index < kept for hit in built.recalled)
        assert all(one.place[1] < kept for one in built.memories if one.place)
        assert [turn.index for turn in built.recent] == list(range(max(kept - 16, 0), kept))


@pytest.mark.parametrize("excluded", [30, 31, 1_000])
def test_a_caller_may_have_more_than_all(
    writer: Process, process: MemoryProcess, excluded: int
) -> None:
    talk(writer, 30)
    process.remember(PORT)
    built = process.context(
        "weather deploy port", conversation_id=CONVERSATION, exclude_last=excluded
    )
    assert (built.recent, built.recalled) == ((), ())
    assert [one.text for one in built.memories] == [PORT]


def test_without_a_conversation_all_are_recalled_from_and_none_is_recent(
    world: World, writer: Process, process: MemoryProcess
) -> None:
    writer.append("The harbour fee is 7 EUR.", to="one")
    writer.append("The museum opens at 9.", to="two")
    for id_ in ("one", "two"):
        key = watermark_key(world.scope, id_)
        world.data.overwrite(key, b'{"turns":1}')
    built = process.context("harbour fee museum")
    assert built.recent == ()
    assert {hit.conversation_id for hit in built.recalled} == {"one", "two"}
    assert built.pending_turns == 0


def test_patterns_that_have_to_do_with_the_query_come_first_where_there_is_no_goal(
    world: World,
) -> None:
    process = memory_process(world, FakeEmbedder(semantic=False))
    for name, sources in (("Deploy", 6), ("Pay the harbour fee", 3)):
        for number in range(sources):
            source = SourceDraft(conversation_id=f"c{number}")
            process.remember(None, "pattern", spec={"name": name, "steps": ["go"]}, source=source)

    def names(goal: str = "") -> list[str]:
        built = process.context("harbour fee", goal=goal)
        return [one.spec.name for one in built.patterns if one.spec]

    assert names() == ["Pay the harbour fee", "Deploy"]
    assert names(goal="Deploy it.") == ["Deploy", "Pay the harbour fee"]


def test_a_blank_query_gives_what_is_known_without_one(
    writer: Process, process: MemoryProcess
) -> None:
    talk(writer, 20)
    built = filled(process).context(" ", conversation_id=CONVERSATION, **TOLD)
    assert {"Rules:", "Long-term memory:", "Recent turns:"} <= set(lines(built))
    assert built.recalled == ()


def test_a_correction_stands_in_it_and_what_it_corrected_does_not(process: MemoryProcess) -> None:
    old = live(process.remember(PORT))
    process.change(old.rid, statement="The deploy port is 9090.")
    built = process.context("deploy port")
    assert [one.text for one in built.memories] == ["The deploy port is 9090."]
    assert replace(built.memories[0], score=0, lanes={}).kind == "fact"


def test_what_nothing_of_the_query_speaks_for_takes_no_room(world: World) -> None:
    process = memory_process(world, FakeEmbedder(semantic=False))
    process.remember(PORT)
    process.remember("The museum opens at nine.")
    assert [one.text for one in process.context("deploy").memories] == [PORT]


def test_the_newest_turns_take_no_place_of_older_ones(world: World, writer: Process) -> None:
    """Sixteen that say more of the query stand in the text anyway."""
    process = memory_process(world, FakeEmbedder(semantic=False))
    writer.append("The harbour is north of the town.", *["We spoke of the weather."] * 3)
    writer.append(*[f"The harbour fee, harbour fee number {number}." for number in range(16)])
    built = process.context("harbour fee", conversation_id=CONVERSATION)
    assert 0 in [hit.turn.index for hit in built.recalled]


def test_a_turn_that_comes_meanwhile_moves_no_other_into_two_parts(
    world: World, writer: Process
) -> None:
    """It is read as recent, and is one more than sixteen turns old when it could be recalled."""
    writer.append(*[f"The harbour fee is {number} EUR." for number in range(16)])
    append = InterleavedStore(world.data, after={("get", 1): lambda: writer.append("And more.")})
    process = memory_process(world, FakeEmbedder(semantic=False), data=append)
    built = process.context("harbour fee", conversation_id=CONVERSATION)
    assert [turn.index for turn in built.recent] == list(range(16))
    assert built.recalled == ()
    assert append.verbs.count("get") > 1
