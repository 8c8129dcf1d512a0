"""Delete a conversation: a tombstone takes the place of its head, so nothing can come back.

Not here: segments, vectors, memories, and the sweep that finishes what was left.
"""

from dataclasses import dataclass

from everturn.domain.keys import Scope, head_key, valid_id
from everturn.domain.write_ring import WriteRing
from everturn.errors import (
    GoneError,
    NotFoundError,
    OutcomeUnknownError,
    PreconditionFailedError,
    UnavailableError,
)
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import ObjectStore
from everturn.services.head_cache import HeadCache
from everturn.services.read_record import ReadRecord, read_record
from everturn.services.retrying import Patience


@dataclass(frozen=True, slots=True)
class Receipt:
    """What went, and whether all of it did."""

    turns: int
    complete: bool


def delete_conversation(
    *,
    store: ObjectStore,
    heads: HeadCache,
    clock: Clock,
    entropy: Entropy,
    scope: Scope,
    conversation_id: str,
) -> Receipt:
    """Replace the head by a tombstone without text; two requests.

    Raises:
        NotFoundError: there is nothing to delete.
        CorruptRecordError: its file cannot be read; it is left as it is.
        UnavailableError: no clear answer within ten seconds; delete again.
    """
    conversation_id = valid_id(conversation_id, field="conversation_id")
    key = head_key(scope, conversation_id)
    heads.drop(key)
    patience = Patience(clock=clock, entropy=entropy)
    tried: dict[bytes, Receipt] = {}
    while True:
        try:
            found = read_record(store=store, scope=scope, conversation_id=conversation_id)
            if found is not None and found.body in tried:
                return tried[found.body]
            live = _live(found)
            head = live.record.head
            tombstone = head.tombstone(updated_ns=max(clock.now_ns(), head.updated_ns + 1))
            body = tombstone.encode()
            tried[body] = Receipt(head.turn_count, complete=True)
            store.put(key, body, expect=live.etag, meta=WriteRing().meta)
        except (PreconditionFailedError, GoneError, OutcomeUnknownError, UnavailableError) as error:
            patience.wait(doing="delete", cause=error)
        else:
            return tried[body]


def _live(found: ReadRecord | None) -> ReadRecord:
    if found is None or found.record.head.deleted is not None:
        raise NotFoundError("there is no such conversation")
    return found
