"""The rows of memories as a process loads them, and whether they are true."""

from everturn.memory.index.record_cache import LoadedRows
from everturn.memory.index.row import row_of
from everturn.values.keys import memories_prefix, rid_of_key
from scenarios.memory_process import MemoryProcess
from scenarios.memory_traces import stored_memory
from scenarios.world import World


def load(process: MemoryProcess) -> LoadedRows:
    """Load the rows, as every request about memories does."""
    return process.parts.memory_loader().rows()


def assert_true(world: World, loaded: LoadedRows) -> None:
    """The rows are those of what is stored, in the order of ids."""
    page = world.data.list(memories_prefix(world.scope))
    expected = [
        row_of(stored_memory(world, rid_of_key(key)), etag)
        for key, etag in zip(page.keys, page.etags, strict=True)
    ]
    assert list(loaded.rows.values()) == expected
    assert list(loaded.rows) == [row.rid for row in expected]
    assert (loaded.pending, loaded.unreadable) == (0, frozenset())
