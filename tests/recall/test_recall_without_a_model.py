"""What a model that fails in any way costs: meaning, never a turn that words find."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from everturn.errors import EverturnError, MisconfiguredError, UnavailableError
from everturn.ports.embedder import Purpose, Vectors
from fakes.fake_embedder import FakeEmbedder, Fault
from scenarios.process import Process
from scenarios.recall_process import lexical, passages, recaller, texts
from scenarios.sealed_world import fill, said
from scenarios.world import World

FAILURES = [UnavailableError("no answer in time"), MisconfiguredError("no such model")]


@pytest.fixture
def writer(world: World) -> Process:
    return world.process()


def _by_words(world: World, query: str) -> set[str]:
    """Return what is found without any model, by a process that leaves nothing behind."""
    return set(texts(recaller(World(data=world.data), lexical()).recall(query)))


@dataclass(slots=True)
class _Choosy(FakeEmbedder):
    """Fails for one purpose only, or from the n-th call on."""

    refuses: Purpose | None = None
    lasts: int = 1_000

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Vectors:
        if purpose == self.refuses or len(self.calls) >= self.lasts:
            self.calls.append(tuple(texts))
            self.purposes.append(purpose)
            raise UnavailableError("a fault of the test")
        return FakeEmbedder.embed(self, texts, purpose=purpose)


@pytest.mark.parametrize("failure", FAILURES)
def test_a_model_that_is_away_loses_no_hit_and_is_said(
    world: World, writer: Process, failure: EverturnError
) -> None:
    fill(writer, 20)
    process = recaller(world, FakeEmbedder(failing=failure))

    found = process.recall(said(7))

    assert set(texts(found)) == _by_words(world, said(7))
    assert texts(found)[0] == said(7)
    assert (found.degraded, found.reason) == (True, "embedder_failed")


@pytest.mark.parametrize("fault", ["short", "wrong-sized", "zeros"])
def test_an_answer_that_is_no_use_loses_no_hit_and_is_said(
    world: World, writer: Process, fault: Fault
) -> None:
    fill(writer, 20)
    process = recaller(world, FakeEmbedder(fault=fault))

    found = process.recall(said(7))

    assert set(texts(found)) == _by_words(world, said(7))
    assert (found.degraded, found.reason) == (True, "embedder_failed")


@pytest.mark.parametrize("failure", FAILURES)
def test_a_model_that_is_away_is_waited_for_once_a_call(
    world: World, writer: Process, failure: EverturnError
) -> None:
    """Each try may take ten seconds, and a request ends within twenty."""
    fill(writer, 40)
    process = recaller(world, embedder := FakeEmbedder(failing=failure))

    process.recall("turn")

    assert len(embedder.calls) == 1


@pytest.mark.parametrize("fault", ["short", "wrong-sized", "zeros"])
def test_a_model_that_comes_back_is_caught_up_with(
    world: World, writer: Process, fault: Fault
) -> None:
    fill(writer, 20)
    process = recaller(world, embedder := FakeEmbedder(fault=fault))
    process.recall("turn")
    embedder.fault = None
    embedder.calls.clear()
    embedder.purposes.clear()

    found = process.recall("turn")

    assert Counter(passages(embedder)) == Counter(said(number) for number in range(20))
    assert not found.degraded
    recaller(world, cold := FakeEmbedder()).recall("turn")
    assert passages(cold) == []


def test_a_model_that_fails_half_way_keeps_what_it_gave(world: World, writer: Process) -> None:
    """The newest come first: they are asked for most."""
    fill(writer, 40)
    process = recaller(world, embedder := _Choosy(lasts=2))

    found = process.recall(said(7))

    assert set(texts(found)) == _by_words(world, said(7))
    assert found.reason == "embedder_failed"
    embedder.lasts = 1_000
    assert not process.recall(said(7)).degraded
    given = Counter(passages(embedder)[:32]) + Counter(passages(embedder)[-8:])
    assert given == Counter(said(number) for number in range(40))
    assert passages(embedder)[0] == said(24)


def test_a_query_that_cannot_be_embedded_is_found_by_its_words(
    world: World, writer: Process
) -> None:
    fill(writer, 20)
    process = recaller(world, _Choosy(refuses="query"))

    found = process.recall(said(7))

    assert set(texts(found)) >= _by_words(world, said(7))
    assert texts(found)[0] == said(7)
    assert (found.degraded, found.reason) == (True, "embedder_failed")


def test_old_turns_keep_their_meaning_while_new_ones_wait(world: World, writer: Process) -> None:
    fill(writer, 10)
    process = recaller(world, embedder := _Choosy())
    process.recall("turn")
    fill(writer, 5, start=10)
    embedder.refuses = "passage"

    found = process.recall(said(12))

    assert texts(found)[0] == said(12)
    assert found.degraded


def test_a_text_that_the_model_does_not_take_is_said_and_found_by_its_words(
    world: World, writer: Process
) -> None:
    fill(writer, 10)
    embedder = FakeEmbedder(unusable=frozenset([said(3)]))
    process = recaller(world, embedder)

    found = process.recall(f"which {said(3)}")

    assert said(3) in texts(found)
    assert (found.degraded, found.reason) == (True, "vectors_refused")


@pytest.mark.parametrize("count", [1, 10])
def test_a_text_that_the_model_does_not_take_is_not_asked_for_again_for_nothing(
    world: World, writer: Process, count: int
) -> None:
    fill(writer, count)
    embedder = FakeEmbedder(unusable=frozenset([said(0)]))
    warm = recaller(world, embedder)
    warm.recall("turn")
    embedder.calls.clear()
    embedder.purposes.clear()

    for process in (warm, recaller(world, embedder)):
        process.recall(said(5))

    assert passages(embedder) == []


def test_a_text_that_the_model_did_not_take_is_asked_for_along_with_new_ones(
    world: World, writer: Process
) -> None:
    fill(writer, 10)
    process = recaller(world, embedder := FakeEmbedder(unusable=frozenset([said(3)])))
    process.recall("turn")
    embedder.unusable = frozenset()
    embedder.calls.clear()
    embedder.purposes.clear()
    fill(writer, 1, start=10)

    found = process.recall("turn")

    assert passages(embedder) == [said(3), said(10)]
    assert not found.degraded


def test_a_model_that_was_asked_for_and_is_not_used_is_said(world: World, writer: Process) -> None:
    fill(writer, 3)
    process = recaller(world, lexical())
    process.fell_back = True

    found = process.recall(said(1))

    assert texts(found)[0] == said(1)
    assert (found.degraded, found.reason) == (True, "embedder_fell_back")


def test_a_process_without_a_model_by_choice_is_not_degraded(world: World, writer: Process) -> None:
    fill(writer, 3)

    assert not recaller(world, lexical()).recall(said(1)).degraded


def test_across_conversations_a_model_that_is_away_loses_no_hit(
    world: World, writer: Process
) -> None:
    for to in ("one", "two", "three"):
        writer.append(f"my port in {to}", to=to)
    process = recaller(world, FakeEmbedder(failing=FAILURES[0]))

    found = process.across("port")

    assert len(found.hits) == 3
    assert found.reason == "embedder_failed"
