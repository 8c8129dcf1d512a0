"""What one recall does at most, and how the next ones go on."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from everturn.errors import UnavailableError
from everturn.ports.embedder import Purpose, Vectors
from everturn.recall.index import load_index
from fakes.fake_embedder import FakeEmbedder
from fakes.interleaved_store import InterleavedStore
from scenarios.recall_process import (
    Recaller,
    chunk_keys,
    is_indexed,
    lexical,
    numbers,
    passages,
    recaller,
    texts,
)
from scenarios.sealed_world import fill, said
from scenarios.world import World

COUNT = 60


@dataclass(slots=True)
class _Slow(FakeEmbedder):
    """Takes some time for each call that embeds turns."""

    wait: Callable[[], object] = field(default=lambda: None)

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Vectors:
        if purpose == "passage":
            self.wait()
        return FakeEmbedder.embed(self, texts, purpose=purpose)


def _slow(world: World, seconds: float) -> _Slow:
    return _Slow(wait=lambda: world.clock.sleep(seconds))


def _slow_reads(world: World, seconds: float) -> InterleavedStore:
    """Return a store in which every read but the first, of the head, takes so long."""
    waits = {("get", at): lambda: world.clock.sleep(seconds) for at in range(2, 99)}
    return InterleavedStore(world.data, after=waits)  # type: ignore[arg-type]  # verbs are literals


def _recalls(process: Recaller, query: str) -> list[str | None]:
    """Recall until nothing is missing; the reasons on the way."""
    reasons: list[str | None] = []
    while not reasons or reasons[-1] is not None:
        assert len(reasons) < 50
        reasons.append(process.recall(query).reason)
    return reasons


def test_a_slow_model_is_asked_for_some_seconds_and_the_rest_by_the_next_calls(
    world: World,
) -> None:
    fill(world.process(), COUNT)
    process = recaller(world, embedder := _slow(world, 3))

    reasons = _recalls(process, said(3))

    assert reasons == ["vectors_pending", None]
    assert Counter(passages(embedder)) == Counter(said(number) for number in range(COUNT))


def test_turns_without_a_vector_are_found_by_their_words_meanwhile(world: World) -> None:
    fill(world.process(), COUNT)
    process = recaller(world, _slow(world, 60))

    found = process.recall(said(3))

    assert said(3) in texts(found)
    assert (found.degraded, found.reason) == (True, "vectors_pending")


def test_cold_processes_go_on_where_the_last_one_ended(world: World) -> None:
    fill(world.process(), COUNT)
    embedder = _slow(world, 60)

    calls = 0
    while recaller(world, embedder).recall("turn").degraded:
        calls += 1

    assert calls == 4
    assert Counter(passages(embedder)) == Counter(said(number) for number in range(COUNT))


@pytest.mark.usefixtures("small", "small_chunks")
def test_so_many_turns_are_embedded_a_call_the_newest_first(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load_index, "_MAX_EMBEDDED", 20)
    fill(world.process(), COUNT)
    process = recaller(world, embedder := FakeEmbedder())

    assert process.recall("turn").reason == "vectors_pending"

    given = sorted(passages(embedder))
    assert 20 <= len(given) < 20 + embedder.max_batch
    assert given == [said(number) for number in range(COUNT - len(given), COUNT)]
    _recalls(process, "turn")
    assert max(Counter(passages(embedder)).values()) == 1


@pytest.mark.parametrize("embedder", [FakeEmbedder, lexical])
@pytest.mark.usefixtures("small", "small_chunks")
def test_segments_are_opened_for_some_seconds_the_newest_first(
    world: World, embedder: Callable[[], FakeEmbedder]
) -> None:
    fill(world.process(), COUNT)
    process = recaller(world, embedder(), data=_slow_reads(world, 3))

    found = process.recall("turn")

    assert (found.degraded, found.reason) == (True, "turns_pending")
    assert COUNT - 1 in numbers(found)
    assert 0 not in numbers(found)


@pytest.mark.parametrize("embedder", [FakeEmbedder, lexical])
@pytest.mark.parametrize("is_warm", [True, False])
@pytest.mark.usefixtures("small", "small_chunks")
def test_what_was_not_looked_at_in_time_is_by_the_next_calls(
    world: World,
    embedder: Callable[[], FakeEmbedder],
    is_warm: bool,  # noqa: FBT001 -- a case
) -> None:
    fill(world.process(), COUNT)
    process = recaller(world, embedder(), data=_slow_reads(world, 3))

    for _ in range(20):
        found = process.recall("turn")
        if not found.degraded:
            break
        if not is_warm:
            process = recaller(world, embedder(), data=_slow_reads(world, 3))

    assert not found.degraded
    assert set(numbers(found)) == set(range(COUNT))


@pytest.mark.usefixtures("small")
def test_a_row_that_could_not_be_compared_in_time_is_neither_shown_nor_stored(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A warm process knows the row of a turn that was redacted, and has no time to look."""
    monkeypatch.setattr(load_index, "_WAVE", 1)
    writer = world.process()
    fill(writer, COUNT)
    process = recaller(world)
    process.recall("turn")
    writer.redact(2, text="taken back")
    fill(writer, 30, start=COUNT)
    process.data = _slow_reads(world, 60)

    found = process.recall(said(2))

    assert 2 not in numbers(found)
    assert found.reason == "turns_pending"
    assert not is_indexed(world, said(2))
    process.data = world.data
    assert texts(process.recall("taken back"))[0] == "taken back"
    assert is_indexed(world, "taken back")
    assert not is_indexed(world, said(2))


@pytest.mark.usefixtures("small")
def test_a_row_that_could_not_be_compared_in_time_is_not_embedded(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its turn says something else by now, or nothing."""
    monkeypatch.setattr(load_index, "_WAVE", 1)
    monkeypatch.setattr(load_index, "_INDEXING_S", 1)
    monkeypatch.setattr(load_index, "_EMBEDDING_S", 1_000)
    writer = world.process()
    fill(writer, COUNT)
    process = recaller(world, embedder := FakeEmbedder(failing=UnavailableError("away")))
    process.recall("turn")
    writer.redact(2)
    fill(writer, 30, start=COUNT)
    embedder.failing = None
    embedder.calls.clear()
    embedder.purposes.clear()
    process.data = _slow_reads(world, 3)

    assert process.recall("turn").reason == "turns_pending"
    process.data = world.data
    _recalls(process, "turn")

    expected = Counter(said(number) for number in range(COUNT + 30) if number != 2)
    assert Counter(passages(embedder)) == expected


@pytest.mark.usefixtures("small", "small_chunks")
def test_of_a_very_long_thread_the_newest_turns_are_searched_and_it_says_so(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load_index, "MAX_CHUNKS", 2)
    fill(world.process(), COUNT)

    found = recaller(world).recall("turn")

    assert set(numbers(found)) == set(range(32, COUNT))
    assert (found.degraded, found.reason) == (True, "oldest_turns_not_searched")
    assert len(chunk_keys(world)) == 2
