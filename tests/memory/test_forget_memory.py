"""A forgotten memory leaves its id: its text, its terms and its vector are nowhere any more."""

import pytest

from everturn.errors import NotFoundError, UnavailableError
from everturn.memory.index.row import encode_rows
from everturn.values.keys import memory_rows_prefix, memory_vectors_prefix
from fakes.fake_embedder import FakeEmbedder
from fakes.faulty_store import Fault, FaultyStore, scripted
from memory.secret_memory import RID, SECRET, indexed
from scenarios.memory_process import live, memory_process
from scenarios.memory_traces import (
    assert_nothing_of,
    indexed_rids,
    stored_memory,
    stored_rows,
    stored_vectors,
)
from scenarios.world import World

STEPS = {"name": "Vault", "steps": ["turn the wheel"]}
SECRET_STEPS = {"name": "Vault", "steps": [SECRET]}


def test_its_text_is_in_no_object_of_any_store(world: World) -> None:
    process = indexed(world)
    assert RID in indexed_rids(world)
    forgotten = process.forget(RID)
    assert (forgotten.memories, forgotten.complete) == (1, True)
    assert_nothing_of(world, RID, SECRET, "zanzibar")
    assert len(indexed_rids(world)) == 20


def test_nobody_sees_it_any_more(world: World) -> None:
    process = indexed(world)
    process.forget(RID)
    for reader in (process, memory_process(world)):
        assert not any("zanzibar" in text for text in reader.texts("vault zanzibar", top_k=50))
        assert RID not in {view.memory.rid for view in reader.page(superseded=True).views}
        for call in (reader.read, reader.forget):
            with pytest.raises(NotFoundError):
                call(RID)
        with pytest.raises(NotFoundError):
            reader.change(RID, pinned=True)


def test_other_models_and_other_depths_forget_it_too(world: World) -> None:
    indexed(world)
    memory_process(world, FakeEmbedder(model="other", dimensions=8)).retrieve("vault")
    old = memory_rows_prefix(world.scope) + f"1{RID[0]}"
    world.derived.overwrite(old, encode_rows(stored_rows(world)))
    memory_process(world).forget(RID)
    assert_nothing_of(world, RID, SECRET)


def test_a_text_that_was_indexed_before_it_was_put_in_other_words_goes_too(world: World) -> None:
    """Nobody knows its hash any more when it is forgotten."""
    process = indexed(world)
    process.change(RID, statement=SECRET.upper())
    process.forget(RID)
    assert_nothing_of(world, RID, SECRET, SECRET.upper(), f"Dana: {SECRET}")


def test_earlier_steps_of_a_pattern_go_too(world: World) -> None:
    process = indexed(world)
    rid = live(process.remember(kind="pattern", spec=SECRET_STEPS, source="a")).rid
    process.retrieve("vault")
    world.clock.sleep(1)
    process.remember(kind="pattern", spec=STEPS, source="b")
    assert stored_memory(world, rid).earlier
    process.forget(rid)
    process.forget(RID)
    assert_nothing_of(world, rid, SECRET, "turn the wheel")


def test_who_remembers_it_himself_brings_it_back_and_nobody_else_does(world: World) -> None:
    process = indexed(world)
    process.forget(RID)
    world.clock.sleep(1)
    derived = process.remember(SECRET, subject="Dana", source="k", explicit=False)
    assert (derived.memory, derived.created) == (None, False)
    assert_nothing_of(world, RID, SECRET)

    back = process.remember(SECRET, subject="Dana", source="k")
    assert live(back).count == 1
    assert SECRET in process.texts("vault")[0]
    assert process.read(RID).view.memory == live(back)


def test_what_it_replaced_stays_replaced(world: World) -> None:
    process = memory_process(world)
    old = live(process.remember("The port is 8080."))
    world.clock.sleep(1)
    new = process.change(old.rid, statement="The port is 9090.").view.memory
    world.clock.sleep(1)
    process.forget(new.rid)
    for reader in (process, memory_process(world)):
        assert reader.texts("port") == []
        assert [view.memory.rid for view in reader.page(superseded=True).views] == [old.rid]
        found = reader.read(old.rid)
        assert [entry.forgotten for entry in found.history] == [False, True]
        assert [entry.statement for entry in found.history] == ["The port is 8080.", ""]


def test_forgetting_what_was_replaced_leaves_its_successor(world: World) -> None:
    process = memory_process(world)
    old = live(process.remember("Zanzibar."))
    process.retrieve("zanzibar")
    world.clock.sleep(1)
    new = process.change(old.rid, statement="Madagascar.").view.memory
    process.forget(old.rid)
    assert process.texts("madagascar") == ["Madagascar."]
    assert process.read(old.rid).view.memory.rid == new.rid
    assert_nothing_of(world, old.rid, "Zanzibar.")


def test_where_the_index_does_not_answer_it_is_told_and_mended_by_the_same_call(
    world: World,
) -> None:
    indexed(world)
    faulty = FaultyStore(world.derived, scripted({("list", 2): Fault.UNAVAILABLE}))
    assert not memory_process(world, derived=faulty).forget(RID).complete
    assert stored_vectors(world)
    again = memory_process(world).forget(RID)
    assert (again.memories, again.complete) == (0, True)
    assert_nothing_of(world, RID, SECRET)
    with pytest.raises(NotFoundError):
        memory_process(world).forget(RID)


def test_a_file_that_a_bulk_delete_left_there_is_not_complete(world: World) -> None:
    indexed(world)
    [key] = world.derived.list(memory_vectors_prefix(world.scope)).keys
    world.derived.overwrite(key, b"no file of ours")

    class Leaving(FaultyStore):
        def delete_many(self, keys: object) -> tuple[str, ...]:
            del keys
            return (key,)

    assert not memory_process(world, derived=Leaving(world.derived)).forget(RID).complete
    assert memory_process(world).forget(RID).complete


def test_a_forget_that_the_store_did_not_take_forgets_nothing(world: World) -> None:
    indexed(world)
    faulty = FaultyStore(world.data, lambda verb: Fault.UNAVAILABLE if verb == "put" else None)
    with pytest.raises(UnavailableError):
        memory_process(world, data=faulty).forget(RID)
    assert memory_process(world).texts("vault")[0].endswith(SECRET)
