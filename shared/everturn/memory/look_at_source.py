"""Look at the conversation that a memory is to come from: whether it is there, and says anything.

Looked at before a memory is written and again after: whoever deletes or redacts at the same time
either is seen, or sees the memory.
"""

from dataclasses import dataclass
from typing import Final

from everturn.conversations.model.redaction import is_redacted
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
from everturn.memory.model.draft import SourceDraft
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
