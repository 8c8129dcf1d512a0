"""An item of a LangGraph store as a document, and back.

    {"namespace": [...], "key": ..., "value": {...}, "created"?: RFC 3339, "vectors"?: {path: ...}}

An item was created when its document was first written. The first version does not say when: that
is the document's own time. Each later one says it in `created`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from langgraph.store.base import Item, PutOp, SearchItem

from everturn.errors import CorruptRecordError
from everturn.wire.base import moment
from everturn.wire.deployment import Document, DocumentRow


@dataclass(frozen=True, slots=True)
class StoredItem:
    """What a document says of an item; `vectors` by the path of what was embedded, packed."""

    namespace: tuple[str, ...]
    key: str
    value: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    vectors: Mapping[str, str]

    def item(self) -> Item:
        """Return what a get gives."""
        return Item(
            value=self.value,
            key=self.key,
            namespace=self.namespace,
            created_at=self.created_at,
            updated_at=self.updated_at,
        )

    def search_item(self, score: float | None) -> SearchItem:
        """Return what a search gives."""
        return SearchItem(
            namespace=self.namespace,
            key=self.key,
            value=self.value,
            created_at=self.created_at,
            updated_at=self.updated_at,
            score=score,
        )


def item_document(
    op: PutOp, vectors: Mapping[str, str], *, created: str | None = None
) -> dict[str, Any]:
    """Return the document of what is put; `created` as `created_in` gives it."""
    told: dict[str, Any] = {
        "namespace": list(op.namespace),
        "key": op.key,
        "value": dict(op.value or {}),
    }
    if created is not None:
        told["created"] = created
    return {**told, "vectors": dict(vectors)} if vectors else told


def stored_item(document: Document | DocumentRow) -> StoredItem:
    """Read an item.

    Raises:
        CorruptRecordError: another program put something else there.
    """
    match document.value:
        case {"namespace": [*labels], "key": str(key), "value": dict(value)} if _are_texts(labels):
            return StoredItem(
                tuple(labels),
                key,
                value,
                moment(created_in(document)),
                document.time,
                document.value.get("vectors", {}),
            )
        case _:
            raise CorruptRecordError("a document of the store is no item")


def created_in(document: Document | DocumentRow) -> str:
    """Return when an item was created, RFC 3339."""
    value = document.value
    created = value.get("created") if isinstance(value, dict) else None
    return created if isinstance(created, str) else document.updated


def _are_texts(labels: list[Any]) -> bool:
    return all(isinstance(label, str) for label in labels)
