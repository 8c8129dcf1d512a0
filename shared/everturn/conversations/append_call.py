"""One append under way: what is fixed, what trying has taught, and when it is settled."""

from dataclasses import dataclass, field

from everturn.conversations.ambiguous_write import UnclearWrite, find_by_place
from everturn.conversations.model.head import Head
from everturn.conversations.model.turn import EncodedTurns
from everturn.conversations.model.write_ring import hash_of_turns
from everturn.conversations.read_record import StoredRecord, read_record
from everturn.conversations.seal_head import SealTrail
from everturn.errors import (
    AccessDeniedError,
    ConflictError,
    ConversationGoneError,
    InvalidRequestError,
    NotFoundError,
)
from everturn.ports.object_store import ObjectStore
from everturn.values.keys import Scope


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
