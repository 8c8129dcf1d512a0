"""Remove the segments of one conversation that its head does not name.

A segment is written before the head that names it: a crash, or a lost race, leaves it behind. So it
must be a day old, by the store's own times, and the head is read after the listing: a head that
comes to name it later was written by somebody who wrote the segment within seconds.

One that a later segment took in stays until that one is a day old too, and so does one of turns
that stand in the head: another program that read the head before may write it once more.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from everturn.conversations.model.head import parse_record
from everturn.conversations.model.segment_refs import SegmentRef, is_segment_name
from everturn.conversations.model.write_ring import is_ours, ring_of
from everturn.errors import CorruptRecordError
from everturn.ports.object_store import ObjectStore, Sentinel, StoredObject
from everturn.storage.deletes import erase_objects
from everturn.storage.list_keys import list_all
from everturn.storage.swap import Patience
from everturn.upkeep.sweep_pass import DAY_NS
from everturn.values.keys import Scope, head_key, segment_name_of, segments_prefix

GRACE_NS: Final = DAY_NS
"""How old an orphan must be: no writer takes so long between its segment and its head."""


def sweep_segments(
    *,
    store: ObjectStore,
    patience: Patience,
    scope: Scope,
    conversation_id: str,
    now_ns: int,
    grace_ns: int = GRACE_NS,
) -> int:
    """Return how many orphans went: a LIST, and where any segment is old a GET and a delete.

    The segments of a head that cannot be read, or that another program wrote, are left: what such a
    head holds may be found again by them. So are those that hold turns which its head did not.

    Args:
        store: where segments lie.
        patience: for how long it is tried.
        scope: whose conversation; tokens will do, here and for the id.
        conversation_id: which.
        now_ns: the time, never ahead of the store's own clock.
        grace_ns: how old an orphan must be.

    Raises:
        AccessDeniedError, UnavailableError: the store does not list, read or remove.
    """
    listed = list_all(store, segments_prefix(scope, conversation_id))
    written = {
        SegmentRef(name, 0): entry
        for entry in listed
        if is_segment_name(name := segment_name_of(entry.key))
    }
    old = {ref for ref, entry in written.items() if entry.modified_ns + grace_ns <= now_ns}
    now = _counted(store.get(head_key(scope, conversation_id))) if old else None
    if now is None:
        return 0
    orphans = [ref for ref in old - now.named if not now.needs(ref, old)]
    keys = sorted(written[ref].key for ref in orphans)
    erase_objects(store=store, keys=keys, patience=patience)
    return len(orphans)


@dataclass(frozen=True, slots=True)
class _Counted:
    """What a head says of its turns."""

    named: frozenset[SegmentRef] = frozenset()
    own: range = range(0)
    """Those that stand in the head itself, where nothing was ever taken back."""

    def needs(self, orphan: SegmentRef, old: Collection[SegmentRef]) -> bool:
        """Say whether another program's head may still go on an orphan.

        One that holds turns of the head is perhaps the only other place where they are.
        """
        replaced_now = any(ref.meets(orphan) for ref in self.named if ref not in old)
        return replaced_now or any(map(orphan.holds, self.own))


def _counted(stored: StoredObject | Sentinel | None) -> _Counted | None:
    """Return which segments count; None where nobody knows."""
    if not isinstance(stored, StoredObject):
        return _Counted()
    try:
        head = parse_record(stored.body, name="").head
    except CorruptRecordError:
        return None
    ring = ring_of(stored.meta)
    if head.deleted is not None:
        return _Counted()
    if not is_ours(stored.meta) or ring.keeps_segments:
        return None
    names = head.sealed.names if head.sealed else ()
    own = range(0) if ring.edits else range(head.first_turn, head.turn_count)
    return _Counted(frozenset(SegmentRef(name, 0) for name in names), own)
