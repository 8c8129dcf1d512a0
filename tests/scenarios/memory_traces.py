"""What the stores hold of memories, seen without any service, and that they hold nothing of one."""

from collections.abc import Iterator

from everturn.memory.index.row import MemoryRow, decode_rows
from everturn.memory.index.vectors import OwnedVector, decode_vectors
from everturn.memory.model.codec import parse_memory
from everturn.memory.model.memory import Memory
from everturn.ports.object_store import ObjectStore, StoredObject
from everturn.recall.language.terms import hash_of_text, matchable_text, terms_of
from everturn.values.keys import (
    Scope,
    memory_key,
    memory_rows_prefix,
    memory_vectors_prefix,
)
from scenarios.memory_process import bodies
from scenarios.world import World

_MARK_BYTES = 5


def stored_memory(world: World, rid: str, *, scope: Scope | None = None) -> Memory:
    """Return a memory as it is stored."""
    return parse_memory(body_at(world.data, memory_key(scope or world.scope, rid)), rid)


def body_at(store: ObjectStore, key: str) -> bytes:
    """Return what lies at a key, which must be there."""
    found = store.get(key)
    assert isinstance(found, StoredObject)
    return found.body


def stored_rows(world: World) -> list[MemoryRow]:
    """Return the rows of all buckets; each file must be sound."""
    found: list[MemoryRow] = []
    for key in world.derived.list(memory_rows_prefix(world.scope)).keys:
        rows = decode_rows(body_at(world.derived, key))
        assert rows is not None
        found += rows
    return found


def stored_vectors(world: World) -> list[OwnedVector]:
    """Return the vectors of all buckets of all models; each file must be sound."""
    return [one for owned in _vector_files(world) for one in owned]


def _vector_files(world: World) -> Iterator[list[OwnedVector]]:
    for key in world.derived.list(memory_vectors_prefix(world.scope)).keys:
        body = body_at(world.derived, key)
        dimensions = int.from_bytes(body[_MARK_BYTES : _MARK_BYTES + 2], "little")
        owned = decode_vectors(body, dimensions)
        assert owned is not None
        yield owned


def indexed_rids(world: World) -> set[str]:
    """Return the ids of which the index holds terms or a vector."""
    rows = {row.rid for row in stored_rows(world) if row.terms or row.text_hash}
    return rows | {one.rid for one in stored_vectors(world)}


def assert_nothing_of(world: World, rid: str, *texts: str) -> None:
    """No object holds one of the texts, its hash, its rare words' terms, or a vector of it."""
    for key, body in bodies(world.data, world.derived).items():
        for text in texts:
            assert text.casefold().encode() not in body.lower(), key
    assert rid not in indexed_rids(world)
    hashes = {hash_of_text(matchable_text(text)) for text in texts}
    terms = {term.to_bytes(4, "little").hex() for text in texts for term in terms_of(text)}
    for row in stored_rows(world):
        assert row.text_hash not in hashes
        assert not terms & {row.terms[at : at + 8] for at in range(0, len(row.terms), 8)}
    assert not hashes & {one.text_hash for one in stored_vectors(world)}
