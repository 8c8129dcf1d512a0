"""Vectors of memories: embedded once, kept by id and text, never of another model."""

from itertools import count

import pytest

from emulation.counting_store import CountingStore
from everturn.errors import UnavailableError
from everturn.memory.index import files, load_rows
from everturn.memory.index.index_cache import LoadedMemories
from everturn.memory.index.vectors import encode_vectors
from everturn.ports.embedder import Embedder
from everturn.ports.object_store import ANY
from everturn.values.keys import memory_key, memory_vectors_prefix
from fakes.fake_embedder import FakeEmbedder
from fakes.faulty_store import Fault, FaultyStore, never
from fakes.planned_embedder import PlannedEmbedder
from fakes.slow_store import SlowStore
from fakes.wrapped_store import Verb
from memory.index.memories_planted import plant
from scenarios.memory_process import MemoryProcess, live, memory_process
from scenarios.memory_traces import stored_vectors
from scenarios.world import World

COUNT = 20


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let 10 memories be in one bucket and 24 in buckets of one digit."""
    monkeypatch.setattr(files, "_FEW", 10)
    monkeypatch.setattr(files, "_SOME", 24)


def load(process: MemoryProcess) -> LoadedMemories:
    return process.parts.memory_loader().load()


def loaded_by(world: World, embedder: Embedder) -> LoadedMemories:
    """Load by a process that starts now."""
    return load(memory_process(world, embedder))


def assert_all_have_vectors(loaded: LoadedMemories) -> None:
    assert loaded.index.scales.all()
    assert (loaded.pending_vectors, loaded.is_complete) == (0, True)


def test_each_text_is_embedded_once_by_whichever_process(world: World) -> None:
    plant(world, COUNT)
    first, second = PlannedEmbedder(), PlannedEmbedder()
    warm = memory_process(world, first)
    assert_all_have_vectors(load(warm))
    assert len(first.inputs) == len(set(first.inputs)) == COUNT
    assert_all_have_vectors(load(warm))
    assert_all_have_vectors(loaded_by(world, second))
    assert (len(first.inputs), second.inputs) == (COUNT, [])


def test_only_what_is_new_or_says_something_else_is_embedded(world: World) -> None:
    plant(world, COUNT)
    embedder = PlannedEmbedder()
    process = memory_process(world, embedder)
    load(process)
    rid = live(process.remember("Something new.")).rid
    assert_all_have_vectors(load(process))
    assert embedder.inputs[COUNT:] == ["Something new."]
    process.remember("Something new.", source="again")
    process.change(rid, pinned=True, importance=1)
    load(process)
    assert len(embedder.inputs) == COUNT + 1
    process.change(rid, statement="SOMETHING new.")
    assert_all_have_vectors(load(process))
    assert embedder.inputs[COUNT + 1 :] == ["SOMETHING new."]


def test_vectors_of_another_model_or_length_are_never_read(world: World) -> None:
    plant(world, COUNT)
    loaded_by(world, FakeEmbedder(model="one"))
    derived = CountingStore(world.derived)
    for other in (FakeEmbedder(model="two"), FakeEmbedder(model="one", dimensions=8)):
        process = memory_process(world, other, derived=derived)
        assert_all_have_vectors(load(process))
        assert len(other.texts) == COUNT
    own = memory_vectors_prefix(world.scope, "one.64")
    assert not [key for verb, key in derived.calls if key.startswith(own)]
    assert len(stored_vectors(world)) == 3 * COUNT


def test_an_embedder_without_meaning_keeps_no_vectors(world: World) -> None:
    plant(world, COUNT)
    loaded_by(world, FakeEmbedder(semantic=False))
    assert stored_vectors(world) == []


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("counts", [(10, 20), (20, 10), (10, 60), (60, 20), (60, 10)])
def test_vectors_survive_a_change_of_depth(world: World, counts: tuple[int, int]) -> None:
    before, after = counts
    embedded: list[str] = []
    for number in counts:
        rids = plant(world, number)
        for key in world.data.list(f"m/{world.scope.tenant}/{world.scope.actor}/").keys:
            if key not in {memory_key(world.scope, rid) for rid in rids}:
                world.data.delete(key, expect=ANY)
        embedder = PlannedEmbedder(max_batch=7)
        assert_all_have_vectors(loaded_by(world, embedder))
        embedded += embedder.inputs
    assert len(embedded) == len(set(embedded)) == max(before, after)
    again = PlannedEmbedder()
    assert_all_have_vectors(loaded_by(world, again))
    assert again.inputs == []
    rids = sorted(one.rid for one in stored_vectors(world))
    assert rids == sorted(set(rids))
    assert len(rids) == after


@pytest.mark.parametrize("body", [b"", b"EVMV1", encode_vectors([], 3), b"x" * 100])
def test_a_file_that_is_damaged_or_foreign_is_made_again(world: World, body: bytes) -> None:
    plant(world, COUNT)
    loaded_by(world, FakeEmbedder())
    [key] = world.derived.list(memory_vectors_prefix(world.scope)).keys
    good = stored_vectors(world)
    world.derived.overwrite(key, body)
    embedder = FakeEmbedder()
    assert_all_have_vectors(loaded_by(world, embedder))
    assert (len(embedder.texts), stored_vectors(world)) == (COUNT, good)


def test_a_model_that_fails_is_asked_again_for_the_rest_alone(world: World) -> None:
    plant(world, COUNT)
    embedder = PlannedEmbedder(max_batch=8, failing={2})
    process = memory_process(world, embedder)
    assert load(process).pending_vectors == COUNT - 8
    assert len(stored_vectors(world)) == 8
    assert_all_have_vectors(load(process))
    assert len(embedder.inputs) == COUNT + 8
    assert len(stored_vectors(world)) == COUNT


def test_while_a_model_fails_words_are_found_and_it_is_told(world: World) -> None:
    process = memory_process(world, FakeEmbedder(failing=UnavailableError("no answer")))
    process.remember("The deploy port is 8080.")
    found = process.retrieve("which port")
    assert [snippet.text for snippet in found.snippets] == ["The deploy port is 8080."]
    assert (found.degraded, found.reason) == (True, "embedder_failed")


def test_a_text_that_a_model_has_no_vector_for_is_not_asked_for_again(world: World) -> None:
    plant(world, COUNT)
    embedder = FakeEmbedder(unusable=frozenset({"Planted 3 it is."}))
    assert int((loaded_by(world, embedder).index.scales == 0).sum()) == 1
    again = FakeEmbedder(unusable=embedder.unusable)
    assert int((loaded_by(world, again).index.scales == 0).sum()) == 1
    assert again.texts == []


@pytest.mark.parametrize("verb", ["list", "get", "overwrite"])
def test_files_that_do_not_answer_cost_the_model_alone(world: World, verb: str) -> None:
    plant(world, COUNT)
    derived = FaultyStore(world.derived, lambda asked: Fault.UNAVAILABLE if asked == verb else None)
    process = memory_process(world, FakeEmbedder(), derived=derived)
    assert_all_have_vectors(load(process))


@pytest.mark.usefixtures("few")
def test_what_could_not_be_stored_is_stored_later(world: World) -> None:
    """A model costs money: one that answered is not asked by every other process."""
    plant(world, COUNT)
    refused = count()

    def every_second(verb: Verb) -> Fault | None:
        return Fault.UNAVAILABLE if verb == "overwrite" and next(refused) % 2 else None

    derived = FaultyStore(world.derived, every_second)
    process = memory_process(world, FakeEmbedder(), derived=derived)
    process.parts.memory_loader().rows()
    load(process)
    assert 0 < len(stored_vectors(world)) < COUNT
    derived.plan = never
    process.remember("New.")
    load(process)
    assert len(stored_vectors(world)) == COUNT + 1


@pytest.mark.usefixtures("few")
def test_what_is_not_read_in_time_keeps_its_vectors(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that knows some memories alone must not take away the vectors of the others."""
    plant(world, 60)
    loaded_by(world, FakeEmbedder())
    before = stored_vectors(world)
    listless = FaultyStore(world.derived)
    for key in world.derived.list("i/").keys:
        if "/memories/" in key:
            world.derived.delete(key, expect=ANY)
    monkeypatch.setattr(load_rows, "_WAVE", 10)
    monkeypatch.setattr(load_rows, "_READING_S", 0.5)

    process = memory_process(
        world, FakeEmbedder(), data=SlowStore(world.data, world.clock, 0.1), derived=listless
    )
    process.remember("New one.")
    process.remember("New two.")
    process.remember("New three.")
    loaded = load(process)
    assert loaded.rows.pending
    assert set(before) <= set(stored_vectors(world))


def test_a_memory_whose_text_is_another_by_now_is_not_embedded_as_the_old(world: World) -> None:
    process = memory_process(world, PlannedEmbedder())
    rid = live(process.remember("one two three")).rid
    rows = process.parts.memory_loader().rows()
    memory_process(world).change(rid, statement="ONE two three")
    process.cache.records.drop((memory_key(world.scope, rid), rows.rows[rid].etag))
    assert_all_have_vectors(load(process))
    assert isinstance(process.embedder, PlannedEmbedder)
    assert process.embedder.inputs == ["ONE two three"]
