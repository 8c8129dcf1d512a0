"""Retract from memories what turns said that are gone, changed, or of a deleted conversation.

A worker writes all memories of a window, then reads the conversation once. Another process may
delete it or take a turn back at the same time. Either the worker sees that, or that process sees
the memories.
"""

from collections.abc import Iterable, Mapping, Sequence

from everturn.conversations.model.encoded_turns import is_redacted
from everturn.conversations.model.extraction_window import MAX_TURNS
from everturn.conversations.model.watermark import Watermark, turn_hash
from everturn.conversations.read_record import StoredRecord, read_record
from everturn.conversations.read_segments import turns_at
from everturn.deletion.delete_conversation import finish_deletion
from everturn.errors import GoneError, UnavailableError
from everturn.extraction.answers.findings import Extracted
from everturn.memory.retract_source import erase_source
from everturn.memory.writer import MemoryWriter
from everturn.ports.object_store import UNCHANGED, ObjectStore
from everturn.storage.swap import Patience
from everturn.values.go_json import JsonValue
from everturn.values.keys import head_key


def take_back_dead(
    memories: Sequence[Extracted],
    *,
    writer: MemoryWriter,
    derived: ObjectStore,
    found: StoredRecord,
    values: Mapping[int, JsonValue],
) -> bool:
    """Take back what turns said that were redacted or popped since they were read.

    One request where nobody wrote to the conversation since.

    Args:
        memories: those that were applied.
        writer: writes memories of the scope.
        derived: where their index lies.
        found: the conversation as it was read.
        values: its turns then, as in `apply_findings`.

    Returns:
        Whether the conversation is still there; else the caller takes back all of it.

    Raises:
        UnavailableError: something may be left; apply all of them again.
    """
    id_ = found.record.head.conversation_id
    if writer.store.get(head_key(writer.scope, id_), unless_etag=found.etag) is UNCHANGED:
        return True
    now = read_record(store=writer.store, scope=writer.scope, conversation_id=id_)
    if now is None or now.record.head.deleted is not None:
        return False
    dead = _dead(memories, now, writer=writer, values=values)
    _take_back(dead, writer=writer, derived=derived, conversation_id=id_)
    return True


def take_back_lost(
    mark: Watermark, found: StoredRecord, *, writer: MemoryWriter, derived: ObjectStore
) -> bool:
    """Take back what a call that ended half-way made of turns that are others now, or none.

    No request where no call did, or where these turns are in the head and all are the same.

    Returns:
        Whether there were any.

    Raises:
        GoneError: a segment went meanwhile; read the head again.
        UnavailableError: something may be left; do it again.
    """
    if not mark.applying:
        return False
    values = turns_at(
        found, store=writer.store, scope=writer.scope, first=mark.turns, count=MAX_TURNS
    )
    lost, id_ = mark.lost(values), found.record.head.conversation_id
    _take_back(lost, writer=writer, derived=derived, conversation_id=id_)
    return bool(lost)


def take_back_conversation(
    conversation_id: str,
    *,
    writer: MemoryWriter,
    derived: ObjectStore,
    patience: Patience,
    is_tombstone: bool,
    has_written: bool,
) -> None:
    """Look behind a deletion: a call that ended half-way may have written after it.

    Args:
        conversation_id: which.
        writer: writes memories of the scope.
        derived: where indexes lie.
        patience: how long to try.
        is_tombstone: whether one stands there; else it is not known to have been deleted.
        has_written: whether this call made memories of it.

    Raises:
        UnavailableError: something may be left; do it again.
    """
    complete = True
    if is_tombstone:
        complete = finish_deletion(
            store=writer.store,
            derived=derived,
            clock=writer.clock,
            entropy=writer.entropy,
            patience=patience,
            scope=writer.scope,
            conversation_id=conversation_id,
        ).complete
    elif has_written:
        complete = erase_source(
            store=writer.store,
            derived=derived,
            clock=writer.clock,
            entropy=writer.entropy,
            scope=writer.scope,
            conversation_id=conversation_id,
            patience=patience,
        ).complete
    if not complete:
        raise UnavailableError("what a deleted conversation said is not all gone")


def _take_back(
    numbers: Iterable[int], *, writer: MemoryWriter, derived: ObjectStore, conversation_id: str
) -> None:
    for number in numbers:
        erased = erase_source(
            store=writer.store,
            derived=derived,
            clock=writer.clock,
            entropy=writer.entropy,
            scope=writer.scope,
            conversation_id=conversation_id,
            number=number,
        )
        if not erased.complete:
            raise UnavailableError("what was taken back meanwhile is not all gone")


def _dead(
    memories: Sequence[Extracted],
    now: StoredRecord,
    *,
    writer: MemoryWriter,
    values: Mapping[int, JsonValue],
) -> list[int]:
    """Return the numbers of cited turns that say something else now, or nothing."""
    cited = sorted({n for one in memories for n in range(one.first_turn, one.last_turn + 1)})
    if not cited:
        return []
    first, count = cited[0], cited[-1] + 1 - cited[0]
    try:
        held = turns_at(now, store=writer.store, scope=writer.scope, first=first, count=count)
    except GoneError as error:
        raise UnavailableError("the conversation changes") from error
    now_values = dict(enumerate(held, first))
    return [number for number in cited if _is_dead(values.get(number), now_values.get(number))]


def _is_dead(before: JsonValue, now: JsonValue) -> bool:
    return not is_redacted(before) and (
        now is None or is_redacted(now) or turn_hash(before) != turn_hash(now)
    )
