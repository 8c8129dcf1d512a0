"""What the function that searches has beyond the others: an embedder, and the indexes it keeps.

The first request that searches loads numpy; a function that never does stays light.
"""

from typing import TYPE_CHECKING, TypedDict

from everturn.bootstrap.components import open_extractor, open_queue, open_recall
from everturn.edge.api_function import LambdaEdge
from everturn.edge.responses.status import consolidation_json
from everturn.ports.clock import Clock
from everturn.ports.object_store import ObjectStore
from everturn.recall.index.recall_request import EMBEDDER_FAILED, Recalled
from everturn.settings.process import StoreAddress
from everturn.values.go_json import JsonObject
from everturn.values.keys import Scope

if TYPE_CHECKING:
    from everturn.recall.index.choose_embedder import EmbedderChoice
    from everturn.recall.index.index_cache import IndexCache


class Recalling(TypedDict):
    """What every service that searches turns takes."""

    data: ObjectStore
    derived: ObjectStore
    clock: Clock
    scope: Scope
    embedder: "EmbedderChoice"
    indexes: "IndexCache"


class RecallEdge(LambdaEdge):
    """A function that searches turns."""

    @property
    def stores(self) -> dict[str, StoreAddress]:
        """Where things lie, by the names of the stores."""
        return {"store": self._settings.store, "derived": self._settings.derived}

    @property
    def embedder(self) -> "EmbedderChoice":
        """The embedder in use, and why it is this one."""
        return open_recall(self._settings).embedders.live()

    @property
    def consolidation(self) -> JsonObject:
        """How far consolidation is, for the status."""
        from everturn.consolidation.count_backlog import count_backlog
        from everturn.consolidation.token_quota import TokenUse

        parts, extractor = self.backends, open_extractor(self._settings)
        daily = self._settings.extractor.daily_tokens if extractor.costs_tokens else 0
        named, queue = self._settings.queue, open_queue(self._settings)
        backlog = count_backlog(
            data=parts.data,
            derived=parts.derived,
            clock=parts.clock,
            scope=self.scope,
            cache=self.memories,
            queue=queue,
            tokens=TokenUse(parts.derived, parts.clock, self.scope.tenant, daily),
        )
        kind = named.kind if named and queue else "none"
        return consolidation_json(backlog, queue=kind, extractor=extractor.name)

    @property
    def recalling(self) -> Recalling:
        """The parts for a service that searches."""
        return Recalling(
            data=self.backends.data,
            derived=self.backends.derived,
            clock=self.backends.clock,
            scope=self.scope,
            embedder=self.embedder,
            indexes=open_recall(self._settings).indexes,
        )

    def answered(self, reason: str | None) -> None:
        """Take note of why an answer lacks something: a model that failed is asked anew."""
        if reason == EMBEDDER_FAILED:
            open_recall(self._settings).embedders.doubt()
            self.count(embedder_failures=1)

    def count_recall(self, found: Recalled) -> None:
        """Count a recall: its hits, whether it was a whole one, what was embedded for it."""
        self.answered(found.reason)
        self.count(
            recalls=1, hits=len(found.hits), degraded=found.degraded, embedded=found.embedded
        )
