"""What a retrieve finds of what was remembered, in which order, and within which bounds."""

from dataclasses import replace

import pytest

from everturn.errors import UnavailableError
from everturn.memory.model.draft import SourceDraft
from everturn.memory.model.retrieve_request import SnippetKind
from everturn.ports.embedder import Embedder
from everturn.recall.language.terms import matchable_text
from everturn.values.keys import Scope, memory_key
from everturn.values.token_estimate import count_tokens
from fakes.fake_embedder import FakeEmbedder
from scenarios.memory_process import MemoryProcess, live, memory_process
from scenarios.world import World

PORT = "The deploy port is 8080."


@pytest.fixture
def process(world: World, embedder: Embedder) -> MemoryProcess:
    return memory_process(world, embedder)


def test_what_was_remembered_is_found_by_the_next_request_of_any_process(
    world: World, process: MemoryProcess
) -> None:
    for number in range(20):
        process.remember(f"Note {number} is about nothing.")
    process.retrieve("warm")
    memory = live(process.remember(PORT))

    for reader in (process, memory_process(world)):
        [best, *_] = reader.retrieve("which deploy port").snippets
        assert (best.text, best.uri, best.kind) == (PORT, memory.uri, "fact")


@pytest.mark.parametrize(
    ("failing", "reason"),
    [
        (FakeEmbedder(failing=UnavailableError("no answer")), "embedder_failed"),
        (FakeEmbedder(fault="short"), "embedder_failed"),
        (FakeEmbedder(fault="wrong-sized"), "embedder_failed"),
        (FakeEmbedder(fault="zeros"), "vectors_refused"),
    ],
)
def test_a_model_that_fails_is_flagged_and_loses_nothing(
    world: World, failing: FakeEmbedder, reason: str
) -> None:
    process = memory_process(world, failing)
    process.remember("My name is Zoe and I keep two cats.")
    process.remember(PORT)

    found = process.retrieve("what do you know about my cats")
    assert found.snippets[0].text == "My name is Zoe and I keep two cats."
    assert (found.degraded, found.reason) == (True, reason)
    assert len(found.snippets) == 2


def test_without_a_model_an_answer_lacks_nothing_and_says_so(world: World) -> None:
    process = memory_process(world, FakeEmbedder(semantic=False))
    process.remember(PORT)
    assert not process.retrieve("deploy port").degraded
    fallen = replace(process, fell_back=True)
    assert fallen.retrieve("deploy port").reason == "embedder_fell_back"


def test_a_text_that_two_memories_say_is_shown_once(process: MemoryProcess) -> None:
    for kind in ("fact", "event", "goal"):
        process.remember(PORT, kind, subject="")
    process.remember("The port of the test stage is 9090.")
    texts = process.texts("deploy port")
    assert sorted(texts) == [PORT, "The port of the test stage is 9090."]


def test_a_turn_that_says_what_a_memory_says_is_not_shown_beside_it(
    world: World, process: MemoryProcess
) -> None:
    world.process().append(PORT, "And the test port is 9090.")
    process.remember(PORT)
    assert sorted(process.texts("port")) == [PORT, "user: And the test port is 9090."]
    assert len(process.texts("port", kinds=("turn",))) == 2


def test_what_nothing_speaks_for_fills_what_is_left_and_comes_last(world: World) -> None:
    """Without a model the words of a question need not be those of its answer."""
    process = memory_process(world, FakeEmbedder(semantic=False))
    process.remember("I drink Assam.", importance=2)
    process.remember("My home is in Graz.", importance=9)
    process.remember(PORT, importance=1)

    found = process.retrieve("deploy").snippets
    assert [one.text for one in found] == [PORT, "My home is in Graz.", "I drink Assam."]
    assert found[0].score > 0.1
    assert 1e-3 > found[1].score > found[2].score > 0
    assert process.texts("deploy", min_score=0.01) == [PORT]
    assert process.texts("deploy", related_only=True) == [PORT]
    assert process.texts("deploy", top_k=2) == [PORT, "My home is in Graz."]
    assert process.texts("deploy", kinds=("turn",)) == []


def test_scores_fall_and_are_between_nothing_and_one(process: MemoryProcess) -> None:
    for number in range(12):
        process.remember(f"The port of service {number} is 80{number:02}.")
    scores = [one.score for one in process.retrieve("port of service 7", top_k=12).snippets]
    assert len(scores) == 12
    assert scores == sorted(scores, reverse=True)
    assert 0 < scores[-1] <= scores[0] <= 1


