"""Pop the newest turn of a conversation, and lower its watermark to match.

The next append takes the number of the popped turn. That turn is new, even if its text is the
same. Without a lower watermark, a reader that counts alone would take it for read.
"""

from dataclasses import dataclass, replace

from everturn.conversations.ambiguous_write import UnclearWrite, edit_has_happened, unclear_write
from everturn.conversations.head_cache import HeadCache
from everturn.conversations.model.encoded_turns import join_run, split_run
from everturn.conversations.model.head import Head, Record, readable
from everturn.conversations.model.segment_refs import Sealed, SegmentRef
from everturn.conversations.model.summary import title_of
from everturn.conversations.model.turn import Turn, readable_turn
from everturn.conversations.model.write_ring import (
    WRITE_ID_BYTES,
    RingEntry,
    hash_of_turns,
    write_id,
)
from everturn.conversations.read_record import StoredRecord, read_live_record
from everturn.conversations.read_segments import read_named
from everturn.conversations.read_watermark import read_watermark
from everturn.conversations.segments import drop_segments, find_title
from everturn.deletion.drop_stale_segments import drop_popped, erase_staged
from everturn.errors import (
    ConflictError,
    InvalidRequestError,
    OutcomeUnknownError,
    StoreError,
    UnavailableError,
)
from everturn.listing.cache_files import forget_rows
from everturn.memory.index.record_cache import MemoryCache
from everturn.memory.retract_source import erase_source
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import ABSENT, ObjectStore
from everturn.recall.index.drop_chunks import drop_rows
from everturn.storage.swap import RETRIED, Patience
from everturn.values.go_json import JsonValue
from everturn.values.keys import Scope, head_key, valid_id, watermark_key


@dataclass(frozen=True, slots=True)
class PopOutcome:
    """The turn that was taken back, None if it was one of another program that cannot be read.

    `complete` says that its text is in no file of ours any more, and that no memory has it alone
    for its source.
    """

    conversation_id: str
    turn: Turn | None
    turn_count: int
    updated_ns: int
    complete: bool


@dataclass(frozen=True, slots=True)
class _Popped:
    """A head without its newest turn, and the segment that it took back to have any."""

    head: Head
    value: JsonValue
    edits: int
    unsealed: SegmentRef | None


def pop_turn(
    *,
    store: ObjectStore,
    derived: ObjectStore,
    heads: HeadCache,
    clock: Clock,
    entropy: Entropy,
    scope: Scope,
    conversation_id: str,
    expected: int,
    memories: MemoryCache | None = None,
) -> PopOutcome:
    """Take back the newest turn if the turn count is `expected`.

    Six requests, the last of which look for a watermark, for what is staged and for memories that
    it said, and those that take its row out of the list. The next append takes the number again. A
    head that would be left without turns of its own takes its newest segment back.

    Raises:
        InvalidRequestError: the id is wrong, or `expected` is below 1.
        NotFoundError: the conversation is unknown or was deleted.
        ConflictError: the turn count is not `expected`.
        CorruptRecordError: its file cannot be read.
        UnavailableError: no clear answer within ten seconds; read the turn count again.
    """
    conversation_id = valid_id(conversation_id, field="conversation_id")
    if expected < 1:
        raise InvalidRequestError("a turn to pop is expected", field="expected_turn_count")
    key = head_key(scope, conversation_id)
    own = RingEntry(write_id(entropy.token(WRITE_ID_BYTES)), hash_of_turns(b""), expected - 1)
    # One time for all attempts, so that those on one head are alike, whichever of them lands.
    now_ns = clock.now_ns()
    patience = Patience(clock=clock, entropy=entropy)
    popped: _Popped | None = None
    unclear: UnclearWrite | None = None
    old: set[str] = set()
    while True:
        try:
            found = read_live_record(store=store, scope=scope, conversation_id=conversation_id)
            if popped is None or not edit_has_happened(own.write_id, unclear, found.ring):
                popped = _pop(found, expected, now_ns, store=store, scope=scope)
                old |= {popped.unsealed.name} if popped.unsealed else set()
                ring = found.ring.edited().with_entry(own)
                patience.check(doing="pop")
                try:
                    store.put(key, popped.head.encode(), expect=found.etag, meta=ring.meta)
                except OutcomeUnknownError:
                    unclear = unclear_write(found.base)
                    raise
        except RETRIED as error:
            patience.wait(doing="pop", cause=error)
        else:
            heads.drop(key)
            return _finish(
                popped,
                old,
                store=store,
                derived=derived,
                clock=clock,
                entropy=entropy,
                patience=patience,
                scope=scope,
                memories=memories,
            )


