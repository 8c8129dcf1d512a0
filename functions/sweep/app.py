"""On a schedule: sweep what nobody asked for again and what crashes left, of all users.

What a call leaves, the next does.
"""

from everturn.edge.function import EventEdge
from everturn.storage.budget import Budget
from everturn.upkeep.sweep import sweep
from everturn.values.go_json import JsonObject

EDGE = EventEdge()


def work(left_s: float) -> JsonObject:
    """Sweep for so long, and count what went."""
    parts, offers = EDGE.backends, EDGE.offers
    if offers:
        # A run that failed after its look at the markers left it behind.
        offers.pop_dirty_age()
    outcome = sweep(
        data=parts.data,
        derived=parts.derived,
        clock=parts.clock,
        entropy=parts.entropy,
        budget=Budget(clock=parts.clock, seconds=left_s),
        idle_days=EDGE.settings.idle_days,
        offers=offers,
    )
    swept = outcome.swept
    EDGE.count(
        swept_empty=swept.empty,
        swept_tombstones=swept.tombstones,
        swept_orphans=swept.orphans,
        finished_deletions=swept.finished,
        expired=swept.expired,
        swept_watermarks=swept.watermarks,
        swept_staged=swept.staged,
        offered_tails=swept.offered_tails,
        offered_markers=swept.offered_markers,
        sweep_heads_read=swept.heads_read,
        sweep_skipped=swept.skipped,
        sweep_failed=swept.failed,
        sweep_complete=int(outcome.complete),
        dirty_age_s=EDGE.dirty_age_s,
    )
    return outcome.json()


handler = EDGE.handler(work)
