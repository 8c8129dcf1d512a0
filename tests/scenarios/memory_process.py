"""Processes that remember and retrieve, and what lies in the stores, seen without any service."""

from dataclasses import dataclass, field, replace
from typing import Any

from everturn.memory.change_memory import (
    ChangedMemory,
    Forgotten,
    MemoryPatch,
    Promoted,
    change_memory,
    forget,
    promote,
    record_outcome,
)
from everturn.memory.index.index_cache import MemoryIndexes
from everturn.memory.index.record_cache import MemoryCache
from everturn.memory.model.draft import MemoryDraft, SourceDraft
from everturn.memory.model.memory import Memory
from everturn.memory.model.retrieve_request import ContextRequest, Retrieved, RetrieveRequest
from everturn.memory.model.source import OutcomeStatus
from everturn.memory.read_memory import MemoryPage, ReadMemory, list_memories, read_memory
from everturn.memory.remember_memory import Remembered, remember
from everturn.ports.clock import Clock, Entropy
from everturn.ports.embedder import Embedder
from everturn.ports.object_store import ObjectStore, StoredObject
from everturn.prompts.build_context import build_context
from everturn.prompts.context_block import BuiltContext
from everturn.prompts.find_procedures import Procedure, find_procedures
from everturn.prompts.pinned_block import PinnedBlock, pinned_block
from everturn.prompts.read_pinned import read_pinned
from everturn.prompts.retrieve_memories import retrieve
from everturn.prompts.search_parts import SearchParts
from everturn.recall.index.choose_embedder import EmbedderChoice
from everturn.recall.index.index_cache import IndexCache
from everturn.recall.index.load_index import Work
from everturn.values.keys import Scope
from fakes.fake_embedder import FakeEmbedder
from scenarios.world import World


@dataclass
class MemoryProcess:
    """One process over two stores, warm from its first call on."""

    data: ObjectStore
    derived: ObjectStore
    clock: Clock
    entropy: Entropy
    scope: Scope
    embedder: Embedder = field(default_factory=FakeEmbedder)
    indexes: IndexCache = field(default_factory=IndexCache)
    cache: MemoryCache = field(default_factory=MemoryCache)
    memory_indexes: MemoryIndexes = field(default_factory=MemoryIndexes)
    fell_back: bool = False

    def remember(
        self,
        statement: str | None = None,
        kind: str = "fact",
        *,
        source: str | SourceDraft | None = None,
        explicit: bool = True,
        **drafted: Any,  # noqa: ANN401
    ) -> Remembered:
        """Remember a statement; a source that is a text is a key."""
        said = SourceDraft(key=source) if isinstance(source, str) else source or SourceDraft()
        return remember(
            **self._writing,
            draft=MemoryDraft(kind, statement, **drafted),
            source=said,
            explicit=explicit,
        )

    def change(
        self,
        rid: str,
        *,
        source: SourceDraft | None = None,
        **patched: Any,  # noqa: ANN401
    ) -> ChangedMemory:
        """Correct a memory, pin it, or weigh it."""
        return change_memory(
            **self._writing,
            cache=self.cache,
            rid=rid,
            patch=MemoryPatch(**patched),
            source=source or SourceDraft(),
        )

    def outcome(self, rid: str, status: OutcomeStatus, source: str | SourceDraft) -> ChangedMemory:
        """Note how following a pattern went; a source that is a text is a key."""
        return record_outcome(
            **self._writing,
            cache=self.cache,
            rid=rid,
            status=status,
            source=SourceDraft(key=source) if isinstance(source, str) else source,
        )

    def promote(self, rid: str) -> Promoted:
        """Make a skill of a pattern."""
        return promote(**self._writing, cache=self.cache, rid=rid)

    def forget(self, rid: str) -> Forgotten:
        """Forget a memory."""
        return forget(**self._writing, rid=rid)

    def read(self, rid: str) -> ReadMemory:
        """Read a memory with its history."""
        return read_memory(**self._browsing, rid=rid)

    def page(self, **asked: Any) -> MemoryPage:  # noqa: ANN401
        """List one page of memories."""
        return list_memories(**self._browsing, **asked)

    def retrieve(self, query: str, **changed: Any) -> Retrieved:  # noqa: ANN401
        """Retrieve what a query asks for."""
        return retrieve(self.parts, replace(RetrieveRequest(query), **changed))

    def texts(self, query: str, **changed: Any) -> list[str]:  # noqa: ANN401
        """Retrieve, and return the texts of the snippets, best first."""
        return [snippet.text for snippet in self.retrieve(query, **changed).snippets]

    def pinned(self, budget_tokens: int = 2_000, **given: Any) -> PinnedBlock:  # noqa: ANN401
        """Return the pinned block."""
        return pinned_block(read_pinned(**self._browsing, **given).parts, budget_tokens)

    def procedures(self, goal: str = "", budget_tokens: int = 2_000) -> tuple[Procedure, ...]:
        """Return the proven patterns."""
        return find_procedures(self.parts, goal=goal, budget_tokens=budget_tokens)

    def context(
        self,
        query: str,
        *,
        identity: str = "",
        rules: tuple[str, ...] = (),
        **changed: Any,  # noqa: ANN401
    ) -> BuiltContext:
        """Build a context."""
        request = replace(ContextRequest(query), **changed)
        return build_context(self.parts, request, identity=identity, rules=rules)

    @property
    def parts(self) -> SearchParts:
        """The parts of one request."""
        choice = EmbedderChoice(self.embedder, "fake", "of the test", self.fell_back)
        return SearchParts(
            self.data,
            self.derived,
            self.scope,
            self.clock,
            choice,
            self.indexes,
            self.cache,
            self.memory_indexes,
            Work.of(self.embedder, self.clock),
        )

    @property
    def _writing(self) -> dict[str, Any]:
        stores = {"store": self.data, "derived": self.derived, "scope": self.scope}
        return {**stores, "clock": self.clock, "entropy": self.entropy}

    @property
    def _browsing(self) -> dict[str, Any]:
        stores = {"store": self.data, "derived": self.derived, "scope": self.scope}
        return {**stores, "clock": self.clock, "cache": self.cache}


def memory_process(
    world: World,
    embedder: Embedder | None = None,
    *,
    data: ObjectStore | None = None,
    derived: ObjectStore | None = None,
    scope: Scope | None = None,
) -> MemoryProcess:
    """Start a process over the stores of a world, or over others in front of them."""
    return MemoryProcess(
        data or world.data,
        derived or world.derived,
        world.clock,
        world.entropy,
        scope or world.scope,
        embedder or FakeEmbedder(),
    )


def live(remembered: Remembered) -> Memory:
    """Return the memory, which must be there."""
    assert remembered.memory is not None
    return remembered.memory


def bodies(*stores: ObjectStore) -> dict[str, bytes]:
    """Return all that lies in stores, by key."""
    found: dict[str, bytes] = {}
    for store in stores:
        page = store.list("")
        assert not page.more
        for key in page.keys:
            stored = store.get(key)
            assert isinstance(stored, StoredObject)
            found[key] = stored.body
    return found
