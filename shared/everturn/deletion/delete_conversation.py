"""Delete a conversation: replace its head by a tombstone, then remove all else of it.

With the tombstone in place nothing can come back. Removed are segments, extractions, vectors, and
the conversation's part of memories.

Any process that finds an incomplete deletion may finish it, any number of times. It may be the
delete itself, a second delete, the sweep, or a worker that wrote late.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from everturn.conversations.ambiguous_write import UnclearWrite, edit_has_happened, unclear_write
from everturn.conversations.head_cache import HeadCache
from everturn.conversations.model.write_ring import (
    WRITE_ID_BYTES,
    RingEntry,
    deletion,
    entomb,
    write_id,
)
from everturn.conversations.read_record import StoredRecord, read_record
from everturn.errors import (
    NotFoundError,
    OutcomeUnknownError,
    PreconditionFailedError,
    UnavailableError,
)
from everturn.listing.cache_files import forget_rows
from everturn.memory.index.record_cache import MemoryCache
from everturn.memory.retract_source import ErasedSource, SourceCascade
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import UNCHANGED, Entry, ObjectStore
from everturn.storage.deletes import erase_listed, erase_objects
from everturn.storage.list_keys import list_all
from everturn.storage.swap import RETRIED, Patience
from everturn.values.keys import (
    Scope,
    head_key,
    quarantine_prefix,
    segments_prefix,
    staged_prefix,
    valid_id,
    vectors_prefix,
    watermark_key,
)


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


def delete_conversation(
    *,
    store: ObjectStore,
    derived: ObjectStore,
    heads: HeadCache,
    clock: Clock,
    entropy: Entropy,
    scope: Scope,
    conversation_id: str,
    is_alone: bool = True,
    memories: MemoryCache | None = None,
) -> Receipt:
    """Replace the head by a tombstone without text, then remove what lies beside it.

    A tombstone that is not done is finished: delete again where the receipt is not complete. Where
    it is not deleted alone, the caller clears the list cache and the memories of all afterwards.

    Raises:
        NotFoundError: there is nothing to delete.
        CorruptRecordError: its file cannot be read; it is left as it is.
        UnavailableError: no clear answer within ten seconds; delete again.
    """
    conversation_id = valid_id(conversation_id, field="conversation_id")
    key = head_key(scope, conversation_id)
    heads.drop(key)
    patience = Patience(clock=clock, entropy=entropy)
    own = deletion(write_id(entropy.token(WRITE_ID_BYTES)))
    unclear: UnclearWrite | None = None
    turns = 0
    while True:
        try:
            found = read_record(store=store, scope=scope, conversation_id=conversation_id)
            if found is not None and _is_deleted(found, own, unclear):
                break
            if found is None or found.record.head.deleted is not None:
                if not is_alone:
                    raise NotFoundError("there is no such conversation")
                # Memories may come from it all the same: imported, or written late.
                cascade = SourceCascade(
                    store, derived, clock, entropy, scope, conversation_id,
                    cache=memories or MemoryCache(),
                )  # fmt: skip
                return erase_unknown(cascade, patience)
            turns = found.record.head.turn_count
            tombstone, ring = entomb(found.base.head, found.ring, own, now_ns=clock.now_ns())
            patience.check(doing="delete")
            try:
                store.put(key, tombstone.encode(), expect=found.etag, meta=ring.meta)
            except OutcomeUnknownError:
                unclear = unclear_write(found.base)
                raise
            break
        except RETRIED as error:
            patience.wait(doing="delete", cause=error)
    return finish_deletion(
        store=store, derived=derived, clock=clock, entropy=entropy, patience=patience, scope=scope,
        conversation_id=conversation_id, turns=turns, is_alone=is_alone, memories=memories,
    )  # fmt: skip


def _is_deleted(found: StoredRecord, own: RingEntry, unclear: UnclearWrite | None) -> bool:
    """Say whether it was deleted, by us or not, and something may be left to do.

    By us also where the id lives again: its second life is not ours to delete.
    """
    deleted = found.record.head.deleted is not None
    if deleted and not found.record.head.is_done:
        return True
    return edit_has_happened(own.write_id, unclear, found.ring)


def finish_deletion(
    *,
    store: ObjectStore,
    derived: ObjectStore,
    clock: Clock,
    entropy: Entropy,
    patience: Patience,
    scope: Scope,
    conversation_id: str,
    turns: int = 0,
    is_alone: bool = True,
    memories: MemoryCache | None = None,
) -> Receipt:
    """Remove everything of a deleted conversation, then say in its tombstone that it is done.

    Nothing of a conversation that was created anew is touched: what is listed while a tombstone
    stands there belongs to the life that ended, and where the next life uses its name again, it
    goes only as it was listed. One that is done already is looked behind again, for what a worker
    wrote late.

    Args:
        store: where the conversation lies.
        derived: where its vectors, the list cache and the index of memories lie.
        clock: bounds how long that index is read.
        entropy: for the write ids of memories.
        patience: how long to try.
        scope: whose conversation.
        conversation_id: which.
        turns: how many it had, if the tombstone is perhaps gone.
        is_alone: whether to take it out of the list cache and of memories; else the caller clears
            these, of all conversations at once.
        memories: what this process keeps of memories, if it keeps any.

    Raises:
        CorruptRecordError, AccessDeniedError: the head cannot be read, or an object not removed.
    """
    cascade = SourceCascade(
        store, derived, clock, entropy, scope, conversation_id, cache=memories or MemoryCache()
    )
    traces = _Traces(memories=cascade if is_alone else None)
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
            if is_alone and not forget_rows(derived=derived, scope=scope, keys=[key]):
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


def erase_unknown(cascade: SourceCascade, patience: Patience) -> Receipt:
    """Take a conversation out of memories that is not stored here, or not any more.

    Raises:
        NotFoundError: there is nothing to delete.
        AccessDeniedError, UnavailableError: something may be left; delete again.
    """
    traces = _Traces(memories=cascade)
    cascade.find()
    cascade.cut(patience)
    if not cascade.erased().sources:
        raise NotFoundError("there is no such conversation")
    return Receipt({"turns": 0, **traces.counts()})


_KINDS = ("segments", "staged", "quarantined", "watermarks")
# The names of these come again when the id lives again.
_REUSED = _KINDS[1:]


@dataclass(slots=True)
class _Traces:
    """What lies beside a head, by kind and key, and the keys of what is gone."""

    data: dict[str, dict[str, Entry]] = field(default_factory=lambda: {kind: {} for kind in _KINDS})
    vectors: set[str] = field(default_factory=set)
    erased: set[str] = field(default_factory=set)
    memories: SourceCascade | None = None

    def list_all(self, *, store: ObjectStore, derived: ObjectStore, scope: Scope, id_: str) -> None:
        """Look at all places; what was seen before stays known, what came back is not gone."""
        places = {
            "segments": segments_prefix(scope, id_),
            "staged": staged_prefix(scope, id_),
            "quarantined": quarantine_prefix(scope, id_),
            "watermarks": watermark_key(scope, id_),
        }
        for kind, prefix in places.items():
            found = _listed(store, prefix)
            self.data[kind].update(found)
            self.erased -= found.keys()
        vectors = _listed(derived, vectors_prefix(scope, id_)).keys()
        self.vectors |= vectors
        self.erased -= vectors
        if self.memories is not None:
            self.memories.find()

    def erase(self, *, store: ObjectStore, derived: ObjectStore, patience: Patience) -> None:
        """Remove what is not gone yet.

        Raises:
            PreconditionFailedError: something was written since it was listed, by a worker that
                comes late or in a second life: look at the head again.
            StoreError, UnavailableError: something may be left.
        """
        self._erase_reused(store, patience)
        for where, listed in ((store, {*self.data["segments"]}), (derived, self.vectors)):
            erase_objects(store=where, keys=sorted(listed - self.erased), patience=patience)
            self.erased |= listed
        if self.memories is not None:
            self.memories.cut(patience)

    def _erase_reused(self, store: ObjectStore, patience: Patience) -> None:
        listed = {key: entry for kind in _REUSED for key, entry in self.data[kind].items()}
        left = [listed[key] for key in sorted(listed.keys() - self.erased)]
        changed = erase_listed(store=store, entries=left, patience=patience)
        self.erased |= listed.keys() - set(changed)
        if changed:
            raise PreconditionFailedError(f"written meanwhile keys={len(changed)}")

    def counts(self) -> dict[str, int]:
        """Return how many of each kind are gone."""
        kinds = {**{kind: {*keys} for kind, keys in self.data.items()}, "vectors": self.vectors}
        erased = ErasedSource() if self.memories is None else self.memories.erased()
        return {
            **{kind: len(keys & self.erased) for kind, keys in kinds.items()},
            "memories": erased.memories,
            "memory_sources": erased.sources,
        }

    @property
    def remaining(self) -> int:
        """How many are not."""
        memories = 0 if self.memories is None else self.memories.remaining
        return len(self.vectors.union(*self.data.values()) - self.erased) + memories


def _listed(store: ObjectStore, prefix: str) -> dict[str, Entry]:
    """Return what lies below a prefix, or at the one key that it is."""
    whole = not prefix.endswith("/")
    listed = list_all(store, prefix)
    return {entry.key: entry for entry in listed if not whole or entry.key == prefix}
