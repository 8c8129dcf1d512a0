"""The names and units of all metrics, in one place.

Powertools writes them as EMF lines, with the stack as their only dimension: a metric holds numbers,
never an id or a text.
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
"""

from collections.abc import Mapping
from typing import Final

from aws_lambda_powertools import Metrics
from aws_lambda_powertools.metrics import MetricUnit

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
