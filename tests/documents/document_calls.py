"""The verbs of documents with everything but what a test is about already said."""

from everturn.adapters.memory_store import MemoryStore
from everturn.adapters.system_clock import ManualClock, SeededEntropy
from everturn.documents.list_documents import DocumentPage, list_documents
from everturn.documents.read_write import (
    StoredDocument,
    UnchangedDocument,
    Version,
    delete_document,
    get_document,
    put_document,
)
from everturn.ports.object_store import Etag, ObjectStore, StoredObject
from everturn.values.go_json import JsonValue
from everturn.values.keys import Scope, document_key

SCOPE = Scope("acme", "alice")
SPACE, KEY = "state", "agent-1"


class Documents:
    """One process that keeps documents in a store, in memory if none is given."""

    def __init__(self, store: ObjectStore | None = None, clock: ManualClock | None = None) -> None:
        """Begin with a clock and entropy of its own."""
        self.clock = clock or ManualClock()
        self.store: ObjectStore = store or MemoryStore(self.clock)
        self.entropy = SeededEntropy("documents")

    def over(self, store: ObjectStore) -> "Documents":
        """The same process over a store that stands in front of its own."""
        other = Documents(store, self.clock)
        other.entropy = self.entropy
        return other

    def put(
        self, value: JsonValue, key: str = KEY, *, space: str = SPACE, expect: Version | None = None
    ) -> StoredDocument:
        """Write a document; each write is at a time of its own."""
        self.clock.sleep(0.001)
        return put_document(
            store=self.store, clock=self.clock, entropy=self.entropy,
            scope=SCOPE, space=space, key=key, value=value, expect=expect,
        )  # fmt: skip

    def get(self, key: str = KEY, *, space: str = SPACE) -> StoredDocument:
        """Read a document that must be there."""
        found = self.get_unless(None, key, space=space)
        assert isinstance(found, StoredDocument)
        return found

    def get_unless(
        self, unless: Etag | None, key: str = KEY, *, space: str = SPACE
    ) -> StoredDocument | UnchangedDocument:
        """Read a document unless it is at this version."""
        return get_document(store=self.store, scope=SCOPE, space=space, key=key, unless=unless)

    def value(self, key: str = KEY) -> JsonValue:
        """The value of a document that must be there."""
        return self.get(key).document.value

    def delete(self, key: str = KEY, *, space: str = SPACE, expect: Etag | None = None) -> None:
        """Remove a document."""
        delete_document(
            store=self.store, clock=self.clock, entropy=self.entropy,
            scope=SCOPE, space=space, key=key, expect=expect,
        )  # fmt: skip

    def page(
        self,
        prefix: str | None = None,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        space: str = SPACE,
        values: bool = False,
    ) -> DocumentPage:
        """List one page of a space."""
        return list_documents(
            store=self.store, scope=SCOPE, space=space, prefix=prefix, limit=limit, cursor=cursor,
            values=values,
        )  # fmt: skip

    def walk(self, prefix: str | None = None, *, limit: int | None = None) -> list[str]:
        """The keys of all pages."""
        page = self.page(prefix, limit=limit)
        keys = [row.key for row in page.rows]
        while page.next_cursor is not None:
            page = self.page(prefix, limit=limit, cursor=page.next_cursor)
            keys.extend(row.key for row in page.rows)
        return keys

    def stored(self, key: str = KEY, *, space: str = SPACE) -> StoredObject | None:
        """What lies at the place of a document."""
        found = self.store.get(document_key(SCOPE, space, key))
        return found if isinstance(found, StoredObject) else None

    def place(self, body: bytes, key: str = KEY, *, space: str = SPACE) -> None:
        """Put bytes there, whatever they are."""
        self.store.overwrite(document_key(SCOPE, space, key), body)
