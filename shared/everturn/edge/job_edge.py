"""What the function that consolidates has beyond the others: an extractor, offers, an index.

Not here: the work itself (everturn.services.run_job). numpy is loaded by the first long
conversation.
"""

from typing import TYPE_CHECKING

from everturn.bootstrap import open_extractor, open_offers, open_recall
from everturn.domain.job import Job
from everturn.edge.batch_edge import BatchEdge
from everturn.edge.http_app import log_fault
from everturn.errors import EverturnError
from everturn.services.budget import Budget
from everturn.services.offer_job import JobOffers

if TYPE_CHECKING:
    from everturn.ports.extractor import Extractor


class JobEdge(BatchEdge):
    """The function that does the jobs of the queue."""

    @property
    def extractor(self) -> "Extractor":
        """What finds what is worth remembering."""
        return open_extractor(self.settings)

    @property
    def offers(self) -> JobOffers:
        """Where the next jobs go."""
        return open_offers(self.settings)

    @property
    def daily_tokens(self) -> int:
        """How many tokens of models a tenant may use a day; 0: any number."""
        return self.settings.extractor.daily_tokens

    def index(self, job: Job, budget: Budget) -> bool:
        """Build the recall index of a conversation; one that fails is built by a later recall."""
        from everturn.services.build_index import build_index

        parts, recall = self.backends, open_recall(self.settings)
        try:
            is_complete = build_index(
                data=parts.data,
                derived=parts.derived,
                scope=job.scope,
                embedder=recall.embedders.live(),
                indexes=recall.indexes,
                conversation_id=job.conversation_id,
                budget=budget,
            )
        except EverturnError as error:
            log_fault(self._logger, error)
            is_complete = False
        self.count(indexed=int(is_complete), index_unfinished=int(not is_complete))
        return is_complete
