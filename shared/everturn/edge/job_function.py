"""What the function that consolidates has beyond the others: an extractor, offers, an index.

numpy is loaded by the first long conversation.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from everturn.bootstrap.components import (
    Backends,
    open_extractor,
    open_offers,
    open_recall,
    open_scope_backends,
)
from everturn.consolidation.enqueue_job import JobOffers
from everturn.edge.batch_edge import BatchEdge
from everturn.edge.watched_extractor import WatchedExtractor
from everturn.errors import EverturnError
from everturn.storage.budget import Budget
from everturn.values.job import Job, parse_job
from everturn.values.keys import Scope

if TYPE_CHECKING:
    from everturn.extraction.extractor import Extractor

Work = Callable[[Job, float], object]
"""Does a job, having so many seconds."""


class JobEdge(BatchEdge):
    """The function that does the jobs of the queue."""

    def __init__(self) -> None:
        """Read the settings and open the stores; raises as EventEdge."""
        super().__init__()
        self._scope: Scope | None = None

    @property
    def backends(self) -> Backends:
        """The parts; where there is a role of scopes, stores reach what is of the job's alone."""
        if self._scope is None or not self.settings.scope_role:
            return self._opened
        return open_scope_backends(self.settings, self._scope)

    def job_handler(self, work: Work, *, margin_s: float) -> Callable[..., Mapping[str, object]]:
        """Return the handler that does this work for each job, on the stores of its scope."""

        def work_in_scope(body: str, left_s: float) -> object:
            job = parse_job(body)
            self._scope = job.scope
            try:
                return work(job, left_s)
            finally:
                # Whatever comes between two jobs is nobody's.
                self._scope = None

        return self.batch_handler(work_in_scope, margin_s=margin_s)

    @property
    def extractor(self) -> "Extractor":
        """What finds what is worth remembering; what it costs is counted, whatever comes after."""
        return WatchedExtractor(open_extractor(self.settings), self.count)

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
        from everturn.consolidation.build_index import build_index

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
            self.note_error(error)
            is_complete = False
        self.count(indexed=int(is_complete), index_unfinished=int(not is_complete))
        return is_complete
