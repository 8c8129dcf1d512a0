"""Base classes of Lambda functions that a queue starts: each message succeeds or fails alone.

A message that fails is redelivered after its visibility timeout. After its maximum number of
receives it moves to the dead-letter queue.
https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html

The function that does jobs of consolidation adds an extractor, the next jobs, and the recall index.
Tokens of the extractor are counted as they are used: they are paid for even if the job fails.
numpy is loaded by the first long conversation.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from aws_lambda_powertools.utilities.batch import (
    BatchProcessor,
    EventType,
    process_partial_response,
)
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from everturn.bootstrap.components import (
    Backends,
    open_extractor,
    open_offers,
    open_recall,
    open_scope_backends,
)
from everturn.consolidation.enqueue_job import JobOffers
from everturn.conversations.model.extraction_window import Window
from everturn.edge.function import EventEdge
from everturn.edge.http_app import crashed
from everturn.errors import EverturnError, MisconfiguredError, UnavailableError
from everturn.extraction.answers.findings import Findings
from everturn.extraction.extractor import Extractor
from everturn.storage.budget import Budget
from everturn.values.job import Job, parse_job
from everturn.values.keys import Scope

Message = Callable[[str, float], object]
"""Does what a message's body asks for, having so many seconds."""


class BatchEdge(EventEdge):
    """One function: made at cold start, it works on one batch at a time."""

    def batch_handler(
        self, work: Message, *, margin_s: float
    ) -> Callable[..., Mapping[str, object]]:
        """Return the handler that does this work for each message, and names those that failed.

        `margin_s` is what a message may take beyond its seconds to end what it began.
        """
        processor = BatchProcessor(event_type=EventType.SQS, raise_on_entire_batch_failure=False)

        def handle(event: dict[str, Any], context: Any) -> Mapping[str, object]:  # noqa: ANN401  # Lambda's own type
            self._metrics.clear_metrics()
            self.count(events=1)

            def one(record: SQSRecord) -> object:
                left_s = context.get_remaining_time_in_millis() / 1_000 - margin_s
                return self._done(work, record, left_s)

            if not event.get("Records"):
                return {"batchItemFailures": []}
            return {**process_partial_response(event, one, processor, context)}

        return self._observed(handle)

    def tell(self, fault: EverturnError | None) -> None:
        """Log what kept a message that is done from something beside it, if anything did."""
        if fault:
            self.note_error(fault)

    def _done(self, work: Message, record: SQSRecord, left_s: float) -> object:
        # The next line may be of another message, and bears its own.
        self._logger.append_keys(message_id=record.message_id, receives=_receives(record))
        try:
            return work(record.body, _enough(left_s))
        except EverturnError as error:
            self.note_error(error)
            self.count(jobs_failed=1)
            raise
        except Exception as error:  # noqa: BLE001  # the edge
            # Powertools and Lambda print what is raised, and a message may quote what a user said.
            failed = crashed(self._logger, error)
            self.count(jobs_failed=1)
            raise failed from None


def _receives(record: SQSRecord) -> str | None:
    """Return how often the queue handed a message out, as it says."""
    return (record.get("attributes") or {}).get("ApproximateReceiveCount")


def _enough(left_s: float) -> float:
    if left_s <= 0:
        raise UnavailableError("no time is left for another message")
    return left_s


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


Result = TypeVar("Result")


class Count(Protocol):
    """Adds numbers to the metrics of an event, each by a word of edge/function.py."""

    def __call__(self, **counts: int | None) -> None:
        """Add them."""
        ...


@dataclass(frozen=True, slots=True)
class WatchedExtractor:
    """Does what `inner` does, and counts it."""

    inner: Extractor
    count: Count

    @property
    def name(self) -> str:
        """What a person calls it."""
        return self.inner.name

    @property
    def costs_tokens(self) -> bool:
        """Whether somebody pays for each window."""
        return self.inner.costs_tokens

    def fitting(self, window: Window) -> Window:
        """Return the longest beginning of a window that it can read at once."""
        return self.inner.fitting(window)

    def extract(self, window: Window) -> Findings:
        """Read a window; raises as the extractor does."""
        found = self._heard(lambda: self.inner.extract(window))
        self.count(tokens=found.tokens, extractor_failures=int(found.unheard is not None))
        return found

    def works(self) -> bool:
        """Say whether it reads a window that anybody can read; raises as the extractor does."""
        works = self._heard(self.inner.works)
        self.count(extractor_failures=int(not works))
        return works

    def _heard(self, ask: Callable[[], Result]) -> Result:
        try:
            return ask()
        except (UnavailableError, MisconfiguredError):
            self.count(extractor_failures=1)
            raise
