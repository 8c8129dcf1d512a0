"""Redact one turn: what it said goes from the head, from its segment, and from the list."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from everturn.conversations.head_cache import HeadCache
from everturn.conversations.model.encoded_turns import (
    StoredTurn,
    join_run,
    redacted,
    split_run,
    with_replaced,
)
from everturn.conversations.model.head import Head, Record, readable
from everturn.conversations.model.sealing import Segment, follower_of, make_segment
from everturn.conversations.model.segment_refs import Sealed, SegmentRef
from everturn.conversations.model.summary import title_of
from everturn.conversations.model.turn import Turn, readable_turn
from everturn.conversations.model.write_ring import WRITE_ID_BYTES, write_id
from everturn.conversations.read_record import StoredRecord, read_live_record
from everturn.conversations.read_segments import read_named
from everturn.conversations.segments import drop_segments, find_title, put_segments
from everturn.deletion.drop_stale_segments import drop_redacted, erase_staged
from everturn.errors import ConflictError, InvalidRequestError, NotFoundError
from everturn.listing.cache_files import forget_rows
from everturn.memory.index.record_cache import MemoryCache
from everturn.memory.retract_source import erase_source
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import ObjectStore
from everturn.recall.index.drop_chunks import drop_rows
from everturn.storage.swap import RETRIED, Patience
from everturn.values.keys import Scope, head_key, valid_id

_MAX_TEXT_CHARS = 1_000


@dataclass(frozen=True, slots=True)
class RedactOutcome:
    """The turn as it reads now; None where another program's turn was and is none that can be read.

    `complete` says that its old text is in no file of ours any more, and that no memory has it
    alone for its source; redact it again where that is not so.
    """

    conversation_id: str
    turn: Turn | None
    turn_count: int
    updated_ns: int
    complete: bool


@dataclass(frozen=True, slots=True)
class _Change:
    """A head to write after its new segment, if it needs one, and the segment that then goes."""

    head: Head
    turn: StoredTurn
    segments: tuple[Segment, ...] = ()
    replaced: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Done:
    """What was written, the segments that tries meant to replace, and the edits so far."""

    change: _Change
    number: int
    old: frozenset[str]
    edits: int


def redact_turn(
    *,
    store: ObjectStore,
    derived: ObjectStore,
    heads: HeadCache,
    clock: Clock,
    entropy: Entropy,
    scope: Scope,
    conversation_id: str,
    number: int,
    text: str = "",
    memories: MemoryCache | None = None,
) -> RedactOutcome:
    """Replace what a turn said by `text`; one that says so already is left as it is.

    Five requests where the turn stands in the head, some nine where it is sealed: its segment is
    written anew, then the head, then the old segment goes, and any other that holds the old text.
    The last of them look for what is staged and for memories that it said. Two more take its row
    out of the list.

    Raises:
        InvalidRequestError: the id is wrong, or `text` is above 1,000 characters.
        NotFoundError: there is no such conversation or turn.
        ConflictError: the turn was popped meanwhile, and another has its number.
        CorruptRecordError: its file cannot be read.
        UnavailableError: no clear answer within ten seconds; redact it again.
    """
    conversation_id = valid_id(conversation_id, field="conversation_id")
    if len(text) > _MAX_TEXT_CHARS:
        raise InvalidRequestError(f"at most {_MAX_TEXT_CHARS} characters", field="text")
    key = head_key(scope, conversation_id)
    patience = Patience(clock=clock, entropy=entropy)
    target: StoredTurn | None = None
    old: frozenset[str] = frozenset()
    while True:
        try:
            found = read_live_record(store=store, scope=scope, conversation_id=conversation_id)
            own = write_id(entropy.token(WRITE_ID_BYTES))
            change = _change(found, number, text, own, store=store, scope=scope)
            target = _same(target, change.turn)
            ring, old = found.ring, old | change.replaced
            if change.head != found.record.head:
                put_segments(
                    change.segments, store=store, scope=scope, conversation_id=conversation_id
                )
                patience.check(doing="redact")
                head = replace(change.head, updated_ns=found.base.head.updated_ns + 1)
                change = replace(change, head=head)
                ring = ring.edited()
                store.put(key, head.encode(), expect=found.etag, meta=ring.meta)
        except RETRIED as error:
            patience.wait(doing="redact", cause=error)
        else:
            heads.drop(key)
            done = _Done(change, number, old, ring.edits)
            return _finish(
                done,
                store=store,
                derived=derived,
                clock=clock,
                entropy=entropy,
                patience=patience,
                scope=scope,
                memories=memories,
            )


def _same(target: StoredTurn | None, turn: StoredTurn) -> StoredTurn:
    """Return the turn that is meant: the one that the first try found."""
    if target is not None and target != turn:
        raise ConflictError("another turn has this number now", field="n")
    return turn


def _change(
    found: StoredRecord, number: int, text: str, own: str, *, store: ObjectStore, scope: Scope
) -> _Change:
    head = found.record.head
    if not 0 <= number < head.turn_count:
        raise NotFoundError("there is no such turn")
    if head.sealed is None or number >= head.first_turn:
        turns, turn = _redacted(head.turns_json, number - head.first_turn, text)
        return _Change(replace(head, turns_json=join_run(turns)), turn)
    ref = head.sealed.holding(number, number)[0]
    segment = read_named(found, ref.name, store=store, scope=scope)
    turns, turn = _redacted(segment.head.turns_json, number - ref.first, text)
    if join_run(turns) == segment.head.turns_json:
        return _Change(head, turn)
    new = make_segment(head, ref.first, turns, follower_of(segment), own)
    title = _title(head.sealed, ref, segment, turns, store=store, scope=scope)
    sealed = head.sealed.with_replaced(ref, new.ref, title=title)
    return _Change(replace(head, sealed=sealed), turn, (new,), frozenset([ref.name]))


def _redacted(turns_json: bytes, at: int, text: str) -> tuple[list[StoredTurn], StoredTurn]:
    turns = split_run(turns_json)
    turn = redacted(turns[at].value, text=text)
    if turn.value == turns[at].value:
        return turns, turn
    return with_replaced(turns, at, turn), turn


def _title(
    sealed: Sealed,
    ref: SegmentRef,
    old: Record,
    turns: Sequence[StoredTurn],
    *,
    store: ObjectStore,
    scope: Scope,
) -> str:
    """Return the title of the sealed turns: made anew if this segment may have given it."""
    values = [turn.value for turn in turns]
    if title_of(readable(ref.first, old.values)) == title_of(readable(ref.first, values)):
        return sealed.title
    return find_title(
        sealed.segments,
        {ref.name: values},
        store=store,
        scope=scope,
        conversation_id=old.head.conversation_id,
    )


def _finish(
    done: _Done,
    *,
    store: ObjectStore,
    derived: ObjectStore,
    clock: Clock,
    entropy: Entropy,
    patience: Patience,
    scope: Scope,
    memories: MemoryCache | None,
) -> RedactOutcome:
    change, number = done.change, done.number
    head = change.head
    id_ = head.conversation_id
    dead = done.old - (head.sealed.names if head.sealed else frozenset())
    gone = drop_segments(dead, store=store, scope=scope, conversation_id=id_)
    gone &= drop_redacted(
        number, change.turn.value, done.edits, store=store, scope=scope, conversation_id=id_
    )
    gone &= drop_rows(number, derived=derived, scope=scope, conversation_id=id_)
    gone &= forget_rows(derived=derived, scope=scope, keys=[head_key(scope, id_)])
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
    return RedactOutcome(
        id_,
        readable_turn(number, change.turn.value),
        head.turn_count,
        head.updated_ns,
        complete=gone and erased.complete,
    )
