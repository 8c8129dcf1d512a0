"""The memories of one actor, as a process of the product remembers and retrieves them."""

from dataclasses import dataclass, field

from metered_store import MeteredStore

from everturn.adapters.system_clock import SystemEntropy
from everturn.memory.index.columns import MemoryIndex
from everturn.memory.index.index_cache import MemoryIndexes
from everturn.memory.index.record_cache import MemoryCache
from everturn.memory.model.draft import MemoryDraft, SourceDraft
from everturn.memory.model.memory import Memory
from everturn.memory.model.retrieve_request import Retrieved, RetrieveRequest
from everturn.memory.remember_memory import remember
from everturn.ports.clock import Clock
from everturn.prompts.retrieve_memories import retrieve
from everturn.prompts.search_parts import SearchParts
from everturn.recall.index.choose_embedder import EmbedderChoice
from everturn.recall.index.index_cache import IndexCache
from everturn.recall.index.load_index import Work
from everturn.values.keys import Scope, memories_prefix

SCOPE = Scope("bench", "bench")


@dataclass(slots=True)
class Retrieving:
    """A store, the embedder of a process, and what that process keeps between two calls."""

    store: MeteredStore
    clock: Clock
    choice: EmbedderChoice
    memories: MemoryCache = field(default_factory=MemoryCache)
    indexes: MemoryIndexes = field(default_factory=MemoryIndexes)

    def remember(self, statement: str, source: SourceDraft, *, subject: str = "") -> Memory:
        """Remember a fact as the product's function does."""
        done = remember(
            store=self.store, derived=self.store, clock=self.clock, entropy=SystemEntropy(),
            scope=SCOPE, draft=MemoryDraft("fact", statement, subject=subject), source=source,
        )  # fmt: skip
        assert done.memory is not None
        return done.memory

    def retrieve(self, request: RetrieveRequest) -> Retrieved:
        """Ask as the product's function does."""
        return retrieve(self._parts(), request)

    def index_all(self, question: str) -> int:
        """Ask until every memory was looked at and embedded; return how many calls it took."""
        for calls in range(1, 10_000):
            if not self.retrieve(RetrieveRequest(question)).degraded:
                return calls
        raise AssertionError("no index in any number of calls")

    def forget(self) -> None:
        """Know nothing, as a new process."""
        self.memories, self.indexes = MemoryCache(), MemoryIndexes()

    @property
    def index(self) -> MemoryIndex:
        """The index that the last retrieve left in this process."""
        loader = self._parts().memory_loader()
        loaded = self.indexes.indexes.get((memories_prefix(SCOPE), loader.model))
        assert loaded is not None
        return loaded.index

    def _parts(self) -> SearchParts:
        return SearchParts(
            data=self.store, derived=self.store, scope=SCOPE, clock=self.clock,
            embedder=self.choice, indexes=IndexCache(), memories=self.memories,
            memory_indexes=self.indexes, work=Work.of(self.choice.embedder, self.clock),
        )  # fmt: skip
