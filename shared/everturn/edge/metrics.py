"""The names of all metrics, in one place.

Not here: writing them, which Powertools does as EMF lines. A metric holds counts, never text.
"""

from typing import Final

METRICS: Final = {
    "requests": "Requests",
    "events": "Events",
    "appended": "TurnsAppended",
    "ignored": "TurnsIgnored",
    "clamped": "TurnsClamped",
    "attempts": "AppendAttempts",
    "replayed": "AppendsReplayed",
    "created": "ConversationsCreated",
    "deleted": "ConversationsDeleted",
    "popped": "TurnsPopped",
    "redacted": "TurnsRedacted",
    "documents_written": "DocumentsWritten",
    "documents_deleted": "DocumentsDeleted",
    "erased": "ConversationsErased",
    "exported": "ConversationsExported",
    "documents_exported": "DocumentsExported",
    "export_skipped": "ExportSkipped",
    "swept_empty": "SweptEmpty",
    "swept_tombstones": "SweptTombstones",
    "swept_orphans": "SweptOrphans",
    "finished_deletions": "FinishedDeletions",
    "expired": "Expired",
    "sweep_heads_read": "SweepHeadsRead",
    "sweep_skipped": "SweepSkipped",
    "sweep_failed": "SweepFailed",
    "sweep_complete": "SweepComplete",
    "read": "ListHeadsRead",
    "skipped": "ListSkipped",
    "recent_read": "RecentObjectsRead",
    "recalls": "Recalls",
    "hits": "RecallHits",
    "themes": "ThemesFound",
    "degraded": "SearchesDegraded",
    "embedded": "TurnsEmbedded",
}
"""CloudWatch names by the words of the code."""
