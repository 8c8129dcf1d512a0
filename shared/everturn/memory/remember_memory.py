"""Remember a statement or a pattern: created once, reinforced by each further source.

The same statement has the same id. However many writers race, one creates it and the others
reinforce it.

The source conversation is checked before a memory is written and again after it. The check tells
whether the conversation exists, and whether its turns have text. A concurrent delete or redaction
is seen by the second check, or it sees the memory.
"""

from dataclasses import dataclass, replace
from typing import Final

from everturn.conversations.model.encoded_turns import is_redacted
from everturn.conversations.model.turn_identity import time_of_turn
from everturn.conversations.read_record import StoredRecord, read_record
from everturn.conversations.read_segments import turns_at
from everturn.errors import (
    ConversationGoneError,
    CorruptRecordError,
    GoneError,
    InvalidRequestError,
    UnavailableError,
)
from everturn.memory.model.draft import MemoryDraft, SourceDraft, new_memory, new_source
from everturn.memory.model.memory import Memory
from everturn.memory.model.source import Source
from everturn.memory.retract_source import erase_source
from everturn.memory.writer import Change, MemoryWriter
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import ObjectStore
from everturn.values.keys import Scope

# A source names a few turns; of more the last ones are looked at.
_MAX_TURNS: Final = 64


@dataclass(frozen=True, slots=True)
class SourceLook:
    """What is known of a source: when its last turn was said, and which of its turns say nothing.

    `dead` are the numbers of turns that are redacted, or not there while their conversation is. One
    that never was is no fault: memories are imported from elsewhere.
    """

    at_ns: int | None = None
    dead: tuple[int, ...] = ()
    fault: InvalidRequestError | None = None
    """What is wrong with a source that has dead turns."""

    def refuse_dead(self) -> None:
        """Let through a source whose turns all say something.

        Raises:
            InvalidRequestError: its conversation has fewer turns, or one of them was redacted.
        """
        if self.fault is not None:
            raise self.fault


def look_at_source(draft: SourceDraft, *, store: ObjectStore, scope: Scope) -> SourceLook:
    """Look at a source: one request where it names a conversation, and its segment if need be.

    Raises:
        ConversationGoneError: its conversation was deleted.
        UnavailableError: the store does not answer.
    """
    id_ = draft.conversation_id
    if id_ is None:
        return SourceLook()
    try:
        found = read_record(store=store, scope=scope, conversation_id=id_)
        if found is None:
            return SourceLook()
        if found.record.head.deleted is not None:
            raise ConversationGoneError("the conversation of this memory was deleted")
        return _looked(found, draft, store=store, scope=scope)
    except CorruptRecordError:
        # For an operator to look at; the memory may be all that is left of it.
        return SourceLook()
    except GoneError as error:
        raise UnavailableError("the conversation changes, send it again") from error


def _looked(
    found: StoredRecord, draft: SourceDraft, *, store: ObjectStore, scope: Scope
) -> SourceLook:
    last = draft.first_turn if draft.last_turn is None else draft.last_turn
    if last is None:
        return SourceLook()
    first = max(last if draft.first_turn is None else draft.first_turn, last + 1 - _MAX_TURNS)
    values = turns_at(found, store=store, scope=scope, first=first, count=last + 1 - first)
    missing = tuple(range(max(first, found.record.head.turn_count), last + 1))
    redacted = tuple(number for number, value in enumerate(values, first) if is_redacted(value))
    fault = None
    if redacted:
        fault = InvalidRequestError("a redacted turn says nothing", field="source.from")
    if missing:
        fault = InvalidRequestError("the conversation has no such turn", field="source.to")
    return SourceLook(time_of_turn(values[-1]) if values else None, (*redacted, *missing), fault)


@dataclass(frozen=True, slots=True)
class Remembered:
    """The memory as it is now; whether it was not there before.

    None for one that the user had forgotten, where that was not asked for by himself.
    """

    memory: Memory | None
    created: bool


