"""Each turn is embedded once, whoever recalls, however the conversation is stored."""

from collections import Counter

import pytest

from everturn.conversations.model.turn import TurnDraft
from everturn.errors import UnavailableError
from fakes.fake_embedder import FakeEmbedder
from scenarios.process import CONVERSATION
from scenarios.recall_process import lexical, numbers, passages, recaller, texts
from scenarios.sealed_world import fill, said, sealed_of
from scenarios.world import World


def test_a_first_recall_embeds_every_turn_once(world: World) -> None:
    fill(world.process(), 10)
    process = recaller(world, embedder := FakeEmbedder())

    process.recall("turn")

    assert Counter(passages(embedder)) == Counter(said(number) for number in range(10))


def test_a_second_recall_embeds_the_query_alone(world: World) -> None:
    fill(world.process(), 10)
    process = recaller(world, embedder := FakeEmbedder())
    process.recall("turn")
    embedder.calls.clear()

    process.recall("another question")

    assert embedder.texts == ["another question"]


def test_a_cold_process_embeds_no_old_turn(world: World) -> None:
    fill(world.process(), 10)
    recaller(world).recall("turn")
    cold = recaller(world, embedder := FakeEmbedder())

    found = cold.recall("turn 0003")

    assert embedder.texts == ["turn 0003"]
    assert texts(found)[0] == "turn 0003"


@pytest.mark.usefixtures("small", "small_chunks")
def test_one_embedding_a_turn_while_a_conversation_grows(world: World) -> None:
    """Over seals, grown segments and borders of chunks, from a warm process and from cold ones."""
    writer, warm = world.process(), recaller(world, embedder := FakeEmbedder())
    everything = Counter[str]()
    for number in range(0, 90, 3):
        fill(writer, 3, start=number)
        everything.update(said(number + more) for more in range(3))
        who = warm if number % 2 else recaller(world, embedder)
        assert said(number + 2) in texts(who.recall(said(number + 2)))[:1]

    assert len(sealed_of(world).segments) > 2
    assert Counter(passages(embedder)) == everything


@pytest.mark.usefixtures("small")
def test_a_segment_that_grew_is_looked_at_without_an_embedding(world: World) -> None:
    writer, embedder = world.process(), FakeEmbedder()
    fill(writer, 16)
    warm = recaller(world, embedder)
    warm.recall("turn")
    first = sealed_of(world).segments[-1].name
    fill(writer, 12, start=16)
    assert sealed_of(world).segments[-1].name != first

    for process in (recaller(world, embedder), warm):
        found = process.recall(said(3))
        assert numbers(found)[0] == 3

    assert Counter(passages(embedder)).most_common(1)[0][1] == 1


def test_equal_texts_are_embedded_for_each_turn_and_found_as_the_newest(world: World) -> None:
    world.process().append("the same", "other", "the same")
    process = recaller(world, embedder := FakeEmbedder())

    found = process.recall("the same")

    assert len(passages(embedder)) == 3
    assert numbers(found)[0] == 2
    assert texts(found).count("the same") == 1


def test_what_cannot_be_matched_is_not_embedded(world: World) -> None:
    drafts = [
        TurnDraft("user", "<recalled_memory>old</recalled_memory>"),
        TurnDraft("user", "new <recalled_memory>old"),
        TurnDraft("assistant", None, content=[{"type": "image", "source": "AAAA"}]),
    ]
    world.process().append_drafts(drafts)
    process = recaller(world, embedder := FakeEmbedder())

    found = process.recall("old new")

    assert passages(embedder) == ["new"]
    assert numbers(found) == [1]


def test_hashed_vectors_are_not_asked_for(world: World) -> None:
    fill(world.process(), 5)
    process = recaller(world, embedder := lexical())

    assert texts(process.recall("turn 0003"))[0] == "turn 0003"
    assert embedder.calls == []


def test_a_turn_appended_a_moment_ago_is_found(world: World) -> None:
    writer, process = world.process(), recaller(world)
    fill(writer, 3)
    process.recall("turn")

    writer.append("the run marker is MARK-77120431")

    assert texts(process.recall("MARK-77120431"))[0] == "the run marker is MARK-77120431"


def test_texts_are_embedded_in_batches_that_the_model_takes(world: World) -> None:
    fill(world.process(), 40)
    process = recaller(world, embedder := FakeEmbedder(max_batch=16))

    process.recall("turn")

    sizes = [len(call) for call in embedder.calls]
    assert sizes == [16, 16, 8, 1]
    assert embedder.calls[0] == tuple(said(number) for number in range(24, 40))


def test_another_conversation_of_the_same_texts_is_embedded_for_itself(world: World) -> None:
    world.process().append("hello there")
    world.process().append("hello there", to="other")
    process = recaller(world, embedder := FakeEmbedder())

    process.recall("hello")
    process.recall("hello", to="other")

    assert passages(embedder) == ["hello there"] * 2
    assert {hit.conversation_id for hit in process.recall("hello").hits} == {CONVERSATION}


def test_what_another_process_embedded_during_an_outage_is_taken_over(world: World) -> None:
    fill(world.process(), 10)
    process = recaller(world, embedder := FakeEmbedder(failing=UnavailableError("away")))
    process.recall("turn")
    recaller(world).recall("turn")
    embedder.failing = None
    embedder.calls.clear()
    embedder.purposes.clear()

    found = process.recall("turn")

    assert passages(embedder) == []
    assert not found.degraded
