"""Delete a conversation: a tombstone takes the place of its head, so nothing can come back."""

from everturn.conversations.ambiguous_write import UnclearWrite, edit_has_happened, unclear_write
from everturn.conversations.head_cache import HeadCache
from everturn.conversations.model.tombstone import deletion, entomb
from everturn.conversations.model.write_ring import WRITE_ID_BYTES, RingEntry, write_id
from everturn.conversations.read_record import StoredRecord, read_record
from everturn.deletion.finish_deletion import Receipt, erase_unknown, finish_deletion
from everturn.errors import NotFoundError, OutcomeUnknownError
from everturn.memory.index.record_cache import MemoryCache
from everturn.memory.retract_source import SourceCascade
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import ObjectStore
from everturn.storage.swap import RETRIED, Patience
from everturn.values.keys import Scope, head_key, valid_id


def delete_conversation(
    *,
    store: ObjectStore,
    derived: ObjectStore,
    heads: HeadCache,
    clock: Clock,
    entropy: Entropy,
    scope: Scope,
    conversation_id: str,
    is_alone: bool = True,
    memories: MemoryCache | None = None,
) -> Receipt:
    """Replace the head by a tombstone without text, then remove what lies beside it.

    A tombstone that is not done is finished: delete again where the receipt is not complete. Where
    it is not deleted alone, the caller clears the list cache and the memories of all afterwards.

    Raises:
        NotFoundError: there is nothing to delete.
        CorruptRecordError: its file cannot be read; it is left as it is.
        UnavailableError: no clear answer within ten seconds; delete again.
    """
    conversation_id = valid_id(conversation_id, field="conversation_id")
    key = head_key(scope, conversation_id)
    heads.drop(key)
    patience = Patience(clock=clock, entropy=entropy)
    own = deletion(write_id(entropy.token(WRITE_ID_BYTES)))
    unclear: UnclearWrite | None = None
    turns = 0
    while True:
        try:
            found = read_record(store=store, scope=scope, conversation_id=conversation_id)
            if found is not None and _is_deleted(found, own, unclear):
                break
            if found is None or found.record.head.deleted is not None:
                if not is_alone:
                    raise NotFoundError("there is no such conversation")
                # Memories may come from it all the same: imported, or written late.
                cache = memories or MemoryCache()
                cascade = SourceCascade(
                    store, derived, clock, entropy, scope, conversation_id, cache=cache
                )
                return erase_unknown(cascade, patience)
            live = found
            turns = live.record.head.turn_count
            tombstone, ring = entomb(live.base.head, live.ring, own, now_ns=clock.now_ns())
            patience.check(doing="delete")
            try:
                store.put(key, tombstone.encode(), expect=live.etag, meta=ring.meta)
            except OutcomeUnknownError:
                unclear = unclear_write(live.base)
                raise
            break
        except RETRIED as error:
            patience.wait(doing="delete", cause=error)
    return finish_deletion(
        store=store,
        derived=derived,
        clock=clock,
        entropy=entropy,
        patience=patience,
        scope=scope,
        conversation_id=conversation_id,
        turns=turns,
        is_alone=is_alone,
        memories=memories,
    )


def _is_deleted(found: StoredRecord, own: RingEntry, unclear: UnclearWrite | None) -> bool:
    """Say whether it was deleted, by us or not, and something may be left to do.

    By us also where the id lives again: its second life is not ours to delete.
    """
    deleted = found.record.head.deleted is not None
    if deleted and not found.record.head.is_done:
        return True
    return edit_has_happened(own.write_id, unclear, found.ring)
