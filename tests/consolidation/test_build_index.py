"""What is there for recalls after the index of a long conversation was built in advance."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from everturn.consolidation import build_index as module
from everturn.consolidation.build_index import build_index
from everturn.consolidation.outcome import INDEXED_TURNS
from everturn.conversations.model.turn import TurnDraft
from everturn.errors import EverturnError, InvalidRequestError, MisconfiguredError, UnavailableError
from everturn.ports.embedder import Purpose, Vectors
from everturn.storage.budget import Budget
from fakes.fake_embedder import FakeEmbedder
from fakes.faulty_store import Fault, FaultyStore, scripted
from fakes.interleaved_store import InterleavedStore, Place
from scenarios.process import CONVERSATION, Process
from scenarios.recall_process import (
    Recaller,
    chunk_keys,
    is_indexed,
    lexical,
    passages,
    recaller,
    texts,
)
from scenarios.sealed_world import said
from scenarios.world import World

SECONDS = 60.0


@dataclass(slots=True)
class _Slow(FakeEmbedder):
    """Takes some time for each call."""

    wait: Callable[[], object] = field(default=lambda: None)

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Vectors:
        self.wait()
        return FakeEmbedder.embed(self, texts, purpose=purpose)


def _fill(process: Process, count: int, *, start: int = 0) -> None:
    process.append_drafts([TurnDraft("user", said(at)) for at in range(start, start + count)])


def _build(process: Recaller, *, seconds: float = SECONDS, to: str = CONVERSATION) -> bool:
    return build_index(
        data=process.data,
        derived=process.derived,
        scope=process.scope,
        embedder=process.choice,
        indexes=process.indexes,
        conversation_id=to,
        budget=Budget(clock=process.clock, seconds=seconds),
    )


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> int:
    """Let a conversation be a long one from 40 turns on."""
    monkeypatch.setattr(module, "INDEXED_TURNS", 40)
    return 40


def test_a_cold_recall_after_it_embeds_the_query_alone(world: World) -> None:
    _fill(world.process(), INDEXED_TURNS)
    assert _build(recaller(world, before := FakeEmbedder()))
    cold = recaller(world, embedder := FakeEmbedder())

    found = cold.recall(said(200))

    assert texts(found)[0] == said(200)
    assert not found.degraded
    assert embedder.calls == [(said(200),)]
    assert Counter(passages(before)) == Counter(said(at) for at in range(INDEXED_TURNS))
    assert "query" not in before.purposes


@pytest.mark.parametrize("embedder", [FakeEmbedder, lexical])
def test_a_cold_recall_after_it_reads_the_chunk_and_writes_nothing(
    world: World, embedder: Callable[[], FakeEmbedder]
) -> None:
    _fill(world.process(), INDEXED_TURNS)
    assert _build(recaller(world, embedder()))
    data, derived = InterleavedStore(world.data), InterleavedStore(world.derived)

    recaller(world, embedder(), data=data, derived=derived).recall(said(200))

    assert derived.verbs == ["get"]
    assert set(data.verbs) == {"get"}


@pytest.mark.usefixtures("few", "small", "small_chunks")
def test_what_was_sealed_is_indexed_too(world: World) -> None:
    writer = world.process()
    for at in range(0, 60, 5):
        _fill(writer, 5, start=at)

    assert _build(recaller(world))

    assert all(is_indexed(world, said(at)) for at in range(60))
    assert len(chunk_keys(world)) == 4


def test_a_short_conversation_is_left_to_recalls(world: World) -> None:
    _fill(world.process(), INDEXED_TURNS - 1)
    data, derived = InterleavedStore(world.data), InterleavedStore(world.derived)
    process = recaller(world, embedder := FakeEmbedder(), data=data, derived=derived)

    assert _build(process)

    assert (data.verbs, derived.verbs, embedder.calls) == (["get"], [], [])


def test_what_is_complete_is_one_request(world: World) -> None:
    _fill(world.process(), INDEXED_TURNS)
    data, derived = InterleavedStore(world.data), InterleavedStore(world.derived)
    process = recaller(world, data=data, derived=derived)
    assert _build(process)
    data.verbs.clear()
    derived.verbs.clear()

    assert _build(process)

    assert (data.verbs, derived.verbs) == (["get"], [])


@pytest.mark.usefixtures("few")
def test_only_new_turns_are_embedded(world: World) -> None:
    writer = world.process()
    _fill(writer, 40)
    process = recaller(world, embedder := FakeEmbedder())
    assert _build(process)
    embedder.calls.clear()
    _fill(writer, 3, start=40)

    assert _build(process)
    assert _build(recaller(world, embedder))

    assert sorted(embedder.texts) == [said(40), said(41), said(42)]


@pytest.mark.usefixtures("few")
def test_what_there_was_no_time_for_is_done_by_the_next_calls(world: World) -> None:
    """Each time by another process; a call of the model takes longer than the budget."""
    _fill(world.process(), 50)
    embedder = _Slow(wait=lambda: world.clock.sleep(2 * SECONDS))

    ends = [_build(recaller(world, embedder)) for _ in range(4)]

    assert ends == [False, False, False, True]
    assert Counter(passages(embedder)) == Counter(said(at) for at in range(50))


@pytest.mark.usefixtures("few")
def test_without_time_only_the_head_is_read(world: World) -> None:
    _fill(world.process(), 50)
    data, derived = InterleavedStore(world.data), InterleavedStore(world.derived)

    assert not _build(recaller(world, data=data, derived=derived), seconds=0)

    assert (data.verbs, derived.verbs) == (["get"], [])


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("failure", [UnavailableError("away"), MisconfiguredError("no model")])
def test_an_embedder_that_is_away_is_no_error_and_asked_once(
    world: World, failure: EverturnError
) -> None:
    _fill(world.process(), 50)
    process = recaller(world, embedder := FakeEmbedder(failing=failure))

    assert not _build(process)

    assert len(embedder.calls) == 1
    embedder.failing = None
    assert _build(process)
    assert all(is_indexed(world, said(at)) for at in range(50))


@pytest.mark.usefixtures("few")
def test_a_chunk_that_could_not_be_written_is_written_by_the_next_call(world: World) -> None:
    _fill(world.process(), 50)
    lossy = FaultyStore(world.derived, scripted({("overwrite", 1): Fault.UNAVAILABLE}))
    process = recaller(world, embedder := FakeEmbedder(), derived=lossy)

    assert not _build(process)
    assert chunk_keys(world) == []
    assert _build(process)

    assert len(chunk_keys(world)) == 1
    assert max(Counter(passages(embedder)).values()) == 1


@pytest.mark.parametrize("is_deleted", [True, False])
def test_a_conversation_that_is_not_there_lacks_nothing(
    world: World,
    is_deleted: bool,  # noqa: FBT001 -- a case
) -> None:
    if is_deleted:
        _fill(world.process(), INDEXED_TURNS)
        world.process().delete()

    assert _build(recaller(world, embedder := FakeEmbedder()))

    assert embedder.calls == []
    assert chunk_keys(world) == []


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("verb", ["before", "after"])
def test_a_conversation_deleted_meanwhile_leaves_nothing_behind(world: World, verb: str) -> None:
    """Deleted just before its chunk is written, or just after."""
    _fill(world.process(), 50)
    deletion: dict[Place, Callable[[], object]] = {
        ("overwrite", 1): lambda: world.process().delete()
    }
    inner = world.derived
    is_before = verb == "before"
    racing = (
        InterleavedStore(inner, before=deletion)
        if is_before
        else InterleavedStore(inner, after=deletion)
    )

    assert _build(recaller(world, derived=racing))

    assert chunk_keys(world) == []


@pytest.mark.usefixtures("few")
def test_a_turn_redacted_meanwhile_is_not_in_the_index(world: World) -> None:
    _fill(world.process(), 50)
    racing = InterleavedStore(
        world.derived, before={("overwrite", 1): lambda: world.process().redact(7, text="else")}
    )

    assert _build(recaller(world, derived=racing))

    assert not is_indexed(world, said(7))
    assert is_indexed(world, "else")


def test_a_wrong_id_and_a_store_that_is_away_are_errors(world: World) -> None:
    with pytest.raises(InvalidRequestError):
        _build(recaller(world), to="")
    away = FaultyStore(world.data, scripted({("get", 1): Fault.UNAVAILABLE}))
    with pytest.raises(UnavailableError):
        _build(recaller(world, data=away))
