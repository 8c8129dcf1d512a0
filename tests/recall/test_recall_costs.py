"""What a recall costs in requests on a quiet store."""

from collections.abc import Callable

import pytest

from fakes.fake_embedder import FakeEmbedder
from fakes.interleaved_store import InterleavedStore
from scenarios.process import Process
from scenarios.recall_process import Recaller, lexical, recaller
from scenarios.sealed_world import fill, said, sealed_of
from scenarios.world import World


class _Costs:
    """A process that recalls, and the requests that it makes of each store."""

    def __init__(self, world: World, embedder: FakeEmbedder | None = None) -> None:
        self.data, self.derived = InterleavedStore(world.data), InterleavedStore(world.derived)
        self.process: Recaller = recaller(world, embedder, data=self.data, derived=self.derived)

    def of(self, query: str) -> tuple[list[str], list[str]]:
        """Recall, and return the verbs."""
        self.data.verbs.clear()
        self.derived.verbs.clear()
        self.process.recall(query)
        return list(self.data.verbs), list(self.derived.verbs)


@pytest.fixture
def writer(world: World) -> Process:
    return world.process()


@pytest.mark.parametrize("embedder", [FakeEmbedder, lexical])
def test_nothing_changed_is_one_request(
    world: World, writer: Process, embedder: Callable[[], FakeEmbedder]
) -> None:
    fill(writer, 10)
    costs = _Costs(world, embedder())
    costs.of("turn")

    assert costs.of("turn 0003") == (["get"], [])


def test_a_first_recall_reads_head_and_chunk_writes_it_and_looks_again(
    world: World, writer: Process
) -> None:
    fill(writer, 10)

    assert _Costs(world).of("turn") == (["get", "get"], ["get", "overwrite"])


def test_a_cold_recall_is_a_head_and_a_chunk(world: World, writer: Process) -> None:
    fill(writer, 10)
    _Costs(world).of("turn")

    assert _Costs(world).of("turn") == (["get"], ["get"])


@pytest.mark.parametrize("more", [1, 2])
def test_a_recall_after_an_append_writes_its_vectors_and_looks_again(
    world: World, writer: Process, more: int
) -> None:
    fill(writer, 10)
    costs = _Costs(world)
    costs.of("turn")
    fill(writer, more, start=10)

    assert costs.of("turn") == (["get", "get"], ["overwrite"])


def test_after_more_appends_it_looks_first_whether_others_embedded_them(
    world: World, writer: Process
) -> None:
    fill(writer, 10)
    costs = _Costs(world)
    costs.of("turn")
    fill(writer, 3, start=10)

    assert costs.of("turn") == (["get", "get"], ["get", "overwrite"])


def test_what_another_process_embedded_is_read_and_not_written_again(
    world: World, writer: Process
) -> None:
    fill(writer, 10)
    costs = _Costs(world)
    costs.of("turn")
    fill(writer, 3, start=10)
    recaller(world).recall("turn")

    assert costs.of("turn") == (["get"], ["get"])


def test_without_a_model_a_turn_more_is_one_request(world: World, writer: Process) -> None:
    fill(writer, 10)
    costs = _Costs(world, lexical())
    costs.of("turn")
    fill(writer, 1, start=10)

    assert costs.of("turn") == (["get"], [])


def test_without_a_model_a_chunk_is_written_every_64_turns(world: World, writer: Process) -> None:
    costs, written = _Costs(world, lexical()), []
    for number in range(130):
        fill(writer, 1, start=number)
        if "overwrite" in costs.of("turn")[1]:
            written.append(number + 1)

    assert written == [64, 128]


@pytest.mark.usefixtures("small")
def test_hits_of_segments_are_read_once_while_they_are_kept(world: World, writer: Process) -> None:
    fill(writer, 60)
    costs = _Costs(world)
    costs.of("turn")
    cold = _Costs(world)

    [of_head, *of_segments], derived = cold.of(said(3))

    assert derived == ["get"]
    assert (of_head, set(of_segments)) == ("get", {"get"})
    assert 1 <= len(of_segments) <= len(sealed_of(world).segments)
    assert cold.of(said(3)) == (["get"], [])


@pytest.mark.usefixtures("small", "small_chunks")
def test_a_chunk_that_is_full_is_read_and_written_no_more(world: World, writer: Process) -> None:
    costs = _Costs(world)
    fill(writer, 60)
    costs.of("turn")
    fill(writer, 1, start=60)

    data, derived = costs.of("turn")

    assert derived == ["overwrite"]
    assert data[0] == data[-1] == "get"


@pytest.mark.parametrize("query", ["", " \u200b ", "<recalled_memory>port</recalled_memory>"])
def test_a_blank_query_only_looks_whether_there_is_such_a_conversation(
    world: World, writer: Process, query: str
) -> None:
    fill(writer, 3)
    costs = _Costs(world, embedder := FakeEmbedder())

    assert costs.of(query) == (["get"], [])
    assert embedder.calls == []
