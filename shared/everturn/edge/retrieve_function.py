"""What the function that retrieves has beyond the one that recalls: memories, and what is told."""

from typing import TYPE_CHECKING, TypedDict

from everturn.bootstrap.components import open_memory_indexes
from everturn.edge.memory_function import MemoryEdge
from everturn.edge.recall_function import RecallEdge
from everturn.memory.model.retrieve_request import Retrieved
from everturn.prompts.context_block import BuiltContext

if TYPE_CHECKING:
    from everturn.prompts.search_parts import SearchParts


class Told(TypedDict):
    """What the operator says in every prompt: who the agent is, and what holds whatever comes."""

    identity: str
    rules: tuple[str, ...]


class RetrieveEdge(RecallEdge, MemoryEdge):
    """A function that retrieves memories."""

    @property
    def told(self) -> Told:
        """What the operator says; no memory has a say in it."""
        return Told(identity=self._settings.identity, rules=self._settings.rules)

    @property
    def parts(self) -> "SearchParts":
        """The parts for one request that searches memories and turns."""
        from everturn.prompts.search_parts import SearchParts
        from everturn.recall.index.load_index import Work

        recalling = self.recalling
        return SearchParts(
            **recalling,
            memories=self.browsing["cache"],
            memory_indexes=open_memory_indexes(self._settings),
            work=Work.of(recalling["embedder"].embedder, recalling["clock"]),
        )

    def count_retrieval(self, found: Retrieved) -> None:
        """Count a retrieval: its snippets, whether it was a whole one, what was embedded for it."""
        self.answered(found.reason)
        self.count(
            retrievals=1,
            snippets=len(found.snippets),
            pending_turns=found.pending_turns,
            degraded=found.degraded,
            memories_embedded=found.embedded,
        )

    def count_context(self, built: BuiltContext) -> None:
        """Count a context: whether it was a whole one, what was embedded for it."""
        self.answered(built.reason)
        self.count(
            contexts=1,
            pending_turns=built.pending_turns,
            degraded=built.degraded,
            memories_embedded=built.embedded,
        )
