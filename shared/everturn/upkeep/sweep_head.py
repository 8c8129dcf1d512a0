"""Do with one head what its age asks for: remove it, finish its deletion, let it expire.

Every removal names the version that was read: whoever writes to the conversation meanwhile wins.
"""

from dataclasses import dataclass, field, replace
from typing import Final

from everturn.consolidation.enqueue_job import JobOffers
from everturn.conversations.model.head import Head, parse_record
from everturn.conversations.model.write_ring import (
    WRITE_ID_BYTES,
    WriteRing,
    deletion,
    entomb,
    is_ours,
    ring_of,
    write_id,
)
from everturn.deletion.delete_conversation import finish_deletion
from everturn.errors import (
    CorruptRecordError,
    GoneError,
    PreconditionFailedError,
    StoreError,
    UnavailableError,
)
from everturn.memory.index.record_cache import MemoryCache
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import Entry, ObjectStore, StoredObject
from everturn.storage.swap import Patience
from everturn.upkeep.sweep_pass import DAY_NS, TOMBSTONE_NS, UNFINISHED_NS
from everturn.upkeep.sweep_segments import sweep_segments
from everturn.upkeep.sweep_tasks import Swept
from everturn.values.keys import Scope, conversation_of, is_head_of

# The clocks of who writes and of the store may differ by so much.
_SKEW_NS: Final = DAY_NS // 24


@dataclass(frozen=True, slots=True)
class Broom:
    """What a sweep works with; `now_ns` is the instant it looks at, never ahead of the store."""

    data: ObjectStore
    derived: ObjectStore
    clock: Clock
    entropy: Entropy
    now_ns: int
    idle_days: int = 0
    memories: MemoryCache = field(default_factory=MemoryCache)
    """Of the scopes whose conversations are deleted: a scope has many."""
    offers: JobOffers | None = None
    """Where jobs of consolidation go; None where nothing is consolidated."""

    def patience(self) -> Patience:
        """Return the waits of one deletion."""
        return Patience(clock=self.clock, entropy=self.entropy)


@dataclass(frozen=True, slots=True)
class _Found:
    """A head as it was listed and read."""

    entry: Entry
    stored: StoredObject
    scope: Scope
    head: Head

    @property
    def ring(self) -> WriteRing:
        return ring_of(self.stored.meta)

    def is_older(self, broom: Broom, age_ns: int) -> bool:
        return self.entry.modified_ns + age_ns <= broom.now_ns


def sweep_head(broom: Broom, entry: Entry) -> Swept:
    """Look at one head, and say what was done; a failure is counted, and the rest goes on.

    One request where nothing is to be done; one that was written to since it was listed is left.
    """
    try:
        found = _read(broom, entry)
        done = Swept() if found is None else _sweep(broom, found)
    except CorruptRecordError:
        done = Swept(skipped=1)
    except (PreconditionFailedError, GoneError):
        # Somebody wrote to it since it was read: it is young again.
        done = Swept()
    except (StoreError, UnavailableError):
        done = Swept(failed=1)
    return replace(done, heads_read=1)


def _read(broom: Broom, entry: Entry) -> _Found | None:
    whose = conversation_of(entry.key)
    stored = broom.data.get(entry.key) if whose else None
    if whose is None or not isinstance(stored, StoredObject) or stored.etag != entry.etag:
        return None
    head = parse_record(stored.body, name=whose[1]).head
    if not is_head_of(entry.key, head.conversation_id):
        raise CorruptRecordError("a stored record has another id")
    return _Found(entry, stored, whose[0], head)


def _sweep(broom: Broom, found: _Found) -> Swept:
    head = found.head
    if head.deleted is not None:
        return _sweep_tombstone(broom, found)
    if broom.idle_days and _is_idle(broom, found):
        return _expire(broom, found)
    if not head.turn_count and is_ours(found.stored.meta):
        # One that was used before, in this life or an earlier one, still knows late writers.
        if not found.is_older(broom, TOMBSTONE_NS if found.ring.edits else DAY_NS):
            return Swept()
        broom.data.delete(found.entry.key, expect=found.stored.etag)
        return Swept(empty=1)
    if (head.sealed or found.ring.edits) and found.is_older(broom, DAY_NS):
        return Swept(orphans=_sweep_segments(broom, found))
    return Swept()


def _sweep_tombstone(broom: Broom, found: _Found) -> Swept:
    if found.head.is_done:
        if not found.is_older(broom, DAY_NS):
            return Swept()
        # A recall that crashed between its write and its look at the head left rows behind it.
        if not _finish(broom, found):
            return Swept(failed=1)
        if not found.is_older(broom, TOMBSTONE_NS):
            return Swept()
        broom.data.delete(found.entry.key, expect=found.stored.etag)
        return Swept(tombstones=1)
    if not found.is_older(broom, UNFINISHED_NS):
        return Swept()
    return Swept(finished=1) if _finish(broom, found) else Swept(failed=1)


def _is_idle(broom: Broom, found: _Found) -> bool:
    """Say whether nobody used a conversation for long; a file's own time may be a later one."""
    idle_ns = broom.idle_days * DAY_NS
    says_so = found.head.updated_ns - _SKEW_NS + idle_ns <= broom.now_ns
    return found.is_older(broom, idle_ns) and says_so


def _expire(broom: Broom, found: _Found) -> Swept:
    """Delete a conversation if nobody writes to it meanwhile."""
    own = deletion(write_id(broom.entropy.token(WRITE_ID_BYTES)))
    tombstone, ring = entomb(found.head, found.ring, own, now_ns=broom.clock.now_ns())
    broom.data.put(found.entry.key, tombstone.encode(), expect=found.stored.etag, meta=ring.meta)
    return Swept(expired=1, failed=0 if _finish(broom, found) else 1)


def _finish(broom: Broom, found: _Found) -> bool:
    receipt = finish_deletion(
        store=broom.data,
        derived=broom.derived,
        clock=broom.clock,
        entropy=broom.entropy,
        patience=broom.patience(),
        scope=found.scope,
        conversation_id=found.head.conversation_id,
        memories=broom.memories,
    )
    return receipt.complete


def _sweep_segments(broom: Broom, found: _Found) -> int:
    return sweep_segments(
        store=broom.data,
        patience=broom.patience(),
        scope=found.scope,
        conversation_id=found.head.conversation_id,
        now_ns=broom.now_ns,
    )
