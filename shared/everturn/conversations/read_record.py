"""Read one conversation's record from the store, by its id."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from everturn.conversations.head_cache import Base
from everturn.conversations.model.head import Record, parse_record
from everturn.conversations.model.reattach import Rejoined, rejoin
from everturn.conversations.model.segment_refs import is_segment_name
from everturn.conversations.model.write_ring import WriteRing, is_ours, ring_of
from everturn.conversations.segments import read_segments
from everturn.errors import CorruptRecordError, GoneError, NotFoundError, UnavailableError
from everturn.ports.object_store import UNCHANGED, Etag, ObjectStore, StoredObject
from everturn.storage.list_keys import list_all
from everturn.values.keys import (
    Scope,
    head_key,
    is_head_of,
    segment_name_of,
    segments_prefix,
)

# A redaction or a sweep takes a segment away while they are read one after another.
_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record as it is stored, tombstones included."""

    record: Record
    ring: WriteRing
    etag: Etag
    body: bytes

    @property
    def base(self) -> Base:
        """What a write builds on: its time is not below any `ts` of another program's turns."""
        head = self.record.head
        floor_ns = max(head.updated_ns, self.record.newest_ns)
        return Base(replace(head, updated_ns=floor_ns), self.ring, self.etag)


def read_record(
    *,
    store: ObjectStore,
    scope: Scope,
    conversation_id: str,
    known: StoredRecord | None = None,
) -> StoredRecord | None:
    """Read a head in one request; None if there is none, `known` where it has not changed since.

    One that another program wrote takes a LIST more: it may have dropped what the head said of
    segments, which are then found and read again.

    Raises:
        CorruptRecordError: what is stored cannot be read, or belongs to another id.
        AccessDeniedError, UnavailableError: the store does not answer it.
    """
    key = head_key(scope, conversation_id)
    stored = store.get(key, unless_etag=None if known is None else known.etag)
    if stored is UNCHANGED:
        return known
    if stored is None:
        return None
    found = found_of(stored, key=key, store=store, scope=scope, name=conversation_id)
    if not is_head_of(key, found.record.head.conversation_id):
        raise CorruptRecordError(f"a stored record has another id conversation={conversation_id}")
    return found


def found_of(
    stored: StoredObject, *, key: str, store: ObjectStore, scope: Scope, name: str
) -> StoredRecord:
    """Return what a head that was read is; no request where we wrote it.

    Where another program's head does not account for the segments beside it, its ring says so:
    whoever writes the head keeps them from the sweep.

    Args:
        stored: the head.
        key: where it was read.
        store: where it lies, and its segments.
        scope: whose it is.
        name: the conversation, for an error's message.

    Raises:
        CorruptRecordError: it cannot be read.
        AccessDeniedError, UnavailableError: the store does not list or read the segments.
    """
    record, ring = parse_record(stored.body, name=name), ring_of(stored.meta)
    head = record.head
    is_whole = is_ours(stored.meta) or head.sealed or (head.deleted and not record.values)
    if is_whole or not is_head_of(key, head.conversation_id):
        return StoredRecord(record, ring, stored.etag, stored.body)
    rejoined = _rejoined(record, store=store, scope=scope)
    ring = replace(ring, keeps_segments=not rejoined.is_all)
    # An export copies the file of a head that names no segments.
    is_same = rejoined.record.head.turns_json == head.turns_json
    body = stored.body if is_same else rejoined.record.head.encode()
    return StoredRecord(rejoined.record, ring, stored.etag, body)


def _rejoined(record: Record, *, store: ObjectStore, scope: Scope) -> Rejoined:
    segments = _all_segments(record.head.conversation_id, store=store, scope=scope)
    return rejoin(record, segments) if segments else Rejoined(record)


def _all_segments(
    conversation_id: str, *, store: ObjectStore, scope: Scope
) -> Mapping[str, Record]:
    """Read all segments that lie there, those of lost attempts included, by name."""
    for _ in range(_ATTEMPTS):
        listed = list_all(store, segments_prefix(scope, conversation_id))
        names = [name for entry in listed if is_segment_name(name := segment_name_of(entry.key))]
        try:
            read = read_segments(
                store=store, scope=scope, conversation_id=conversation_id, names=names
            )
        except GoneError:
            continue
        return dict(zip(names, read, strict=True))
    raise UnavailableError(f"the segments kept changing reads={_ATTEMPTS}")


def read_live_record(
    *,
    store: ObjectStore,
    scope: Scope,
    conversation_id: str,
    known: StoredRecord | None = None,
) -> StoredRecord:
    """Read a conversation that exists; arguments as `read_record`.

    Raises:
        NotFoundError: it is unknown or was deleted; the two look alike.
        CorruptRecordError, AccessDeniedError, UnavailableError: as `read_record`.
    """
    found = read_record(store=store, scope=scope, conversation_id=conversation_id, known=known)
    if found is None or found.record.head.deleted is not None:
        raise NotFoundError("there is no such conversation")
    return found
