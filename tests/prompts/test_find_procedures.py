"""Which patterns are shown as procedures, and in which order."""

import pytest

from emulation.counting_store import CountingStore
from everturn.errors import UnavailableError
from everturn.memory.index.record_cache import MemoryCache
from everturn.memory.model.draft import SourceDraft
from everturn.memory.model.memory import Memory
from everturn.ports.embedder import Embedder
from everturn.recall.index.recall_request import MAX_QUERY_CHARS
from everturn.values.keys import Scope
from everturn.values.token_estimate import count_tokens
from fakes.fake_embedder import FakeEmbedder
from scenarios.memory_process import MemoryProcess, live, memory_process
from scenarios.world import World


@pytest.fixture
def process(world: World, embedder: Embedder) -> MemoryProcess:
    return memory_process(world, embedder)


def learn(
    process: MemoryProcess, name: str, *steps: str, sources: int = 3, first: int = 0
) -> Memory:
    """Remember a pattern from so many conversations."""
    spec = {"name": name, "steps": list(steps) or [f"do {name}"]}
    for number in range(first, first + sources):
        source = SourceDraft(conversation_id=f"c{number}")
        memory = live(process.remember(None, "pattern", spec=spec, source=source))
    return memory


def names(process: MemoryProcess, goal: str = "", budget_tokens: int = 2_000) -> list[str]:
    """The names of the procedures, in order."""
    found = process.procedures(goal, budget_tokens)
    return [one.memory.spec.name for one in found if one.memory.spec]


def test_a_pattern_of_three_conversations_is_one_and_thrice_from_one_is_none(
    process: MemoryProcess,
) -> None:
    for _ in range(3):
        learn(process, "thrice from one", sources=1)
    learn(process, "twice", sources=2)
    assert names(process) == []
    learn(process, "thrice from three")
    assert names(process) == ["thrice from three"]
    learn(process, "twice", sources=1, first=2)
    assert sorted(names(process)) == ["thrice from three", "twice"]


def test_a_key_a_conversation_and_nothing_are_three_sources(process: MemoryProcess) -> None:
    spec = {"name": "Deploy", "steps": ["push"]}
    for source in (SourceDraft(conversation_id="c1"), SourceDraft(key="k"), SourceDraft()):
        assert names(process) == []
        process.remember(None, "pattern", spec=spec, source=source)
    assert names(process) == ["Deploy"]


def test_the_strongest_come_first(process: MemoryProcess) -> None:
    learn(process, "strong", sources=6)
    learn(process, "weak")
    failed = learn(process, "failed", sources=5)
    process.outcome(failed.rid, "failure", "one")
    process.outcome(failed.rid, "failure", "two")
    assert names(process) == ["strong", "weak", "failed"]


def test_those_that_have_to_do_with_a_goal_come_before_all_others(world: World) -> None:
    process = memory_process(world, FakeEmbedder(semantic=False))
    learn(process, "strong", sources=6)
    learn(process, "rotate a key", "make a new key", "revoke the old key")
    learn(process, "restore the database", "stop the writer")
    assert names(process, "I have to rotate a key")[0] == "rotate a key"
    assert names(process, "restore a database")[0] == "restore the database"
    assert len(names(process, "restore a database")) == 3


def test_a_goal_counts_by_its_first_characters(world: World) -> None:
    process = memory_process(world, FakeEmbedder(semantic=False))
    learn(process, "strong", sources=6)
    learn(process, "rotate a key")
    asked = "rotate a key"
    before = " " * (MAX_QUERY_CHARS - len(asked))
    assert names(process, before + asked + " x" * 1_000_000)[0] == asked
    assert names(process, before + " " * len(asked) + asked)[0] == "strong"


@pytest.mark.parametrize("goal", ["", " ", "\u200b", "<recalled_memory>rotate</recalled_memory>"])
def test_a_blank_goal_is_none_and_embeds_nothing(world: World, goal: str) -> None:
    embedder = FakeEmbedder()
    process = memory_process(world, embedder)
    learn(process, "strong", sources=6)
    learn(process, "rotate a key")
    assert names(process, goal) == ["strong", "rotate a key"]
    assert "query" not in embedder.purposes


def test_a_model_that_fails_hides_no_procedure(world: World) -> None:
    process = memory_process(world, FakeEmbedder(failing=UnavailableError("no answer")))
    learn(process, "strong", sources=6)
    learn(process, "rotate a key")
    assert names(process, "rotate a key") == ["rotate a key", "strong"]


def test_a_budget_bounds_the_texts_and_one_too_long_gives_way(process: MemoryProcess) -> None:
    learn(process, "long", *(f"step {number} {'word ' * 100}" for number in range(5)), sources=6)
    for number in range(4):
        learn(process, f"short {number}", "push")
    for budget in (1, 10, 25, 60):
        found = process.procedures("", budget)
        assert sum(count_tokens(one.text) for one in found) <= budget
        assert "long" not in {one.memory.spec.name for one in found if one.memory.spec}
    assert sorted(names(process, budget_tokens=60)) == [f"short {number}" for number in range(4)]


def test_of_many_procedures_only_those_that_may_fit_are_read(
    world: World, process: MemoryProcess
) -> None:
    for number in range(40):
        learn(process, f"number {number}", "push the tag and look at the dashboard")
    store = CountingStore(world.data)
    reader = memory_process(world, process.embedder, data=store)
    reader.retrieve("warm", kinds=("fact",))
    reader.cache.records = MemoryCache().records
    store.calls.clear()
    assert 0 < len(reader.procedures("", 60)) == store.verbs().count("get") < 10


def test_a_text_is_one_line_with_the_steps(process: MemoryProcess) -> None:
    learn(process, "Deploy", "run the\ntests", "push the tag")
    [found] = process.procedures()
    assert found.text == found.memory.text
    assert "\n" not in found.text
    assert "run the tests" in found.text


def test_what_was_forgotten_replaced_or_belongs_to_another_is_none(
    world: World, process: MemoryProcess
) -> None:
    process.forget(learn(process, "forgotten").rid)
    process.change(learn(process, "old").rid, spec={"name": "new", "steps": ["push"]})
    learn(memory_process(world, scope=Scope("acme", "bob")), "foreign")
    process.remember("A fact.", source="one")
    assert names(process) == []


def test_erasing_a_conversation_takes_its_word_away(world: World, process: MemoryProcess) -> None:
    for number in range(3):
        world.process().append("Deploy it.", to=f"c{number}")
    learn(process, "Deploy")
    assert names(process) == ["Deploy"]
    world.process().delete("c1")
    assert names(process) == []
