"""What a recall over the newest conversations of a scope looks at, and says of it."""

from collections import Counter

import pytest

from emulation.counting_store import CountingStore
from everturn.errors import InvalidRequestError
from everturn.recall.index import load_newest
from everturn.values.keys import Scope
from everturn.values.timestamps import TimeWindow
from fakes.fake_embedder import FakeEmbedder
from fakes.interleaved_store import InterleavedStore
from scenarios.process import Process
from scenarios.recall_process import lexical, passages, recaller, talk, texts
from scenarios.sealed_world import fill, said
from scenarios.world import World

HOUR_NS = 3_600 * 10**9


@pytest.fixture
def writer(world: World) -> Process:
    return world.process()


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let four conversations be looked at, two at a time."""
    monkeypatch.setattr(load_newest, "_WAVE", 2)
    monkeypatch.setattr(load_newest, "FAR", load_newest.Bounds(conversations=4))


def test_hits_come_from_all_conversations_and_say_from_which(world: World, writer: Process) -> None:
    talk(writer, 5)

    found = recaller(world).across("9003 port")

    assert found.hits[0].conversation_id == "c003"
    assert found.hits[0].turn.text == "my port is 9003"
    assert {hit.conversation_id for hit in found.hits} == {f"c{n:03d}" for n in range(5)}


def test_it_says_how_far_it_looked(world: World, writer: Process) -> None:
    talk(writer, 3)
    oldest_ns = world.record("c000").head.updated_ns

    searched = recaller(world).across("port").searched

    assert searched is not None
    assert (searched.conversations, searched.turns, searched.complete) == (3, 6, True)
    assert searched.oldest_ns == oldest_ns


@pytest.mark.usefixtures("few")
def test_only_the_newest_are_looked_at_and_it_says_so(world: World, writer: Process) -> None:
    talk(writer, 10)
    oldest_ns = world.record("c006").head.updated_ns

    found = recaller(world).across("port")

    assert {hit.conversation_id for hit in found.hits} == {"c006", "c007", "c008", "c009"}
    assert found.searched is not None
    assert (found.searched.conversations, found.searched.complete) == (4, False)
    assert found.searched.oldest_ns == oldest_ns


def test_what_was_said_three_hundred_conversations_ago_is_found(
    world: World, writer: Process
) -> None:
    """A new process asks twice for each conversation; one that knows them asks for the lists."""
    talk(writer, 300)
    recaller(world, lexical()).across("port")
    data, derived = CountingStore(world.data), CountingStore(world.derived)
    process = recaller(world, lexical(), data=data, derived=derived)

    first = process.across("9000 port")
    cold = len(data.calls) + len(derived.calls)
    data.calls.clear()
    derived.calls.clear()
    again = process.across("9000 port")

    assert first.hits[0].conversation_id == again.hits[0].conversation_id == "c000"
    assert first.searched is not None
    assert (first.searched.conversations, first.searched.complete) == (300, True)
    assert cold <= 2 * 300 + 5
    assert len(data.calls) + len(derived.calls) <= 5


@pytest.mark.usefixtures("few")
def test_an_old_one_that_is_written_to_is_new(world: World, writer: Process) -> None:
    talk(writer, 10)
    process = recaller(world)
    process.across("port")

    writer.append("the port again", to="c000")

    assert "c000" in {hit.conversation_id for hit in process.across("port again").hits}


@pytest.mark.usefixtures("few")
def test_so_many_turns_and_seconds_are_looked_at(
    world: World, writer: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk(writer, 10)
    monkeypatch.setattr(load_newest, "FAR", load_newest.Bounds(conversations=4, turns=3))
    by_turns = recaller(world).across("port").searched
    monkeypatch.setattr(load_newest, "FAR", load_newest.Bounds(conversations=4))
    slow = {("get", at): lambda: world.clock.sleep(4) for at in range(1, 9)}
    store = InterleavedStore(world.data, before=slow)  # type: ignore[arg-type]  # verbs

    by_time = recaller(world, data=store).across("port").searched

    for searched in (by_turns, by_time):
        assert searched is not None
        assert (searched.conversations, searched.complete) == (2, False)


def test_a_window_passes_over_conversations_outside_of_it(world: World, writer: Process) -> None:
    start = world.clock.now_ns()
    talk(writer, 6)
    window = TimeWindow(start + 2 * HOUR_NS, start + 4 * HOUR_NS)
    process = recaller(world, embedder := FakeEmbedder())

    found = process.across("port", window=window)

    assert {hit.conversation_id for hit in found.hits} == {"c002", "c003"}
    assert found.searched is not None
    assert (found.searched.conversations, found.searched.complete) == (2, True)
    assert len(passages(embedder)) == 4


def test_equal_texts_collapse_to_the_newest_of_all(world: World, writer: Process) -> None:
    for to in ("b", "a", "c"):
        writer.append("my port is 8080", to=to)
        world.clock.sleep(60)

    [hit] = recaller(world).across("port").hits

    assert hit.conversation_id == "c"


def test_of_equal_scores_the_newest_conversation_comes_first(world: World, writer: Process) -> None:
    for to in ("b", "a", "c"):
        writer.append(f"port {to}", to=to)
        world.clock.sleep(60)

    found = recaller(world, lexical()).across("port")

    assert [hit.conversation_id for hit in found.hits] == ["c", "a", "b"]


def test_neighbours_are_of_the_same_conversation(world: World, writer: Process) -> None:
    talk(writer, 3)

    [hit] = recaller(world).across("9001", top_k=1, neighbours=3).hits

    assert [turn.text for turn in hit.neighbours] == ["I see"]


def test_another_scope_is_never_looked_at(world: World, writer: Process) -> None:
    talk(writer, 2)
    other = Scope("acme", "bob")
    world.process(scope=other).append("bob's port", to="c000")

    assert texts(recaller(world, scope=other).across("port")) == ["bob's port"]
    assert "bob's port" not in texts(recaller(world).across("port"))


@pytest.mark.usefixtures("small", "small_chunks")
def test_each_turn_is_embedded_once_whoever_asks(world: World, writer: Process) -> None:
    fill(writer, 40)
    talk(writer, 20)
    process = recaller(world, embedder := FakeEmbedder())

    process.across("port")
    process.recall("turn")
    recaller(world, embedder).across("port")

    expected = Counter(said(number) for number in range(40))
    expected.update(f"my port is {9_000 + number}" for number in range(20))
    expected["I see"] = 20
    assert Counter(passages(embedder)) == expected


def test_a_warm_process_asks_for_the_list_and_for_what_changed(
    world: World, writer: Process
) -> None:
    talk(writer, 5)
    data, derived = InterleavedStore(world.data), InterleavedStore(world.derived)
    process = recaller(world, data=data, derived=derived)
    process.across("port")
    data.verbs.clear()
    derived.verbs.clear()

    process.across("9002")

    assert data.verbs == ["list"]
    assert "overwrite" not in derived.verbs
    writer.append("my port is 9009", to="c001")
    data.verbs.clear()
    assert process.across("9009").hits[0].conversation_id == "c001"
    # The list's own look at it, that of the index, and one before its rows are written.
    assert data.verbs == ["list", "get", "get", "get"]


def test_a_window_of_turns_left_out_is_of_one_conversation(world: World) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        recaller(world).across("port", exclude_last=3)

    assert caught.value.field == "exclude_last"


@pytest.mark.parametrize("query", ["", " ", "<recalled_memory>x"])
def test_a_blank_query_looks_nowhere(world: World, writer: Process, query: str) -> None:
    talk(writer, 2)
    store = InterleavedStore(world.data)

    found = recaller(world, data=store).across(query)

    assert (found.hits, found.reason, store.verbs) == ((), "blank_query", [])
    assert found.searched is not None
    assert not found.searched.complete


def test_a_scope_without_conversations_has_no_hits(world: World) -> None:
    found = recaller(world).across("port")

    assert (found.hits, found.degraded) == ((), False)
    assert found.searched is not None
    assert (found.searched.conversations, found.searched.complete) == (0, True)
