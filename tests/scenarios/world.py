"""A store in memory with its clock, and what is stored in it, seen without any service."""

from everturn.adapters.memory_store import MemoryStore
from everturn.adapters.system_clock import ManualClock, SeededEntropy
from everturn.conversations.model.head import Record, parse_record
from everturn.conversations.model.write_ring import WriteRing, ring_of
from everturn.ports.object_store import ANY, ObjectStore, StoredObject
from everturn.values.keys import Scope, head_key
from scenarios.process import CONVERSATION, SCOPE, Process


class World:
    """One store in memory, one clock, and what is stored there, seen without any service."""

    def __init__(
        self,
        *,
        page_keys: int = 1_000,
        clock: ManualClock | None = None,
        data: ObjectStore | None = None,
        scope: Scope = SCOPE,
    ) -> None:
        """Start empty, in memory with listings of `page_keys` keys a page, or on another store."""
        self.clock = clock or ManualClock()
        self.scope = scope
        self.data: ObjectStore = data or MemoryStore(self.clock, page_keys=page_keys)
        self.derived = MemoryStore(self.clock)
        self.entropy = SeededEntropy("world")

    def process(self, store: ObjectStore | None = None, *, scope: Scope | None = None) -> Process:
        """Start a process over the store, or over one that stands in front of it."""
        return Process(
            store or self.data, self.clock, self.entropy, self.derived, scope=scope or self.scope
        )

    def stored(self, conversation_id: str = CONVERSATION) -> StoredObject:
        """Return the stored head."""
        found = self.data.get(head_key(self.scope, conversation_id))
        assert isinstance(found, StoredObject)
        return found

    def record(self, conversation_id: str = CONVERSATION) -> Record:
        """Return the stored record."""
        return parse_record(self.stored(conversation_id).body, name=conversation_id)

    def ring(self, conversation_id: str = CONVERSATION) -> WriteRing:
        """Return the stored ring."""
        return ring_of(self.stored(conversation_id).meta)

    def texts(self, conversation_id: str = CONVERSATION) -> list[str]:
        """Return the texts of the stored turns, in order."""
        return [turn.text for turn in self.record(conversation_id).readable_turns()]

    def place(self, body: bytes, conversation_id: str = CONVERSATION) -> bytes:
        """Put a file there as another program would: without metadata, whatever was there."""
        self.data.overwrite(head_key(self.scope, conversation_id), body)
        return body

    def remove(self, conversation_id: str = CONVERSATION) -> None:
        """Take the file away as another program would."""
        self.data.delete(head_key(self.scope, conversation_id), expect=ANY)
