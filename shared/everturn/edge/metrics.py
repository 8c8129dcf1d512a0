"""The names of all metrics, in one place.

Not here: writing them, which Powertools does as EMF lines. A metric holds counts, never text.
"""

from typing import Final

METRICS: Final = {
    "requests": "Requests",
    "appended": "TurnsAppended",
    "ignored": "TurnsIgnored",
    "clamped": "TurnsClamped",
    "attempts": "AppendAttempts",
    "replayed": "AppendsReplayed",
    "created": "ConversationsCreated",
    "deleted": "ConversationsDeleted",
    "read": "ListHeadsRead",
    "skipped": "ListSkipped",
}
"""CloudWatch names by the words of the code."""