def remember(
    *,
    store: ObjectStore,
    derived: ObjectStore,
    clock: Clock,
    entropy: Entropy,
    scope: Scope,
    draft: MemoryDraft,
    source: SourceDraft,
    explicit: bool = True,
) -> Remembered:
    """Store a memory, or count one more source of it: two requests, two more for a conversation.

    A source that said it before counts once, whenever it comes again. What a turn says was said
    when the turn was.

    Args:
        store: where memories lie.
        derived: where their index lies.
        clock: the time at which it was said, if the source has none.
        entropy: write ids and waits.
        scope: whose memory.
        draft: what was said.
        source: where it was said.
        explicit: whether it was asked for: that alone brings back what was forgotten, and alone
            makes a constraint hard.

    Raises:
        InvalidRequestError: a field is wrong, or a turn of the source is not there or redacted.
        ConversationGoneError: its conversation was deleted, and what it said with it.
        CorruptRecordError: what is stored under its id cannot be read.
        UnavailableError: no clear answer within ten seconds; send the same request again.
    """
    now_ns = clock.now_ns()
    new = new_memory(draft)
    new = replace(new, hard=new.hard and explicit)
    # What is wrong is refused before any request.
    new_source(source, new, now_ns=now_ns)
    writer = MemoryWriter(store, clock, entropy, scope)
    look = _look(source, writer=writer, derived=derived)
    look.refuse_dead()
    said_ns = now_ns if look.at_ns is None else min(look.at_ns, now_ns)
    said = new_source(source, new, now_ns=said_ns)
    change = saying(new, said, key=source.key_ref, importance=draft.importance, explicit=explicit)
    changed = writer.change(new.rid, change, doing="remember")
    after = _look(source, writer=writer, derived=derived)
    for number in after.dead:
        # Taken back since the first look: what looked for its memories may have missed this one.
        _take_back(source, number, writer=writer, derived=derived)
    after.refuse_dead()
    memory = changed.memory
    return Remembered(None if memory is None or memory.is_forgotten else memory, changed.created)


def saying(
    new: Memory,
    said: Source,
    *,
    key: str = "",
    importance: int | None = None,
    explicit: bool = False,
) -> Change:
    """Return the change of a memory that a source says; applied again it changes nothing.

    Args:
        new: the memory if nobody said it before.
        said: the source.
        key: stands for the key of its request.
        importance: what it is from now on, if that was asked for.
        explicit: whether it was asked for: that alone brings back what was forgotten.
    """

    def change(memory: Memory | None) -> Memory:
        if memory is None or memory.is_gone:
            return new.with_source(said)
        if key in memory.keys:
            # The same request sent again must not say it later than it did, nor bring it back.
            return memory
        if memory.is_forgotten:
            back = replace(new, replaces=memory.replaces).with_source(said)
            return back if explicit else memory
        return memory.reinforced(new, said, importance)

    return change


def _look(source: SourceDraft, *, writer: MemoryWriter, derived: ObjectStore) -> SourceLook:
    """Look at a source; where it was deleted, take back what it said.

    The delete looked for that before it was there, or a call wrote it and crashed.

    Raises:
        ConversationGoneError: as `look_at_source`.
        UnavailableError: something may be left; send the same request again.
    """
    try:
        return look_at_source(source, store=writer.store, scope=writer.scope)
    except ConversationGoneError:
        _take_back(source, None, writer=writer, derived=derived)
        raise


def _take_back(
    source: SourceDraft, number: int | None, *, writer: MemoryWriter, derived: ObjectStore
) -> None:
    erased = erase_source(
        store=writer.store,
        derived=derived,
        clock=writer.clock,
        entropy=writer.entropy,
        scope=writer.scope,
        conversation_id=source.conversation_id or "",
        number=number,
    )
    if not erased.complete:
        raise UnavailableError("what was taken back meanwhile is not all gone, send it again")
