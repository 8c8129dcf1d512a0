"""Files of the side index that are of another model, damaged, missing, or cannot be had."""

from collections.abc import Callable

import pytest

from everturn.ports.object_store import ANY, StoredObject
from everturn.values.keys import vectors_prefix
from fakes.fake_embedder import FakeEmbedder
from fakes.faulty_store import Fault, FaultyStore, UnlistableStore, scripted
from fakes.wrapped_store import Verb
from scenarios.process import CONVERSATION, SCOPE
from scenarios.recall_process import (
    chunk_keys,
    is_indexed,
    lexical,
    passages,
    recaller,
    stored_rows,
    texts,
)
from scenarios.sealed_world import fill, said
from scenarios.world import World


def _body(world: World, key: str) -> bytes:
    stored = world.derived.get(key)
    assert isinstance(stored, StoredObject)
    return stored.body


def test_files_lie_under_the_conversation_one_folder_a_model(world: World) -> None:
    fill(world.process(), 3)
    for embedder in (FakeEmbedder(model="a/b"), FakeEmbedder(model="plain"), lexical()):
        recaller(world, embedder).recall("turn")
    fill(world.process(), 70, start=3)
    recaller(world, lexical()).recall("turn")

    prefix = vectors_prefix(SCOPE, CONVERSATION)
    folders = {key.removeprefix(prefix).split("/")[0] for key in chunk_keys(world)}
    assert len(folders) == 3
    assert {"plain.64", "terms"} < folders


def test_a_model_never_reads_the_vectors_of_another(world: World) -> None:
    fill(world.process(), 5)
    recaller(world, FakeEmbedder(model="one")).recall("turn")
    before = {key: _body(world, key) for key in chunk_keys(world)}

    other = FakeEmbedder(model="two")
    recaller(world, other).recall("turn")

    assert len(passages(other)) == 5
    assert {key: _body(world, key) for key in before} == before
    assert len(chunk_keys(world)) == 2


def test_the_same_process_keeps_two_models_apart(world: World) -> None:
    """The model behind a gateway fails, another takes its place, and it comes back."""
    fill(world.process(), 5)
    process = recaller(world, one := FakeEmbedder(model="one"))
    process.recall("turn")
    process.embedder = two = FakeEmbedder(model="two", dimensions=32)
    process.recall(said(2))
    process.embedder = one
    found = process.recall(said(2))

    assert texts(found)[0] == said(2)
    assert (len(passages(one)), len(passages(two))) == (5, 5)


def test_another_size_of_one_model_is_another_folder(world: World) -> None:
    fill(world.process(), 5)
    recaller(world, FakeEmbedder(dimensions=64)).recall("turn")
    recaller(world, embedder := FakeEmbedder(dimensions=32)).recall("turn")

    assert len(passages(embedder)) == 5
    assert len(chunk_keys(world)) == 2


def test_a_file_of_another_size_under_this_name_is_made_again(world: World) -> None:
    fill(world.process(), 5)
    recaller(world, FakeEmbedder(dimensions=32)).recall("turn")
    [other] = chunk_keys(world)
    recaller(world, FakeEmbedder(dimensions=64)).recall("turn")
    [own] = set(chunk_keys(world)) - {other}
    world.derived.overwrite(own, _body(world, other))

    found = recaller(world, embedder := FakeEmbedder(dimensions=64)).recall(said(2))

    assert texts(found)[0] == said(2)
    assert len(passages(embedder)) == 5
    assert [rows.dimensions for rows in stored_rows(world)] == [32, 64]


def _cut(body: bytes) -> bytes:
    return body[: len(body) // 2]


def _flipped(body: bytes) -> bytes:
    return body[:-20] + bytes([body[-20] ^ 1]) + body[-19:]


def _empty(body: bytes) -> bytes:
    return body[:0]


def _json(body: bytes) -> bytes:
    return b'{"rows":' + b"1" * len(body) + b"}"


@pytest.mark.parametrize("damage", [_cut, _flipped, _empty, _json])
@pytest.mark.usefixtures("small", "small_chunks")
def test_a_damaged_file_is_made_again(world: World, damage: Callable[[bytes], bytes]) -> None:
    fill(world.process(), 40)
    recaller(world).recall("turn")
    key = chunk_keys(world)[1]
    whole = _body(world, key)
    world.derived.overwrite(key, damage(whole))

    found = recaller(world, embedder := FakeEmbedder()).recall(said(20))

    assert texts(found)[0] == said(20)
    assert sorted(passages(embedder)) == [said(number) for number in range(16, 32)]
    assert _body(world, key) == whole


@pytest.mark.usefixtures("small", "small_chunks")
def test_a_missing_file_is_made_again(world: World) -> None:
    fill(world.process(), 40)
    recaller(world).recall("turn")
    key = chunk_keys(world)[0]
    world.derived.delete(key, expect=ANY)

    found = recaller(world, embedder := FakeEmbedder()).recall(said(3))

    assert texts(found)[0] == said(3)
    assert len(passages(embedder)) == 16
    assert key in chunk_keys(world)


@pytest.mark.parametrize("verb", ["get", "overwrite"])
@pytest.mark.parametrize("fault", list(Fault))
@pytest.mark.usefixtures("small", "small_chunks")
def test_a_store_that_fails_loses_no_hit(world: World, verb: Verb, fault: Fault) -> None:
    fill(world.process(), 40)
    plan = scripted(dict.fromkeys(((verb, at) for at in range(1, 99)), fault))
    process = recaller(world, derived=FaultyStore(world.derived, plan))

    found = process.recall("turn")

    assert set(texts(found)) == {said(number) for number in range(40)}


@pytest.mark.parametrize("fault", list(Fault))
def test_what_could_not_be_written_is_written_by_the_next_recall(
    world: World, fault: Fault
) -> None:
    """Else every cold process would embed it anew."""
    fill(world.process(), 5)
    store = FaultyStore(world.derived, scripted({("overwrite", 1): fault}))
    process = recaller(world, embedder := FakeEmbedder(), derived=store)
    process.recall("turn")

    process.recall("turn")

    assert len(passages(embedder)) == 5
    assert is_indexed(world, said(4))
    recaller(world, cold := FakeEmbedder()).recall("turn")
    assert passages(cold) == []


def test_a_store_that_refuses_for_good_loses_no_hit(world: World) -> None:
    fill(world.process(), 5)
    process = recaller(world, derived=UnlistableStore(world.derived, readable=False))

    assert len(process.recall("turn").hits) == 5


def test_whatever_lies_beside_the_chunks_is_left_alone(world: World) -> None:
    fill(world.process(), 5)
    recaller(world).recall("turn")
    folder = chunk_keys(world)[0].rpartition("/")[0]
    for name in ("notes", "0000001", "00000x"):
        world.derived.overwrite(f"{folder}/{name}", b"somebody's")

    world.process().redact(2)

    names = {key.rpartition("/")[2] for key in chunk_keys(world)}
    assert names == {"notes", "0000001", "00000x"}
