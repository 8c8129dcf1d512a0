"""Base classes of the Lambda functions: settings, parts, logs and metrics.

Each function counts, logs faults, and keeps events out of logs.

No caller waits for the answer of a function that an event of AWS starts. So a failure is an error
of the function: its alarm sees it, and the next event tries again.

The names and units of all metrics are here. Powertools writes metrics as EMF lines, with the stack
as their only dimension. A metric holds numbers, never an id or a text.
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
"""

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeVar

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit

from everturn.bootstrap.components import Backends, open_backends, open_offers
from everturn.edge.http_app import crashed, log_fault
from everturn.errors import CorruptRecordError, EverturnError
from everturn.settings.process import read_settings
from everturn.values.go_json import JsonObject

if TYPE_CHECKING:
    from everturn.consolidation.enqueue_job import JobOffers

Result = TypeVar("Result")


class ObservedEdge:
    """One function, whatever starts it."""

    def __init__(self) -> None:
        """Make its logger and its metrics."""
        self._metrics = Metrics()
        self._logger = Logger()

    def count(self, **counts: int | None) -> None:
        """Add numbers to the metrics of this event, each by a key of `METRICS`."""
        add_counts(self._metrics, counts)

    def note_error(self, error: EverturnError, *, status: int | None = None) -> None:
        """Log a fault, and count it where it is a record that cannot be read.

        `status` is that of the answer, if it is what a caller is told.
        """
        log_fault(self._logger, error, status=status)
        if isinstance(error, CorruptRecordError):
            self.count(corrupt=1)

    def _observed(self, handle: Callable[..., Result]) -> Callable[..., Result]:
        """Return a handler that writes its metrics, and whose lines bear the request."""
        # Said here, or a variable of the environment could have whole events logged.
        logged = self._logger.inject_lambda_context(log_event=False)
        handler: Callable[..., Result] = logged(self._counted(handle))
        return handler

    def _counted(self, handle: Callable[..., Result]) -> Callable[..., Result]:
        """Return a handler that writes its metrics, if it came to count anything.

        Powertools' own warns where it did not, as after Ctrl-C in a command that runs it.
        """

        @functools.wraps(handle)
        def counted(*event: object) -> Result:
            try:
                return handle(*event)
            finally:
                if self._metrics.metric_set:
                    self._metrics.flush_metrics()

        return counted


# What is begun before the end takes a while to end; Lambda ends everything at its timeout.
_MARGIN_S = 60.0

Work = Callable[[float], JsonObject]
"""Does what the event asks for within so many seconds, and says what it did."""


class EventEdge(ObservedEdge):
    """One function: made at cold start, it works on one event at a time."""

    def __init__(self) -> None:
        """Read the settings and open the stores.

        Raises:
            MisconfiguredError: the deployment cannot work; the function does not start.
        """
        super().__init__()
        self.settings = read_settings()
        self._opened = open_backends(self.settings)

    @property
    def backends(self) -> Backends:
        """The parts of this process."""
        return self._opened

    @property
    def offers(self) -> "JobOffers | None":
        """Where jobs of consolidation go; None without a queue."""
        return open_offers(self.settings) if self.settings.queue else None

    @property
    def dirty_age_s(self) -> int | None:
        """How old the oldest marker is, in seconds; None where this event did not look."""
        return self.offers.pop_dirty_age() if self.offers else None

    def handler(self, work: Work) -> Callable[..., JsonObject]:
        """Return the handler that does this work."""

        def handle(event: dict[str, Any], context: Any) -> JsonObject:  # noqa: ANN401  # Lambda's own type
            del event
            self._metrics.clear_metrics()
            self.count(events=1)
            left_s = context.get_remaining_time_in_millis() / 1_000 - _MARGIN_S
            try:
                return work(left_s)
            except EverturnError as error:
                self.note_error(error)
                raise
            except Exception as error:  # noqa: BLE001  # the edge
                # Lambda prints what is raised, and a message may quote what a user said.
                raise crashed(self._logger, error) from None

        return self._observed(handle)


