"""What the API answers about documents, and about a deployment."""

from datetime import datetime
from typing import Any

from everturn.wire.base import Part, Result, moment


class DocumentRow(Part):
    """What a list shows of a document; `value` is None where it was not asked for."""

    key: str
    etag: str
    size: int
    updated: str
    value: Any = None

    @property
    def time(self) -> datetime:
        """`updated` to the microsecond."""
        return moment(self.updated)


class DocumentPage(Result):
    """A page of documents by their keys; `skipped` counts those that cannot be read."""

    documents: tuple[DocumentRow, ...]
    skipped: int
    next_cursor: str | None = None


class DocumentWritten(Result):
    """A document without its value; `size` is in bytes."""

    space: str
    key: str
    etag: str
    size: int
    updated: str

    @property
    def time(self) -> datetime:
        """`updated` to the microsecond."""
        return moment(self.updated)


class Document(DocumentWritten):
    """A document with its value, any JSON."""

    value: Any


class TriedEmbedder(Part):
    """An embedder that is not used, and what it lacks."""

    name: str
    reason: str


class EmbedderInUse(Part):
    """The embedder that is used."""

    name: str
    model: str
    dimensions: int
    semantic: bool
    reason: str
    tried: tuple[TriedEmbedder, ...]


class Backends(Part):
    """The kinds of the stores, and the embedder."""

    store: str
    derived: str
    embedder: EmbedderInUse


class Consolidation(Part):
    """How far consolidation is; numbers that cannot be had are None."""

    queue: str
    extractor: str
    complete: bool
    depth: int | None = None
    in_flight: int | None = None
    oldest: str | None = None
    dead: int | None = None
    pending: int | None = None
    pending_turns: int | None = None
    quarantined: int | None = None
    last_success: str | None = None
    reason: str | None = None


class Status(Result):
    """What a deployment works with, and what it has not done yet."""

    backends: Backends
    consolidation: Consolidation