def _pop(
    found: StoredRecord, expected: int, now_ns: int, *, store: ObjectStore, scope: Scope
) -> _Popped:
    head = found.base.head
    if head.turn_count != expected:
        raise ConflictError(
            f"the turn count differs expected={expected} actual={head.turn_count}",
            field="expected_turn_count",
        )
    turns, sealed, unsealed = split_run(head.turns_json), head.sealed, None
    if sealed is not None and len(turns) <= 1:
        unsealed = sealed.segments[-1]
        segment = read_named(found, unsealed.name, store=store, scope=scope)
        turns = [*split_run(segment.head.turns_json), *turns]
        sealed = _without_last(sealed, segment, store=store, scope=scope)
    left = replace(
        head,
        turns_json=join_run(turns[:-1]),
        turn_count=expected - 1,
        sealed=sealed,
        updated_ns=max(now_ns, head.updated_ns + 1),
    )
    return _Popped(left, turns[-1].value, found.ring.edits + 1, unsealed)


def _without_last(
    sealed: Sealed, segment: Record, *, store: ObjectStore, scope: Scope
) -> Sealed | None:
    """Return what stays sealed without the last segment; a title that it gave goes with it."""
    kept, title = sealed.segments[:-1], sealed.title
    if not kept:
        return None
    if title and title == title_of(readable(sealed.segments[-1].first, segment.values)):
        id_ = segment.head.conversation_id
        title = find_title(kept, {}, store=store, scope=scope, conversation_id=id_)
    return Sealed(kept, title)


def _finish(
    popped: _Popped,
    old: set[str],
    *,
    store: ObjectStore,
    derived: ObjectStore,
    clock: Clock,
    entropy: Entropy,
    patience: Patience,
    scope: Scope,
    memories: MemoryCache | None,
) -> PopOutcome:
    head = popped.head
    id_, number = head.conversation_id, head.turn_count
    # An attempt that did not happen may have meant to take a segment that still counts.
    dead = old - (head.sealed.names if head.sealed else frozenset())
    gone = drop_segments(dead, store=store, scope=scope, conversation_id=id_)
    # The segments of appends that lost their race may hold the turn as well.
    gone &= drop_popped(
        number, popped.value, popped.edits, store=store, scope=scope, conversation_id=id_
    )
    gone &= drop_rows(number, derived=derived, scope=scope, conversation_id=id_)
    gone &= forget_rows(derived=derived, scope=scope, keys=[head_key(scope, id_)])
    gone &= lower_watermark(
        store=store, patience=patience, scope=scope, conversation_id=id_, turns=number
    )
    gone &= erase_staged(store=store, patience=patience, scope=scope, conversation_id=id_)
    erased = erase_source(
        store=store,
        derived=derived,
        clock=clock,
        entropy=entropy,
        patience=patience,
        scope=scope,
        conversation_id=id_,
        number=number,
        memories=memories,
    )
    return PopOutcome(
        id_,
        readable_turn(number, popped.value),
        head.turn_count,
        head.updated_ns,
        complete=gone and erased.complete,
    )


def lower_watermark(
    *, store: ObjectStore, patience: Patience, scope: Scope, conversation_id: str, turns: int
) -> bool:
    """Lower the watermark of a conversation to so many turns; whether it is so for certain.

    One request, and a write where it is above.
    """
    while True:
        try:
            _lower(store, scope, conversation_id, turns)
        except RETRIED as error:
            try:
                patience.wait(doing="pop", cause=error)
            except UnavailableError:
                return False
        except StoreError:
            return False
        else:
            return True


def _lower(store: ObjectStore, scope: Scope, conversation_id: str, turns: int) -> None:
    key = watermark_key(scope, conversation_id)
    known = read_watermark(store=store, key=key, conversation_id=conversation_id)
    lowered = known.mark.lowered(turns)
    if lowered != known.mark:
        store.put(key, lowered.encode(), expect=known.etag or ABSENT)