METRICS: Final = {
    "requests": "Requests",
    "request_ms": "RequestDuration",
    "client_errors": "ClientErrors",
    "server_errors": "ServerErrors",
    "corrupt": "CorruptRecords",
    "events": "Events",
    "appended": "TurnsAppended",
    "ignored": "TurnsIgnored",
    "clamped": "TurnsClamped",
    "attempts": "AppendAttempts",
    "replayed": "AppendsReplayed",
    "recovered": "AppendsRecovered",
    "sealed": "SegmentsSealed",
    "queue_depth": "QueueDepth",
    "dirty_age_s": "DirtyAge",
    "jobs_offered": "JobsOffered",
    "jobs_dropped": "JobsDropped",
    "jobs_unsent": "JobsUnsent",
    "created": "ConversationsCreated",
    "deleted": "ConversationsDeleted",
    "popped": "TurnsPopped",
    "redacted": "TurnsRedacted",
    "documents_written": "DocumentsWritten",
    "documents_deleted": "DocumentsDeleted",
    "erased": "ConversationsErased",
    "exported": "ConversationsExported",
    "documents_exported": "DocumentsExported",
    "memories_exported": "MemoriesExported",
    "export_skipped": "ExportSkipped",
    "swept_empty": "SweptEmpty",
    "swept_tombstones": "SweptTombstones",
    "swept_orphans": "SweptOrphans",
    "finished_deletions": "FinishedDeletions",
    "expired": "Expired",
    "swept_watermarks": "SweptWatermarks",
    "swept_staged": "SweptStaged",
    "offered_tails": "TailsOffered",
    "offered_markers": "MarkersOffered",
    "sweep_heads_read": "SweepHeadsRead",
    "sweep_skipped": "SweepSkipped",
    "sweep_failed": "SweepFailed",
    "sweep_complete": "SweepComplete",
    "read": "ListHeadsRead",
    "skipped": "ListSkipped",
    "repairs": "ListRepairs",
    "recent_read": "RecentObjectsRead",
    "recalls": "Recalls",
    "hits": "RecallHits",
    "themes": "ThemesFound",
    "degraded": "SearchesDegraded",
    "embedded": "TurnsEmbedded",
    "embedder_failures": "EmbedderFailures",
    "memories_created": "MemoriesCreated",
    "memories_reinforced": "MemoriesReinforced",
    "memories_corrected": "MemoriesCorrected",
    "memories_forgotten": "MemoriesForgotten",
    "memories_skipped": "MemoriesSkipped",
    "outcomes": "OutcomesRecorded",
    "promoted": "PatternsPromoted",
    "retrievals": "Retrievals",
    "snippets": "SnippetsFound",
    "pending_turns": "PendingTurns",
    "memories_embedded": "MemoriesEmbedded",
    "pinned": "PinnedBlocks",
    "cut": "PinnedLinesCut",
    "procedures": "ProceduresShown",
    "contexts": "Contexts",
    "jobs_done": "JobsDone",
    "jobs_failed": "JobsFailed",
    "windows": "WindowsRead",
    "consolidated": "TurnsConsolidated",
    "findings_dropped": "FindingsDropped",
    "tokens": "ModelTokens",
    "extractor_failures": "ExtractorFailures",
    "lag": "WatermarkLag",
    "quarantined": "TurnsQuarantined",
    "capped": "JobsCapped",
    "behind": "JobsBehind",
    "indexed": "ConversationsIndexed",
    "index_unfinished": "IndexesUnfinished",
}
"""CloudWatch names by the words of the code."""

UNITS: Final = {"request_ms": MetricUnit.Milliseconds, "dirty_age_s": MetricUnit.Seconds}
"""Units of those that are no counts."""

TOLD_AT_ZERO: Final = {"request_ms", "queue_depth", "dirty_age_s", "lag", "sweep_complete"}
"""Those of which 0 says something: levels, and what an alarm waits for.

A count of 0 adds nothing to a sum, and CloudWatch charges for each hour in which a name is written.
https://aws.amazon.com/cloudwatch/pricing/
"""


def add_counts(metrics: Metrics, counts: Mapping[str, int | None]) -> None:
    """Add numbers to the metrics of an event, by the words of the code; None is not known.

    A count of 0 is left out.
    """
    for name, value in counts.items():
        metric, unit = METRICS[name], UNITS.get(name, MetricUnit.Count)
        if value or (value is not None and name in TOLD_AT_ZERO):
            metrics.add_metric(metric, unit, value)
