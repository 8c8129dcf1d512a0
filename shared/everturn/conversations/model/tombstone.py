"""What takes the place of a deleted conversation's head."""

from everturn.conversations.model.head import Head
from everturn.conversations.model.write_ring import RingEntry, WriteRing, hash_of_turns


def deletion(write_id: str) -> RingEntry:
    """Return the entry by which a deletion is known again."""
    return RingEntry(write_id, hash_of_turns(b""), 0)


def entomb(head: Head, ring: WriteRing, own: RingEntry, *, now_ns: int) -> tuple[Head, WriteRing]:
    """Return the tombstone of a head, and its ring: all writes belong to a former life now."""
    tombstone = head.tombstone(updated_ns=max(now_ns, head.updated_ns + 1))
    return tombstone, ring.scrubbed().edited().with_entry(own)
