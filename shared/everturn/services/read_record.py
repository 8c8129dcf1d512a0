"""Read one conversation's record from the store, by its id.

Not here: pages and rows made of it (services/read_conversation.py, services/list_conversations.py).
"""

from dataclasses import dataclass, replace

from everturn.domain.head import Record, parse_record
from everturn.domain.keys import Scope, head_key, is_head_of
from everturn.domain.write_ring import WriteRing, ring_of
from everturn.errors import CorruptRecordError, NotFoundError
from everturn.ports.object_store import Etag, ObjectStore, StoredObject
from everturn.services.head_cache import Base


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


def read_record(*, store: ObjectStore, scope: Scope, conversation_id: str) -> StoredRecord | None:
    """Read a head in one request; None if there is none.

    Raises:
        CorruptRecordError: what is stored cannot be read, or belongs to another id.
        AccessDeniedError, UnavailableError: the store does not answer it.
    """
    key = head_key(scope, conversation_id)
    stored = store.get(key)
    if not isinstance(stored, StoredObject):
        return None
    record = parse_record(stored.body, name=conversation_id)
    if not is_head_of(key, record.head.conversation_id):
        raise CorruptRecordError(f"a stored record has another id conversation={conversation_id}")
    return StoredRecord(record, ring_of(stored.meta), stored.etag, stored.body)


def read_live_record(*, store: ObjectStore, scope: Scope, conversation_id: str) -> StoredRecord:
    """Read a conversation that exists.

    Raises:
        NotFoundError: it is unknown or was deleted; the two look alike.
        CorruptRecordError, AccessDeniedError, UnavailableError: as `read_record`.
    """
    found = read_record(store=store, scope=scope, conversation_id=conversation_id)
    if found is None or found.record.head.deleted is not None:
        raise NotFoundError("there is no such conversation")
    return found
