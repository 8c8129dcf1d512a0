"""Remove what a tombstone left behind: segments, staged extractions, watermark, vectors.

Not here: the tombstone itself (services/delete_conversation.py). Whoever finds one that is not done
may call this, as often as he likes: the delete, a second one, the sweep, a worker that wrote late.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from everturn.domain.keys import (
    Scope,
    head_key,
    quarantine_prefix,
    segments_prefix,
    staged_prefix,
    vectors_prefix,
    watermark_key,
)
from everturn.errors import UnavailableError
from everturn.ports.object_store import UNCHANGED, ObjectStore
from everturn.services.erase_objects import erase_objects
from everturn.services.forget_rows import forget_rows
from everturn.services.list_keys import list_all
from everturn.services.read_record import StoredRecord, read_record
from everturn.services.retrying import RETRIED, Patience

_KINDS = ("segments", "staged", "quarantined", "watermarks")


@dataclass(frozen=True, slots=True)
class Receipt:
    """What went, counted by kind; where that is not all, `remaining` objects are left."""

    deleted: Mapping[str, int]
    complete: bool = True
    remaining: int = 0

    @property
    def turns(self) -> int:
        """How many turns went."""
        return self.deleted["turns"]


@dataclass(slots=True)
class _Traces:
    """Keys of what lies beside a head, by kind, and of those that are gone."""

    data: dict[str, set[str]] = field(default_factory=lambda: {kind: set() for kind in _KINDS})
    vectors: set[str] = field(default_factory=set)
    erased: set[str] = field(default_factory=set)

    def list_all(self, *, store: ObjectStore, derived: ObjectStore, scope: Scope, id_: str) -> None:
        """Look at all places; what was seen before stays known."""
        places = {
            "segments": segments_prefix(scope, id_),
            "staged": staged_prefix(scope, id_),
            "quarantined": quarantine_prefix(scope, id_),
            "watermarks": watermark_key(scope, id_),
        }
        for kind, prefix in places.items():
            self.data[kind].update(_keys(store, prefix))
        self.vectors.update(_keys(derived, vectors_prefix(scope, id_)))

    def erase(self, *, store: ObjectStore, derived: ObjectStore, patience: Patience) -> None:
        """Remove what is not gone yet."""
        kept = set().union(*self.data.values())
        for where, keys in ((store, kept), (derived, self.vectors)):
            erase_objects(store=where, keys=sorted(keys - self.erased), patience=patience)
            self.erased |= keys

    def counts(self) -> dict[str, int]:
        """Return how many of each kind are gone."""
        kinds = {**self.data, "vectors": self.vectors}
        return {kind: len(keys & self.erased) for kind, keys in kinds.items()}

    @property
    def remaining(self) -> int:
        """How many are not."""
        return len(self.vectors.union(*self.data.values()) - self.erased)


def _keys(store: ObjectStore, prefix: str) -> set[str]:
    """Return the keys below a prefix, or the one key that it is."""
    whole = not prefix.endswith("/")
    return {entry.key for entry in list_all(store, prefix) if not whole or entry.key == prefix}


def finish_deletion(
    *,
    store: ObjectStore,
    derived: ObjectStore,
    patience: Patience,
    scope: Scope,
    conversation_id: str,
    turns: int = 0,
    is_listed: bool = True,
) -> Receipt:
    """Remove everything of a deleted conversation, then say in its tombstone that it is done.

    Nothing of a conversation that was created anew is touched: what is listed while a tombstone
    stands there belongs to the life that ended. One that is done already is looked behind again,
    for what a worker wrote late.

    Args:
        store: where the conversation lies.
        derived: where its vectors and the list cache lie.
        patience: how long to try.
        scope: whose conversation.
        conversation_id: which.
        turns: how many it had, if the tombstone is perhaps gone.
        is_listed: whether to take it out of the list cache; else the caller does, of many at once.

    Raises:
        CorruptRecordError, AccessDeniedError: the head cannot be read, or an object not removed.
    """
    traces = _Traces()
    key = head_key(scope, conversation_id)
    while True:
        try:
            found = read_record(store=store, scope=scope, conversation_id=conversation_id)
            if found is None or found.record.head.deleted is None:
                return Receipt({"turns": turns, **traces.counts()})
            turns = _turns(found)
            traces.list_all(store=store, derived=derived, scope=scope, id_=conversation_id)
            if store.get(key, unless_etag=found.etag) is not UNCHANGED:
                continue
            traces.erase(store=store, derived=derived, patience=patience)
            if is_listed and not forget_rows(derived=derived, scope=scope, keys=[key]):
                raise UnavailableError("the list cache does not answer")
            if not found.record.head.is_done:
                patience.check(doing="delete")
                done = found.record.head.done().encode()
                store.put(key, done, expect=found.etag, meta=found.ring.meta)
            return Receipt({"turns": turns, **traces.counts()})
        except RETRIED as error:
            try:
                patience.wait(doing="delete", cause=error)
            except UnavailableError:
                counts = {"turns": turns, **traces.counts()}
                return Receipt(counts, complete=False, remaining=traces.remaining)


def _turns(found: StoredRecord) -> int:
    turns = (found.record.head.deleted or {}).get("turns", 0)
    return turns if isinstance(turns, int) else 0
