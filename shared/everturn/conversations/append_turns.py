"""Append turns to a conversation: one conditional write, nothing lost, nothing doubled.

An attempt builds on a head and writes only if that head is still there. An attempt without a clear
answer is read back before anything is decided. It happened if its write id is in the head's ring.
If sixty others came after it, it happened if its turns are exactly where it would have put them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from everturn.conversations.ambiguous_write import UnclearWrite, find_by_place, unclear_write
from everturn.conversations.head_cache import Base, HeadCache
from everturn.conversations.model.head import Head
from everturn.conversations.model.turn import EncodedTurns, TurnDraft, encode_turns
from everturn.conversations.model.write_ring import (
    WRITE_ID_BYTES,
    RingEntry,
    WriteRing,
    hash_of_turns,
    write_id,
    write_id_of_key,
)
from everturn.conversations.read_record import StoredRecord, read_record
from everturn.conversations.segments import SealTrail, drop_unnamed, seal_head
from everturn.errors import (
    AccessDeniedError,
    ConflictError,
    ConversationGoneError,
    InvalidRequestError,
    NotFoundError,
    OutcomeUnknownError,
    PreconditionFailedError,
)
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import ABSENT, ObjectStore
from everturn.storage.swap import RETRIED, Patience
from everturn.values.keys import Scope, head_key, valid_id


@dataclass(frozen=True, slots=True)
class AppendOutcome:
    """Where the turns stand, and the conversation as it is now.

    `turn_count` and `updated_ns` are the conversation's: after a replay others may have appended.
    """

    conversation_id: str
    first_turn: int
    appended: int
    ignored: int
    clamped: int
    turn_count: int
    updated_ns: int
    replayed: bool
    attempts: int
    recovered: bool
    """Whether an attempt of this call that got no clear answer turned out to have happened."""
    sealed: int
    """How many segments this call wrote, and the conversation names."""


@dataclass(slots=True)
class AppendCall:
    """One call, with the base that it tries to build on left out: that changes."""

    conversation_id: str
    key: str
    turns: EncodedTurns
    write_id: str
    expected: int | None
    must_exist: bool
    seen: bool = False
    """Whether a head with turns was there: where it is missing now, it was removed."""
    is_deleted: bool = False
    """Whether a tombstone, or a life after one, was there in the place of the conversation."""
    refused: bool = False
    """Whether the last attempt was refused for certain: then there is an object."""
    attempts: int = 0
    unclear: list[UnclearWrite] = field(default_factory=list)
    trail: SealTrail = field(default_factory=SealTrail)

    def see(self, head: Head) -> None:
        """Remember a head; one without turns may be swept at any time and is made anew."""
        self.seen = self.seen or head.turn_count > 0


def read_head(call: AppendCall, *, store: ObjectStore, scope: Scope) -> StoredRecord | None:
    """Read the head that an attempt can build on; None if there is none.

    Raises:
        AccessDeniedError: it may not be read, and it is there.
        CorruptRecordError, UnavailableError: as `read_record`.
    """
    try:
        return read_record(store=store, scope=scope, conversation_id=call.conversation_id)
    except AccessDeniedError:
        # Without permission to list, an absent key looks like a forbidden one. A put that expects
        # absence tells them apart; if one was refused already, the refusal stands.
        if call.seen or call.refused:
            raise
        return None


def settle(
    call: AppendCall, found: StoredRecord | None, *, store: ObjectStore, scope: Scope
) -> AppendOutcome | None:
    """Return the answer that needs no write, or None where the turns have yet to be written.

    Raises:
        NotFoundError, ConflictError, ConversationGoneError, InvalidRequestError: as `append_turns`.
        UnavailableError: nobody can tell any more whether an attempt happened.
        GoneError: a segment went while it was read.
    """
    if found is None:
        if call.seen:
            raise ConversationGoneError("the conversation was deleted")
        if call.must_exist:
            raise NotFoundError("there is no such conversation")
        head, first_turn = Head(call.conversation_id), None
    else:
        call.see(found.record.head)
        head = found.record.head
        if head.deleted is not None:
            call.is_deleted = True
            raise ConversationGoneError("the conversation was deleted")
        first_turn = _own_first_turn(call, found, store=store, scope=scope)
    if first_turn is not None:
        recovered = bool(call.unclear)
        return outcome_of(call, head, first_turn, replayed=not recovered, recovered=recovered)
    if call.expected not in {None, head.turn_count}:
        raise ConflictError(
            f"the turn count differs expected={call.expected} actual={head.turn_count}",
            field="expected_turn_count",
        )
    return None if call.turns.encoded else outcome_of(call, head, head.turn_count)


def _own_first_turn(
    call: AppendCall, found: StoredRecord, *, store: ObjectStore, scope: Scope
) -> int | None:
    """Return where this call's turns stand already, or None.

    Raises:
        InvalidRequestError: the idempotency key came before with other turns.
        ConversationGoneError: they were deleted with their conversation.
        UnavailableError: nobody can tell any more.
    """
    entry = found.ring.find(call.write_id)
    if entry is None:
        encoded = call.turns.encoded
        return find_by_place(call.unclear, encoded, found, store=store, scope=scope)
    if not entry.is_former:
        if entry.turns_hash != hash_of_turns(call.turns.as_sent):
            raise InvalidRequestError(
                "this idempotency key came before with other turns", field="Idempotency-Key"
            )
        return entry.first_turn
    if any(attempt.edits != found.ring.edits for attempt in call.unclear):
        # An attempt of this call was deleted, and the id created anew: it must not come back.
        call.is_deleted = True
        raise ConversationGoneError("the conversation was deleted")
    return None


def outcome_of(
    call: AppendCall,
    head: Head,
    first_turn: int,
    *,
    replayed: bool = False,
    recovered: bool = False,
) -> AppendOutcome:
    """Return the answer of a call whose turns stand from `first_turn` on."""
    named = head.sealed.names if head.sealed else frozenset()
    written = set(call.trail.put)
    return AppendOutcome(
        call.conversation_id, first_turn,
        len(call.turns.encoded), call.turns.ignored, call.turns.clamped,
        head.turn_count, head.updated_ns, replayed, call.attempts, recovered, len(named & written),
    )  # fmt: skip


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
