"""Append turns to a conversation: one conditional write, nothing lost, nothing doubled.

An attempt builds on a head and writes only if that head is still there. What got no clear answer is
read back before anything is decided: the write id in the head's ring, or, where sixty others came
after it, our turns at exactly the place where the attempt would have put them.
"""

from collections.abc import Sequence

from everturn.conversations.ambiguous_write import unclear_write
from everturn.conversations.append_call import (
    AppendCall,
    AppendOutcome,
    outcome_of,
    read_head,
    settle,
)
from everturn.conversations.head_cache import Base, HeadCache
from everturn.conversations.model.head import Head
from everturn.conversations.model.turn import TurnDraft, encode_turns
from everturn.conversations.model.write_ring import (
    WRITE_ID_BYTES,
    RingEntry,
    WriteRing,
    hash_of_turns,
    write_id,
    write_id_of_key,
)
from everturn.conversations.read_record import StoredRecord
from everturn.conversations.seal_head import drop_unnamed, seal_head
from everturn.errors import (
    ConversationGoneError,
    OutcomeUnknownError,
    PreconditionFailedError,
)
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import ABSENT, ObjectStore
from everturn.storage.swap import RETRIED, Patience
from everturn.values.keys import Scope, head_key, valid_id


def append_turns(
    *,
    store: ObjectStore,
    heads: HeadCache,
    clock: Clock,
    entropy: Entropy,
    scope: Scope,
    conversation_id: str,
    turns: Sequence[TurnDraft],
    key: str | None = None,
    expected: int | None = None,
    must_exist: bool = False,
) -> AppendOutcome:
    """Append turns, all or nothing and side by side; creates the conversation if need be.

    One request when this process wrote the conversation last, else two.

    Args:
        store: where heads lie.
        heads: heads that this process knows.
        clock: server time.
        entropy: write ids and waits.
        scope: whose conversation.
        conversation_id: which.
        turns: as sent; blank ones are ignored and counted.
        key: the caller's idempotency key, honoured for 60 appends of this conversation.
        expected: the turn count that the caller has seen.
        must_exist: do not create the conversation.

    Raises:
        InvalidRequestError: a field is wrong, or `key` came before with other turns.
        TooLargeError: a turn is above 1 MiB.
        NotFoundError: `must_exist` and it does not.
        ConflictError: the turn count is not `expected`.
        ConversationGoneError: it was deleted.
        CorruptRecordError: its file cannot be read; it is left as it is.
        UnavailableError: no clear answer within ten seconds; try again with the same key.
    """
    conversation_id = valid_id(conversation_id, field="conversation_id")
    call = AppendCall(
        conversation_id,
        head_key(scope, conversation_id),
        encode_turns(turns, now_ns=clock.now_ns()),
        _write_id(scope, conversation_id, key, entropy),
        expected,
        must_exist,
    )
    patience = Patience(clock=clock, entropy=entropy)
    base = _warm_base(call, heads)
    while True:
        try:
            if base is None:
                found = read_head(call, store=store, scope=scope)
                settled = settle(call, found, store=store, scope=scope)
                if settled is not None:
                    _tidy(call, found, store=store, scope=scope)
                    return settled
                base = found.base if found else Base(Head(conversation_id), WriteRing(), ABSENT)
            patience.check(doing="append")
            base = _put(call, base, store=store, clock=clock, entropy=entropy, scope=scope)
        except RETRIED as error:
            heads.drop(call.key)
            patience.wait(doing="append", cause=error)
            base = None
        except ConversationGoneError:
            if call.is_deleted:
                gone = Head(conversation_id)
                drop_unnamed(call.trail, gone, edits=None, store=store, scope=scope)
            raise
        else:
            heads.keep(call.key, base)
            edits = base.ring.edits
            drop_unnamed(call.trail, base.head, edits=edits, store=store, scope=scope)
            return outcome_of(call, base.head, base.head.turn_count - len(call.turns.encoded))


def _tidy(
    call: AppendCall, found: StoredRecord | None, *, store: ObjectStore, scope: Scope
) -> None:
    # A head that another program wrote may not name segments that count.
    if found is not None and found.ring.text:
        head, edits = found.record.head, found.ring.edits
        drop_unnamed(call.trail, head, edits=edits, store=store, scope=scope)


def _write_id(scope: Scope, conversation_id: str, key: str | None, entropy: Entropy) -> str:
    if key is None:
        return write_id(entropy.token(WRITE_ID_BYTES))
    return write_id_of_key(scope, conversation_id, valid_id(key, field="Idempotency-Key"))


def _warm_base(call: AppendCall, heads: HeadCache) -> Base | None:
    """Return a head known to this process, unless the call needs to see the store's own."""
    base = heads.get(call.key)
    if base is None or not call.turns.encoded or base.ring.find(call.write_id) is not None:
        return None
    if call.expected not in {None, base.head.turn_count}:
        return None
    call.see(base.head)
    return base


def _put(
    call: AppendCall,
    base: Base,
    *,
    store: ObjectStore,
    clock: Clock,
    entropy: Entropy,
    scope: Scope,
) -> Base:
    """Write the turns behind those of `base`, its oldest into segments first; the new base."""
    updated_ns = max(clock.now_ns(), base.head.updated_ns + 1, call.turns.newest_ns)
    head = base.head.with_turns(call.turns.encoded, updated_ns=updated_ns)
    committed = base.head.turn_count
    head = seal_head(
        head,
        call.trail,
        committed=committed,
        edits=base.ring.edits,
        store=store,
        entropy=entropy,
        scope=scope,
    )
    entry = RingEntry(call.write_id, hash_of_turns(call.turns.as_sent), committed)
    ring = base.ring.with_entry(entry)
    call.attempts += 1
    call.refused = False
    try:
        etag = store.put(call.key, head.encode(), expect=base.etag, meta=ring.meta)
    except OutcomeUnknownError:
        call.unclear.append(unclear_write(base))
        raise
    except PreconditionFailedError:
        call.refused = True
        raise
    return Base(head, ring, etag)
