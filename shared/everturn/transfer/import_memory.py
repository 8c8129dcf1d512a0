"""Import a memory or a conversation of an export, if its id is free.

A conversation file is stored byte for byte.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from everturn.conversations.model.head import Record, parse_record
from everturn.conversations.model.write_ring import WriteRing
from everturn.conversations.read_record import StoredRecord, read_record
from everturn.conversations.read_segments import turns_at
from everturn.errors import (
    ConflictError,
    CorruptRecordError,
    GoneError,
    InvalidRequestError,
    UnavailableError,
)
from everturn.memory.index.record_cache import MemoryCache
from everturn.memory.model.codec import parse_memory
from everturn.memory.model.draft import MemoryDraft, new_memory
from everturn.memory.model.identity import source_ref
from everturn.memory.model.memory import Memory
from everturn.memory.model.retraction import without_source
from everturn.memory.model.source import Source
from everturn.memory.retract_source import erase_source
from everturn.memory.writer import MemoryWriter
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import ABSENT, ObjectStore
from everturn.storage.swap import RETRIED
from everturn.values.go_json import JsonObject, dumps
from everturn.values.keys import Scope, head_key, valid_id


@dataclass(frozen=True, slots=True)
class MemoryImport:
    """Which memory, and what became of it.

    "forgotten" is one that stays so here, "forgotten there" one that is so here from now on.
    """

    memory: Memory
    status: Literal[
        "imported", "already there", "forgotten", "forgotten there", "of deleted conversations"
    ]


def import_memory(
    *,
    store: ObjectStore,
    derived: ObjectStore,
    clock: Clock,
    entropy: Entropy,
    scope: Scope,
    memory: JsonObject,
    memories: MemoryCache | None = None,
) -> MemoryImport:
    """Store a memory as an export gave it; whatever is there stays, the same twice is once there.

    What deleted conversations said does not come back, be they deleted meanwhile. A memory that was
    forgotten here stays so; one that was forgotten there is forgotten here, unless it is there.

    Args:
        store: where memories and conversations lie.
        derived: where the index of memories lies.
        clock: for waits.
        entropy: for waits and write ids.
        scope: whose memory it becomes.
        memory: the line of the export.
        memories: what this process keeps of memories, if it keeps any.

    Raises:
        CorruptRecordError: it is no memory, or what is there cannot be read.
        InvalidRequestError: it has no source, its id is not that of what it says, or it could not
            be remembered.
        AccessDeniedError, UnavailableError: the store does not answer; import it again.
    """
    given = _checked(memory)
    writer = MemoryWriter(store, clock, entropy, scope)
    left = _without(given, _of_the_dead(given, store=store, scope=scope))
    done = None if left is None else _put(left, writer)
    # What was deleted since the first look, or before an import that crashed, did not find it.
    dead = list(_of_the_dead(given, store=store, scope=scope))
    stored = _now(given.rid, writer) if dead else None
    for source in dead:
        if stored is not None and source.ref in stored.refs:
            _take_back(source, writer=writer, derived=derived, memories=memories)
    if done is None or _without(given, dead) is None:
        return MemoryImport(given, "of deleted conversations")
    return done


def _without(memory: Memory, sources: Iterable[Source]) -> Memory | None:
    left: Memory | None = memory
    for source in sources:
        left = left and without_source(left, source.ref)
    return left


def _take_back(
    source: Source, *, writer: MemoryWriter, derived: ObjectStore, memories: MemoryCache | None
) -> None:
    erased = erase_source(
        store=writer.store,
        derived=derived,
        clock=writer.clock,
        entropy=writer.entropy,
        scope=writer.scope,
        conversation_id=source.conversation_id or "",
        memories=memories,
    )
    if not erased.complete:
        raise UnavailableError("its conversation was deleted meanwhile, import it again")


def _now(rid: str, writer: MemoryWriter) -> Memory | None:
    return writer.change(rid, lambda memory: memory, doing="import").memory


def _put(memory: Memory, writer: MemoryWriter) -> MemoryImport:
    def put(found: Memory | None) -> Memory:
        return memory if found is None or found.is_gone else found

    changed = writer.change(memory.rid, put, doing="import")
    stored = changed.memory or memory
    if changed.written:
        return MemoryImport(stored, "forgotten there" if stored.is_forgotten else "imported")
    was_forgotten = stored.is_forgotten and not memory.is_forgotten
    return MemoryImport(stored, "forgotten" if was_forgotten else "already there")


def _checked(fields: JsonObject) -> Memory:
    """Return the memory of a line.

    A planted id would lead to a second memory of the same statement, a planted name of a source to
    one that no delete of its conversation finds.
    """
    memory = parse_memory(dumps(fields).encode(), str(fields.get("id")))
    if memory.is_gone or not (memory.count or memory.is_forgotten):
        raise InvalidRequestError("a memory that nobody said holds nothing", field="memory")
    if memory.is_forgotten:
        return memory
    draft = MemoryDraft(
        memory.kind,
        statement=None if memory.spec else memory.statement,
        spec=memory.spec.to_json() if memory.spec else None,
        subject=memory.subject,
        importance=memory.importance,
    )
    if new_memory(draft).rid != memory.rid:
        raise InvalidRequestError("a memory has the id of another statement", field="memory.id")
    for source in memory.sources:
        id_ = source.conversation_id
        if id_ is not None and source.ref != source_ref("conversation", id_):
            raise InvalidRequestError("a source has another name", field="memory.sources")
    return memory


def _of_the_dead(memory: Memory, *, store: ObjectStore, scope: Scope) -> Iterator[Source]:
    """Yield the sources that are conversations which were deleted here."""
    for source in memory.sources:
        id_ = source.conversation_id
        if id_ is None:
            continue
        try:
            found = read_record(store=store, scope=scope, conversation_id=id_)
        except CorruptRecordError:
            # Who finds it broken does not know it to be deleted.
            continue
        if found is not None and found.record.head.deleted is not None:
            yield source


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
