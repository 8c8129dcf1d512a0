"""Consolidate one conversation: read its new turns and make memories of them.

A job of the queue also indexes its conversation, and sees to the next job.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from everturn.consolidation.enqueue_job import JobOffers
from everturn.consolidation.outcome import INDEXED_TURNS, Consolidated
from everturn.consolidation.token_quota import TokenUse
from everturn.consolidation.window_step import ConsolidationWork
from everturn.errors import (
    EverturnError,
    GoneError,
    OutcomeUnknownError,
    PreconditionFailedError,
    UnavailableError,
)
from everturn.extraction.extractor import Extractor
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import ObjectStore
from everturn.storage.budget import Budget
from everturn.storage.swap import Patience
from everturn.values.job import Job
from everturn.values.keys import Scope, valid_id

# Other failures end the call; these say that what was read is not so any more.
_BEGUN_AGAIN: Final = (PreconditionFailedError, GoneError, OutcomeUnknownError)


def consolidate(
    *,
    store: ObjectStore,
    derived: ObjectStore,
    clock: Clock,
    entropy: Entropy,
    scope: Scope,
    conversation_id: str,
    extractor: Extractor,
    budget: Budget,
    daily_tokens: int = 0,
) -> Consolidated:
    """Read a conversation from its watermark to its head, at least one window of it.

    Two requests where nothing is new. A conversation that is not there is no fault: it was
    deleted, and what this call wrote of it is taken back.

    Args:
        store: where conversations, memories and watermarks lie.
        derived: where the index of memories and the use of tokens lie.
        clock: for waits, and for the day of the tokens.
        entropy: for waits and write ids.
        scope: whose conversation.
        conversation_id: which, or the token of its key.
        extractor: finds what is worth remembering.
        budget: when to begin no further window.
        daily_tokens: how many tokens of models the tenant may use a day; 0: any number.

    Raises:
        InvalidRequestError: the id is wrong.
        CorruptRecordError: the conversation cannot be read.
        MisconfiguredError: the extractor can never be asked.
        AccessDeniedError, UnavailableError: a store or the extractor does not answer, or nothing
            that it answers can be used; what is not read yet is read by the next call.
    """
    id_ = valid_id(conversation_id, field="conversation_id")
    tokens = TokenUse(derived, clock, scope.tenant, daily_tokens)
    work = ConsolidationWork(store, derived, clock, entropy, scope, id_, extractor, tokens)
    done, patience = Consolidated(), None
    while True:
        try:
            done = done.and_then(work.next_window())
        except _BEGUN_AGAIN as error:
            patience = patience or Patience(clock=clock, entropy=entropy)
            patience.wait(doing="consolidate", cause=error)
            continue
        if not done.behind or done.reason or budget.is_over:
            return done
        patience = None


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
