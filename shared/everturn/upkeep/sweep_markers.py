"""Offer the jobs that a queue refused and that no worker came for since.

As a rule whoever ends a job takes a marker; that chain breaks where one ends before it did. A queue
that is still full has workers, who come for markers by themselves: the rest of a page is left then.
"""

from dataclasses import dataclass
from functools import partial
from typing import Final

from everturn.consolidation.enqueue_job import JobOffer, JobOffers
from everturn.errors import GoneError, PreconditionFailedError, StoreError, UnavailableError
from everturn.ports.object_store import Entry, StoredObject
from everturn.upkeep.sweep_head import Broom
from everturn.upkeep.sweep_pass import MINUTE_NS, SweepPass
from everturn.upkeep.sweep_tasks import Due, Task
from everturn.upkeep.swept import Swept
from everturn.values.job import Job, job_of
from everturn.values.keys import DIRTY_PREFIX

# A process relies on a marker for the minute that it names; the clocks of two may differ a little.
_REST_NS: Final = 2 * MINUTE_NS


def markers_due(going: SweepPass, broom: Broom) -> Due:
    """Return the markers of the next page that are old.

    Raises:
        AccessDeniedError, UnavailableError: the store does not list.
    """
    if broom.offers is None:
        return Due((), None, reads=0)
    page = broom.derived.list(DIRTY_PREFIX, start_after=going.after)
    if not going.after:
        broom.offers.see_markers(page.keys)
    offering = _Offering(broom, broom.offers)
    old = [one for one in page.entries if one.modified_ns + _REST_NS <= going.started_ns]
    tasks = tuple(Task(partial(offering.offer, entry), entry.key) for entry in old)
    return Due(tasks, page.keys[-1] if page.more else None)


@dataclass(slots=True)
class _Offering:
    """What becomes of a page of markers."""

    broom: Broom
    offers: JobOffers
    is_refused: bool = False
    """Whether the queue did not take one of them: then no more are offered."""

    def offer(self, entry: Entry) -> Swept:
        """Offer the job of a marker, then remove it; a read, an offer, and a removal."""
        if self.is_refused:
            return Swept()
        derived = self.broom.derived
        try:
            stored = derived.get(entry.key)
            if not isinstance(stored, StoredObject):
                return Swept()
            job = job_of(stored.body)
            offer = self._offered(job) if job else None
            # A younger marker may stand for the job now.
            if offer is None or offer.queued or offer.marked:
                derived.delete(entry.key, expect=stored.etag)
        except (PreconditionFailedError, GoneError):
            # Somebody else took it, or it was left anew.
            return Swept()
        except (StoreError, UnavailableError):
            return Swept(failed=1)
        return Swept(offered_markers=int(offer is not None and offer.queued))

    def _offered(self, job: Job) -> JobOffer:
        offer = self.offers.offer_now(job.scope, job.conversation_id)
        self.is_refused |= not offer.queued
        return offer
