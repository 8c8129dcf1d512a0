"""Delete a conversation: a tombstone takes the place of its head, so nothing can come back.

Not here: segments, vectors, memories, and the sweep that finishes what was left.
"""

from dataclasses import dataclass

from everturn.domain.keys import Scope, head_key, valid_id
from everturn.domain.write_ring import (
    WRITE_ID_BYTES,
    RingEntry,
    hash_of_turns,
    write_id,
)
from everturn.errors import NotFoundError
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import ObjectStore
from everturn.services.head_cache import HeadCache
from everturn.services.read_record import StoredRecord, read_record
from everturn.services.retrying import RETRIED, Patience


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
    own = RingEntry(write_id(entropy.token(WRITE_ID_BYTES)), hash_of_turns(b""), 0)
    tried: Receipt | None = None
    while True:
        try:
            found = read_record(store=store, scope=scope, conversation_id=conversation_id)
            if tried and found and found.ring.find(own.write_id):
                return tried
            live = _live(found)
            head = live.record.head
            tried = Receipt(head.turn_count, complete=True)
            tombstone = head.tombstone(updated_ns=max(clock.now_ns(), head.updated_ns + 1))
            ring = live.ring.scrubbed().with_entry(own)
            patience.check(doing="delete")
            store.put(key, tombstone.encode(), expect=live.etag, meta=ring.meta)
        except RETRIED as error:
            patience.wait(doing="delete", cause=error)
        else:
            return tried


def _live(found: StoredRecord | None) -> StoredRecord:
    if found is None or found.record.head.deleted is not None:
        raise NotFoundError("there is no such conversation")
    return found
