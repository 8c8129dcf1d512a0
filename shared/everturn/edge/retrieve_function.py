"""What the function that retrieves has beyond the one that recalls: memories, and what is told."""

from typing import TYPE_CHECKING, TypedDict

from everturn.bootstrap import open_memory_indexes
from everturn.domain.context_request import BuiltContext
from everturn.domain.retrieve_request import Retrieved
from everturn.edge.memory_edge import MemoryEdge
from everturn.edge.recall_edge import RecallEdge

if TYPE_CHECKING:
    from everturn.services.search_parts import SearchParts


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
        from everturn.services.load_index import Work
        from everturn.services.search_parts import SearchParts

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
