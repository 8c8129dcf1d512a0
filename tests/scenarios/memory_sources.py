"""Memories in a world, said by its conversations, and what is stored of them."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from everturn.memory.index.files import MemoryFiles, VectorBucket
from everturn.memory.index.load_rows import load_rows
from everturn.memory.index.record_cache import MemoryCache
from everturn.memory.index.row import MemoryRow
from everturn.memory.index.vectors import StoredVector
from everturn.memory.model.codec import parse_memory
from everturn.memory.model.draft import MemoryDraft, SourceDraft
from everturn.memory.model.memory import Memory
from everturn.memory.remember_memory import remember
from everturn.ports.object_store import ObjectStore, StoredObject
from everturn.values.go_json import JsonValue
from everturn.values.keys import memories_prefix, rid_of_key
from scenarios.memory_traces import stored_rows, stored_vectors
from scenarios.process import CONVERSATION
from scenarios.world import World

_MODEL, _DIMENSIONS, _BUCKET = "model", 2, "0"


def say(
    world: World,
    statement: str,
    source: SourceDraft | str | None = CONVERSATION,
    *,
    store: ObjectStore | None = None,
) -> Memory | None:
    """Remember a fact that a conversation said, another source, or nobody."""
    return _remember(world, MemoryDraft("fact", statement), source, store)


def show(
    world: World, step: str, source: str = CONVERSATION, *, store: ObjectStore | None = None
) -> Memory | None:
    """Remember a step of the pattern of which there is one."""
    spec: JsonValue = {"name": "Deploy", "steps": [step]}
    return _remember(world, MemoryDraft("pattern", spec=spec), source, store)


def _remember(
    world: World, draft: MemoryDraft, source: SourceDraft | str | None, store: ObjectStore | None
) -> Memory | None:
    said = source if isinstance(source, SourceDraft) else SourceDraft(source)
    world.clock.sleep(1)
    return remember(
        store=store or world.data, derived=world.derived, clock=world.clock,
        entropy=world.entropy, scope=world.scope, draft=draft, source=said,
    ).memory  # fmt: skip


def turn(
    first: int, last: int | None = None, quote: str = "", *, of: str = CONVERSATION
) -> SourceDraft:
    """Turns of a conversation as a source."""
    return SourceDraft(of, first, first if last is None else last, quote)


def memories(world: World) -> Mapping[str, Memory]:
    """Return all stored memories by what they say, without those of which nothing is left."""
    found: dict[str, Memory] = {}
    for key in world.data.list(memories_prefix(world.scope)).keys:
        stored = world.data.get(key)
        assert isinstance(stored, StoredObject)
        memory = parse_memory(stored.body, rid_of_key(key))
        if not memory.is_gone:
            found[memory.text] = memory
    return found


def index(world: World) -> None:
    """Write the files of the index, as a retrieval does: rows, and vectors of a model."""
    loaded = load_rows(
        store=world.data, derived=world.derived, scope=world.scope, clock=world.clock,
        cache=MemoryCache(),
    )  # fmt: skip
    rows = dict(loaded.rows)
    said = {rid: row for rid, row in rows.items() if not row.is_forgotten}
    vectors = {row.text_hash: StoredVector(1.0, b"ab") for row in said.values()}
    with ThreadPoolExecutor(1) as executor:
        files = MemoryFiles(world.data, world.derived, world.scope, executor)
        assert files.write_rows(_BUCKET, rows.values())
        assert files.write_vectors(_MODEL, _DIMENSIONS, VectorBucket(_BUCKET, vectors, said))


def indexed(world: World) -> tuple[list[MemoryRow], list[int]]:
    """Return the rows and the hashes of texts that have a vector, of all files of the index."""
    return stored_rows(world), [one.text_hash for one in stored_vectors(world)]
