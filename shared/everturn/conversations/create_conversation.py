"""Create a conversation without turns, or patch its title, folder, archived flag and metadata.

A patch does not touch turns.
"""

from dataclasses import dataclass, replace

from everturn.conversations.head_cache import Base, HeadCache
from everturn.conversations.model.head import Head, Record
from everturn.conversations.model.patch import Patch
from everturn.conversations.model.summary import Summary, summarize
from everturn.conversations.model.turn import check_metadata
from everturn.conversations.model.write_ring import (
    WRITE_ID_BYTES,
    RingEntry,
    WriteRing,
    hash_of_turns,
    write_id,
)
from everturn.conversations.read_record import StoredRecord, read_live_record, read_record
from everturn.errors import EverturnError, UnavailableError
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import ABSENT, ObjectStore
from everturn.storage.swap import RETRIED, Patience
from everturn.values.go_json import JsonObject
from everturn.values.keys import Scope, head_key, valid_id
from everturn.values.ulid import new_conversation_id


@dataclass(frozen=True, slots=True)
class CreateOutcome:
    """The conversation, and whether this call made it."""

    summary: Summary
    created: bool


def create_conversation(
    *,
    store: ObjectStore,
    heads: HeadCache,
    clock: Clock,
    entropy: Entropy,
    scope: Scope,
    conversation_id: str | None = None,
    title: str | None = None,
    folder: str | None = None,
    metadata: JsonObject | None = None,
) -> CreateOutcome:
    """Create a conversation; one that exists is left as it is. One request where the id is new.

    A deleted id can be created again once its deletion is complete.

    Raises:
        InvalidRequestError: a field is wrong.
        UnavailableError: its deletion is not complete, or no clear answer within ten seconds.
        CorruptRecordError: its file cannot be read.
    """
    if conversation_id is None:
        conversation_id = new_conversation_id(clock.now_ns(), entropy.token(10))
    conversation_id = valid_id(conversation_id, field="conversation_id")
    check_metadata(metadata, field="metadata")
    wanted = Head(conversation_id, title=title or "", folder=folder, metadata=metadata)
    # By its write id a creation is known again, whatever another process wrote at the same instant.
    own = RingEntry(write_id(entropy.token(WRITE_ID_BYTES)), hash_of_turns(b""), 0)
    base = Base(Head(conversation_id), WriteRing(), ABSENT)
    patience = Patience(clock=clock, entropy=entropy)
    key = head_key(scope, conversation_id)
    while True:
        head = wanted.with_turns((), updated_ns=max(clock.now_ns(), base.head.updated_ns + 1))
        ring = base.ring.scrubbed().with_entry(own)
        try:
            etag = store.put(key, head.encode(), expect=base.etag, meta=ring.meta)
        except RETRIED as error:
            found = _read_back(store, scope, conversation_id, patience, error)
            base = found.base if found else Base(Head(conversation_id), WriteRing(), ABSENT)
            entry = base.ring.find(own.write_id)
            if found is not None and base.head.deleted is None:
                created = entry is not None and not entry.is_former
                return CreateOutcome(summarize(found.record), created)
            _refuse_deleted(base.head, ours=entry is not None)
        else:
            heads.keep(key, Base(head, ring, etag))
            return CreateOutcome(summarize(Record(head, ())), created=True)


def _read_back(
    store: ObjectStore,
    scope: Scope,
    conversation_id: str,
    patience: Patience,
    cause: EverturnError,
) -> StoredRecord | None:
    while True:
        patience.wait(doing="create", cause=cause)
        try:
            return read_record(store=store, scope=scope, conversation_id=conversation_id)
        except UnavailableError as error:
            cause = error


def _refuse_deleted(head: Head, *, ours: bool) -> None:
    """Refuse a tombstone that is not complete, or that stands where this creation stood."""
    if head.deleted is not None and (ours or not head.is_done):
        raise UnavailableError("the conversation was deleted meanwhile or is still being deleted")


def patch_conversation(
    *,
    store: ObjectStore,
    heads: HeadCache,
    clock: Clock,
    entropy: Entropy,
    scope: Scope,
    conversation_id: str,
    patch: Patch,
) -> Summary:
    """Apply a patch beside any number of appends; what changes nothing writes nothing.

    `updated` moves on by one nanosecond: the bytes differ, the order of lists does not.

    Raises:
        InvalidRequestError: the id or the metadata is wrong.
        NotFoundError: it is unknown or was deleted.
        CorruptRecordError: its file cannot be read.
        UnavailableError: no clear answer within ten seconds; send the patch again.
    """
    conversation_id = valid_id(conversation_id, field="conversation_id")
    key = head_key(scope, conversation_id)
    patience = Patience(clock=clock, entropy=entropy)
    while True:
        try:
            found = read_live_record(store=store, scope=scope, conversation_id=conversation_id)
            head = patch.applied_to(found.record.head)
            # Bytes, since Python takes 1, 1.0 and True for equal.
            if head.encode() == found.record.head.encode():
                return summarize(found.record)
            head = replace(head, updated_ns=found.base.head.updated_ns + 1)
            patience.check(doing="patch")
            etag = store.put(key, head.encode(), expect=found.etag, meta=found.ring.meta)
        except RETRIED as error:
            patience.wait(doing="patch", cause=error)
        else:
            heads.keep(key, Base(head, found.ring, etag))
            return summarize(Record(head, found.record.values))
