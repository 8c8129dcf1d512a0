"""What the function that appends has beyond the others: it offers jobs of consolidation."""

from everturn.bootstrap.components import open_offers
from everturn.consolidation.enqueue_job import QUEUE_UNAVAILABLE, JobOffer, JobOffers, offer_stored
from everturn.conversations.append_turns import AppendOutcome
from everturn.edge.api_function import LambdaEdge

# Two requests to the queue within 2 s each, and a marker within 6 s; then the answer has to go out.
_OFFER_MS = 11_000
_NO_TIME = JobOffer(queued=False, reason=QUEUE_UNAVAILABLE)


class AppendEdge(LambdaEdge):
    """A function that appends turns and offers what they ask for."""

    @property
    def offers(self) -> JobOffers:
        """The offers of this process."""
        return open_offers(self._settings)

    def offer_appended(self, outcome: AppendOutcome) -> None:
        """Offer a job for what an append stored; one that came again may have lost its first offer.

        Without the time to wait for a queue that is away, the next append of the conversation, or
        the walk over all of them, has to do it.
        """
        if not outcome.appended and not outcome.replayed:
            return
        if self.app.lambda_context.get_remaining_time_in_millis() < _OFFER_MS:
            self._note(_NO_TIME)
        else:
            self._note(self.offers.offer(self.scope, outcome.conversation_id))

    def offer_stored(self, conversation_id: str) -> JobOffer:
        """Offer a job because somebody asks for it; raises as the service."""
        offer = offer_stored(**self.reading, offers=self.offers, conversation_id=conversation_id)
        self._note(offer)
        return offer

    def _note(self, offer: JobOffer) -> None:
        if offer.fault:
            self.note_error(offer.fault)
        self.count(
            jobs_offered=offer.sent,
            jobs_dropped=offer.dropped,
            jobs_unsent=offer.unsent,
            queue_depth=self.offers.depth,
        )
