"""Consolidate one conversation: read what is new in it, make memories of what is worth it."""

from typing import Final

from everturn.consolidation.outcome import Consolidated
from everturn.consolidation.token_quota import TokenUse
from everturn.consolidation.window_step import ConsolidationWork
from everturn.errors import GoneError, OutcomeUnknownError, PreconditionFailedError
from everturn.extraction.extractor import Extractor
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import ObjectStore
from everturn.storage.budget import Budget
from everturn.storage.swap import Patience
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