def test_what_is_below_the_least_score_is_cut_and_counted(process: MemoryProcess) -> None:
    for number in range(12):
        process.remember(f"The port of service {number} is 80{number:02}.")
    scores = [one.score for one in process.retrieve("port of service 7", top_k=5).snippets]
    found = process.retrieve("port of service 7", top_k=5, min_score=scores[1])
    assert [one.score for one in found.snippets] == [
        score for score in scores if score >= scores[1]
    ]
    assert found.filtered == 5 - len(found.snippets) > 0
    nothing = process.retrieve("port of service 7", top_k=5, min_score=1.0)
    assert (nothing.snippets, nothing.filtered) == ((), 5)


def test_a_budget_is_never_exceeded_and_what_is_too_big_gives_way(process: MemoryProcess) -> None:
    for number in range(30):
        process.remember(f"Deploy note {number}: {'word ' * (number % 7 * 10)}end.")
    for budget in range(4, 200, 7):
        found = process.retrieve("deploy note", budget_tokens=budget, top_k=30)
        tokens = sum(count_tokens(one.text) for one in found.snippets)
        assert tokens <= budget or found.over_budget
        assert found.snippets


def test_where_nothing_fits_the_best_comes_alone_and_says_so(process: MemoryProcess) -> None:
    process.remember(f"The deploy port is {'very ' * 50}secret.")
    process.remember(f"The deploy day is {'very ' * 50}late.")
    found = process.retrieve("deploy port", budget_tokens=5)
    assert len(found.snippets) == 1
    assert found.over_budget
    assert "port" in found.snippets[0].text


@pytest.mark.parametrize("query", ["", " \n\t", "\u200b", "<recalled_memory>\nports\n"])
def test_a_blank_query_asks_for_what_matters_most(process: MemoryProcess, query: str) -> None:
    process.remember("Of little weight.", importance=1)
    process.remember("Of great weight.", importance=10)
    process.remember("Of some weight.", importance=5)
    process.remember("Pinned by hand.", importance=0, pinned=True)
    found = process.retrieve(query)
    assert [one.text for one in found.snippets] == [
        "Of great weight.", "Pinned by hand.", "Of some weight.", "Of little weight.",
    ]  # fmt: skip
    assert not found.degraded


def test_only_the_kinds_asked_for_are_found(process: MemoryProcess) -> None:
    kinds: list[SnippetKind] = ["fact", "event", "preference", "goal", "constraint"]
    for kind in kinds:
        process.remember(f"Tea as a {kind}.", kind)
    process.remember(None, "pattern", spec={"name": "Make tea", "steps": ["boil water"]})
    for kind in (*kinds, "pattern"):
        assert {one.kind for one in process.retrieve("tea", kinds=(kind,)).snippets} == {kind}
    both = process.retrieve("tea", kinds=("fact", "goal"))
    assert sorted(one.kind for one in both.snippets) == ["fact", "goal"]


def test_lanes_are_told_only_if_they_are_asked_for(process: MemoryProcess) -> None:
    process.remember(PORT)
    [plain] = process.retrieve("deploy port").snippets
    [told] = process.retrieve("deploy port", explain=True).snippets
    assert plain.lanes == {}
    assert told.lanes["lexical"] > 0
    assert all(told.lanes.values())
    assert replace(told, lanes={}) == plain


@pytest.mark.parametrize("other", [Scope("acme", "bob"), Scope("other", "ann"), Scope("a", "nn")])
def test_nothing_of_another_actor_is_found(
    world: World, process: MemoryProcess, other: Scope
) -> None:
    stranger = memory_process(world, scope=other)
    stranger.cache, stranger.memory_indexes = process.cache, process.memory_indexes
    stranger.indexes = process.indexes
    stranger.remember("The deploy key is Lima.", pinned=True)
    world.process(scope=other).append("My deploy key is Lima too.")
    for query in ("deploy key Lima", "", "anything"):
        found = process.retrieve(query, top_k=100)
        assert (found.snippets, found.pending_turns) == ((), 0)
    assert len(stranger.texts("deploy key")) == 2


def test_a_record_that_cannot_be_read_hides_no_other(world: World, process: MemoryProcess) -> None:
    process.remember(PORT)
    broken = live(process.remember("The deploy day is Friday."))
    world.data.overwrite(memory_key(world.scope, broken.rid), b"{")
    found = process.retrieve("deploy")
    assert [one.text for one in found.snippets] == [PORT]
    assert found.reason == "memories_unreadable"


def test_a_pattern_is_found_by_its_steps_and_shown_in_one_line(process: MemoryProcess) -> None:
    source = SourceDraft(conversation_id="c1")
    spec = {"name": "Rotate a key", "trigger": "a key is old", "steps": ["make one", "revoke it"]}
    memory = live(process.remember(None, "pattern", spec=spec, source=source))
    [found] = process.retrieve("how do I revoke a key").snippets
    assert (found.uri, found.kind) == (memory.uri, "pattern")
    assert "\n" not in found.text
    assert matchable_text(found.text) == found.text
