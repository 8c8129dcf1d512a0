"""Put a conversation file where its head belongs, byte for byte."""

from dataclasses import dataclass
from typing import Literal

from everturn.conversations.model.head import Record, parse_record
from everturn.conversations.model.write_ring import WriteRing
from everturn.conversations.read_record import StoredRecord, read_record
from everturn.conversations.read_segments import turns_at
from everturn.errors import ConflictError, GoneError, InvalidRequestError, UnavailableError
from everturn.ports.object_store import ABSENT, ObjectStore
from everturn.storage.swap import RETRIED
from everturn.values.keys import Scope, head_key, valid_id


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """Which conversation, how many turns the file has, and whether it was put there just now."""

    conversation_id: str
    turn_count: int
    status: Literal["imported", "already there"]


def import_record(*, store: ObjectStore, scope: Scope, body: bytes, name: str) -> ImportOutcome:
    """Store a conversation file verbatim; the same file twice is stored once.

    Args:
        store: where heads lie.
        scope: whose conversation it becomes.
        body: the file.
        name: what the error calls the file.

    Raises:
        CorruptRecordError: it is no conversation file.
        ConflictError: the conversation exists, and its turns do not begin with the file's.
        InvalidRequestError: its id cannot be one, or most of its turns lie in other files.
        UnavailableError: no clear answer; import it again.
    """
    record = parse_record(body, name=name)
    conversation_id = valid_id(record.head.conversation_id, field="conversation_id")
    if record.head.sealed or record.head.deleted is not None:
        raise InvalidRequestError("this is no whole conversation, take the file of an export")
    key = head_key(scope, conversation_id)
    try:
        store.put(key, body, expect=ABSENT, meta=WriteRing().meta)
        status: Literal["imported", "already there"] = "imported"
    except RETRIED as error:
        try:
            found = read_record(store=store, scope=scope, conversation_id=conversation_id)
            held = found is not None and _holds(found, record, store=store, scope=scope)
        except GoneError as gone:
            raise UnavailableError("the conversation changed meanwhile doing=import") from gone
        if found is None:
            raise UnavailableError("no clear answer doing=import") from error
        if not held:
            raise ConflictError(
                f"another conversation has this id conversation={conversation_id}"
            ) from None
        status = "already there"
    return ImportOutcome(conversation_id, record.head.turn_count, status)


def _holds(found: StoredRecord, given: Record, *, store: ObjectStore, scope: Scope) -> bool:
    """Say whether a stored conversation lives and begins with the given turns."""
    if found.record.head.deleted is not None:
        return False
    count = len(given.values)
    return turns_at(found, store=store, scope=scope, first=0, count=count) == list(given.values)
