"""What was taken back is in no answer of a recall, and no row stands for it any more."""

import json
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from fakes.fake_embedder import FakeEmbedder
from scenarios.process import CONVERSATION, Process
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
from scenarios.sealed_world import TS, everything, fill, rewritten_by_go, said, sealed_of
from scenarios.world import World

pytestmark = pytest.mark.usefixtures("small", "small_chunks")

COUNT = 40
SEALED, NEWEST = 5, COUNT - 1


def _redact_sealed(process: Process) -> None:
    process.redact(SEALED, text="taken back")


def _redact_newest(process: Process) -> None:
    process.redact(NEWEST)


def _pop(process: Process) -> None:
    process.pop(expected=COUNT)


def _pop_and_go_on(process: Process) -> None:
    process.pop(expected=COUNT)
    process.append("another end")


def _pop_many(process: Process) -> None:
    for count in range(COUNT, COUNT - 10, -1):
        process.pop(expected=count)


@dataclass(frozen=True)
class Case:
    """A way to take a turn back, and its number."""

    take_back: Callable[[Process], None]
    number: int


CASES = [
    Case(_redact_sealed, SEALED),
    Case(_redact_newest, NEWEST),
    Case(_pop, NEWEST),
    Case(_pop_and_go_on, NEWEST),
    Case(_pop_many, COUNT - 5),
]
EMBEDDERS = [FakeEmbedder, lexical]


def _warm(world: World, embedder: Callable[[], FakeEmbedder]) -> Recaller:
    """Fill a conversation, and return a process that knows all of it."""
    fill(world.process(), COUNT)
    process = recaller(world, embedder())
    assert said(SEALED) in texts(process.recall(said(SEALED)))
    # Terms alone are stored where segments were opened, else every 64 turns.
    assert chunk_keys(world)
    return process


def _assert_gone(world: World, number: int, *processes: Recaller) -> None:
    for process in processes:
        found = process.recall(said(number))
        near = [turn.text for hit in found.hits for turn in hit.neighbours]
        assert said(number) not in [*texts(found), *near]
    assert not is_indexed(world, said(number))


@pytest.mark.parametrize("embedder", EMBEDDERS)
@pytest.mark.parametrize("case", CASES)
def test_it_is_gone_at_once_from_the_store(
    world: World, case: Case, embedder: Callable[[], FakeEmbedder]
) -> None:
    _warm(world, embedder)

    case.take_back(world.process())

    assert not is_indexed(world, said(case.number))
    assert said(case.number).encode() not in everything(world)


@pytest.mark.parametrize("embedder", EMBEDDERS)
@pytest.mark.parametrize("case", CASES)
def test_no_process_finds_it_warm_or_cold(
    world: World, case: Case, embedder: Callable[[], FakeEmbedder]
) -> None:
    warm = _warm(world, embedder)
    case.take_back(world.process())

    _assert_gone(world, case.number, warm, recaller(world, embedder()), warm)


@pytest.mark.parametrize("case", CASES)
def test_every_model_forgets_it(world: World, case: Case) -> None:
    _warm(world, FakeEmbedder)
    for embedder in (FakeEmbedder(model="other"), lexical()):
        recaller(world, embedder).recall("turn")

    case.take_back(world.process())

    assert not is_indexed(world, said(case.number))


def test_a_process_that_knows_the_rest_embeds_only_what_changed(world: World) -> None:
    warm = _warm(world, FakeEmbedder)
    assert isinstance(warm.embedder, FakeEmbedder)
    world.process().redact(SEALED, text="taken back")
    warm.embedder.calls.clear()
    warm.embedder.purposes.clear()

    found = warm.recall("taken back")

    assert passages(warm.embedder) == ["taken back"]
    assert numbers(found)[0] == SEALED
    recaller(world, cold := FakeEmbedder()).recall("turn")
    assert passages(cold) == []


def test_a_redaction_to_nothing_is_found_no_more(world: World) -> None:
    warm = _warm(world, FakeEmbedder)
    world.process().redact(SEALED)

    assert SEALED not in numbers(warm.recall(said(SEALED)))
    assert not warm.recall("turn").degraded


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_a_deleted_conversation_leaves_no_row(
    world: World, embedder: Callable[[], FakeEmbedder]
) -> None:
    _warm(world, embedder)

    receipt = world.process().delete()

    assert receipt.deleted["vectors"] >= 3
    assert chunk_keys(world) == []


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_a_second_life_of_an_id_finds_nothing_of_the_first(
    world: World, embedder: Callable[[], FakeEmbedder]
) -> None:
    warm, writer = _warm(world, embedder), world.process()
    writer.delete()
    writer.create()
    fill(writer, COUNT, start=500)

    for process in (warm, recaller(world, embedder())):
        found = process.recall("turn")
        assert set(texts(found)) == {said(number) for number in range(500, 500 + COUNT)}
        assert not any(is_indexed(world, said(number)) for number in range(COUNT))


def _edited_by_go(world: World, number: int) -> None:
    """Let another program change a text in the head, without a word of segments."""
    turns = json.loads(world.stored().body)["turns"]
    turns[number - sealed_of(world).turns]["text"] = "edited elsewhere"
    rewritten_by_go(world, turns=turns)


@pytest.mark.parametrize("embedder", EMBEDDERS)
@pytest.mark.parametrize("is_warm", [True, False])
def test_a_text_that_another_program_changed_is_gone_with_the_next_recall(
    world: World,
    embedder: Callable[[], FakeEmbedder],
    is_warm: bool,  # noqa: FBT001 -- a case
) -> None:
    warm = _warm(world, embedder)
    _edited_by_go(world, NEWEST)

    process = warm if is_warm else recaller(world, embedder())
    found = process.recall("edited elsewhere")

    assert texts(found)[0] == "edited elsewhere"
    _assert_gone(world, NEWEST, process)


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_a_program_that_dropped_the_segments_changes_nothing_of_what_is_found(
    world: World, embedder: Callable[[], FakeEmbedder]
) -> None:
    warm = _warm(world, embedder)
    rewritten_by_go(world, "and more")

    for process in (warm, recaller(world, embedder())):
        assert set(numbers(process.recall("turn and more"))) == set(range(COUNT + 1))


def test_a_short_file_put_in_the_place_of_a_long_one_is_all_there_is(world: World) -> None:
    world.process().append(*map(said, range(10)))
    warm = recaller(world)
    warm.recall("turn")
    turns = [{"role": "user", "text": "only this", "ts": TS}]
    body = {"conversation_id": CONVERSATION, "turns": turns, "updated": TS}
    world.place(json.dumps(body, separators=(",", ":")).encode())

    assert texts(warm.recall("turn only this")) == ["only this"]
    assert not any(is_indexed(world, said(number)) for number in range(10))
