"""Append turns to a conversation: one conditional write, nothing lost, nothing doubled.

Not here: what a turn is (domain/turn.py). Sealing the oldest turns will go into `_put`.

An attempt builds on a head and writes only if that head is still there. What got no clear answer is
read back before anything is decided: the write id in the head's ring, or, where sixty others came
after it, our turns at exactly the place where the attempt would have put them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from everturn.domain.go_json import dumps
from everturn.domain.head import Head
from everturn.domain.keys import Scope, head_key, valid_id
from everturn.domain.turn import EncodedTurns, TurnDraft, encode_turns
from everturn.domain.write_ring import (
    WRITE_ID_BYTES,
    RingEntry,
    WriteRing,
    hash_of_turns,
    write_id,
    write_id_of_key,
)
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
from everturn.services.head_cache import Base, HeadCache
from everturn.services.read_record import StoredRecord, read_record
from everturn.services.retrying import RETRIED, Patience


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


@dataclass(slots=True)
class _Call:
    """One call: what is fixed, and what has been learned by trying."""

    conversation_id: str
    key: str
    turns: EncodedTurns
    write_id: str
    expected: int | None
    must_exist: bool
    seen: bool = False
    refused: bool = False
    """Whether the last attempt was refused for certain: then there is an object."""
    attempts: int = 0
    unclear_at: list[int] = field(default_factory=list)
    """Turn counts of the heads on which attempts without a clear answer were built."""


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
    call = _Call(
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
                found = _read(call, store=store, scope=scope)
                settled = _settle(call, found)
                if settled is not None:
                    return settled
                base = found.base if found else Base(Head(conversation_id), WriteRing(), ABSENT)
            patience.check(doing="append")
            base = _put(call, base, store=store, clock=clock)
        except RETRIED as error:
            heads.drop(call.key)
            patience.wait(doing="append", cause=error)
            base = None
        else:
            heads.keep(call.key, base)
            return _outcome(call, base.head, base.head.turn_count - len(call.turns.encoded))


def _write_id(scope: Scope, conversation_id: str, key: str | None, entropy: Entropy) -> str:
    if key is None:
        return write_id(entropy.token(WRITE_ID_BYTES))
    return write_id_of_key(scope, conversation_id, valid_id(key, field="Idempotency-Key"))


def _warm_base(call: _Call, heads: HeadCache) -> Base | None:
    """Return a head known to this process, unless the call needs to see the store's own."""
    base = heads.get(call.key)
    if base is None or not call.turns.encoded or base.ring.find(call.write_id) is not None:
        return None
    if call.expected not in {None, base.head.turn_count}:
        return None
    call.seen = True
    return base


def _read(call: _Call, *, store: ObjectStore, scope: Scope) -> StoredRecord | None:
    try:
        return read_record(store=store, scope=scope, conversation_id=call.conversation_id)
    except AccessDeniedError:
        # Without permission to list, an absent key looks like a forbidden one. A put that expects
        # absence tells them apart; if one was refused already, the refusal stands.
        if call.seen or call.refused:
            raise
        return None


def _settle(call: _Call, found: StoredRecord | None) -> AppendOutcome | None:
    """Return the answer that needs no write, or None where the turns have yet to be written."""
    if found is None:
        if call.seen:
            raise ConversationGoneError("the conversation was deleted")
        if call.must_exist:
            raise NotFoundError("there is no such conversation")
        head, first_turn = Head(call.conversation_id), None
    else:
        call.seen = True
        head = found.record.head
        if head.deleted is not None:
            raise ConversationGoneError("the conversation was deleted")
        first_turn = _own_first_turn(call, found)
    if first_turn is not None:
        return _outcome(call, head, first_turn, replayed=not call.unclear_at)
    if call.expected not in {None, head.turn_count}:
        raise ConflictError(
            f"the turn count differs expected={call.expected} actual={head.turn_count}",
            field="expected_turn_count",
        )
    return None if call.turns.encoded else _outcome(call, head, head.turn_count)


def _own_first_turn(call: _Call, found: StoredRecord) -> int | None:
    """Return where this call's turns stand already, or None.

    Searched only where an attempt would have put them: equal turns are legal.

    Raises:
        InvalidRequestError: the idempotency key came before with other turns.
        ConversationGoneError: they were deleted with their conversation.
    """
    entry = found.ring.find(call.write_id)
    if entry is not None and entry.is_former and call.unclear_at:
        # An attempt of this call was deleted, and the id created anew: it must not come back.
        raise ConversationGoneError("the conversation was deleted")
    if entry is not None and not entry.is_former:
        if entry.turns_hash != hash_of_turns(call.turns.as_sent):
            raise InvalidRequestError(
                "this idempotency key came before with other turns", field="Idempotency-Key"
            )
        return entry.first_turn
    # As far as the ring reaches, it knows who wrote: there an equal turn is another writer's.
    for first in (place for place in call.unclear_at if not found.ring.reaches(place)):
        there = found.record.values[first : first + len(call.turns.encoded)]
        if tuple(dumps(value).encode() for value in there) == call.turns.encoded:
            return first
    return None


def _put(call: _Call, base: Base, *, store: ObjectStore, clock: Clock) -> Base:
    """Write the turns behind those of `base`; the new base."""
    updated_ns = max(clock.now_ns(), base.head.updated_ns + 1, call.turns.newest_ns)
    head = base.head.with_turns(call.turns.encoded, updated_ns=updated_ns)
    entry = RingEntry(call.write_id, hash_of_turns(call.turns.as_sent), base.head.turn_count)
    ring = base.ring.with_entry(entry)
    call.attempts += 1
    call.refused = False
    try:
        etag = store.put(call.key, head.encode(), expect=base.etag, meta=ring.meta)
    except OutcomeUnknownError:
        call.unclear_at.append(base.head.turn_count)
        raise
    except PreconditionFailedError:
        call.refused = True
        raise
    return Base(head, ring, etag)


def _outcome(call: _Call, head: Head, first_turn: int, *, replayed: bool = False) -> AppendOutcome:
    return AppendOutcome(
        call.conversation_id, first_turn,
        len(call.turns.encoded), call.turns.ignored, call.turns.clamped,
        head.turn_count, head.updated_ns, replayed, call.attempts,
    )  # fmt: skip
