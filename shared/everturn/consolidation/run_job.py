"""Do a job of the queue: consolidate its conversation, index it, and see to the next job."""

from collections.abc import Callable
from dataclasses import replace

from everturn.consolidation.consolidate_conversation import consolidate
from everturn.consolidation.enqueue_job import JobOffers
from everturn.consolidation.outcome import INDEXED_TURNS, Consolidated
from everturn.errors import EverturnError, UnavailableError
from everturn.extraction.extractor import Extractor
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import ObjectStore
from everturn.storage.budget import Budget
from everturn.values.job import Job

Index = Callable[[Job, Budget], object]
"""Builds the recall index of a conversation within a budget, as far as it can."""


def run_job(
    job: Job,
    *,
    store: ObjectStore,
    derived: ObjectStore,
    clock: Clock,
    entropy: Entropy,
    extractor: Extractor,
    offers: JobOffers,
    budget: Budget,
    daily_tokens: int,
    index: Index,
) -> Consolidated:
    """Consolidate a conversation as far as there is time, and offer it again where more is left.

    Whoever ends a job without that takes one of those that the queue did not take: so a backlog
    drains, and nobody lets the queue grow: one job ends, and at most one is offered for it.

    Args:
        job: which conversation.
        store: where conversations, memories and watermarks lie.
        derived: where indexes lie, and the use of tokens.
        clock: for waits, and for the day of the tokens.
        entropy: for waits and write ids.
        extractor: finds what is worth remembering.
        offers: where it goes on.
        budget: when to begin no further window.
        daily_tokens: how many tokens of models its tenant may use a day; 0: any number.
        index: called for a long conversation.

    Returns:
        What was done; its `fault` is what kept this worker from offering the next job.

    Raises:
        EverturnError: as `consolidate`, or neither the queue nor the store of markers answers for
            what is left to read; the job is to come again.
    """
    done = consolidate(
        store=store,
        derived=derived,
        clock=clock,
        entropy=entropy,
        scope=job.scope,
        conversation_id=job.conversation_id,
        extractor=extractor,
        budget=budget,
        daily_tokens=daily_tokens,
    )
    if done.turn_count >= INDEXED_TURNS and not budget.is_over:
        index(job, budget)
    return replace(done, fault=_offer_next(job, done, offers, entropy))


def _offer_next(
    job: Job, done: Consolidated, offers: JobOffers, entropy: Entropy
) -> EverturnError | None:
    if done.behind and done.reason is None:
        offer = offers.offer_now(job.scope, job.conversation_id, even_if_full=True)
        if offer.unsent and not offer.marked:
            # Nothing stands for what is left but this job.
            raise UnavailableError("what is left to read is not offered") from offer.fault
        return offer.fault
    try:
        offers.take_marker(draw=entropy.token(1)[0])
    except EverturnError as fault:
        return fault
    return None
