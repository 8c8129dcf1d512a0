"""What every search over memories and turns works with: stores, caches, and one embedder."""

from dataclasses import dataclass

from everturn.memory.index.index_cache import MemoryIndexes
from everturn.memory.index.load_memories import MemoryLoader
from everturn.memory.index.record_cache import MemoryCache
from everturn.ports.clock import Clock
from everturn.ports.object_store import ObjectStore
from everturn.recall.index.choose_embedder import EmbedderChoice
from everturn.recall.index.index_cache import IndexCache
from everturn.recall.index.load_index import IndexLoader, Work
from everturn.values.keys import Scope


@dataclass(frozen=True, slots=True)
class SearchParts:
    """The parts of one request; memories and turns share its embedder and its time."""

    data: ObjectStore
    derived: ObjectStore
    scope: Scope
    clock: Clock
    embedder: EmbedderChoice
    indexes: IndexCache
    memories: MemoryCache
    memory_indexes: MemoryIndexes
    work: Work

    def turn_loader(self) -> IndexLoader:
        """Return what loads the indexes of turns."""
        live = self.embedder.embedder
        return IndexLoader(self.data, self.derived, self.scope, live, self.indexes, self.work)

    def memory_loader(self) -> MemoryLoader:
        """Return what loads the index of memories."""
        return MemoryLoader(
            self.data,
            self.derived,
            self.scope,
            self.clock,
            self.embedder.embedder,
            self.memories,
            self.memory_indexes,
            self.work,
        )
