"""Remove the segments of one conversation that its head does not name.

Not here: when it is looked at (services/sweep.py).

A segment is written before the head that names it: a crash, or a lost race, leaves it behind. So it
must be a day old, by the store's own times, and the head is read after the listing: a head that
comes to name it later was written by somebody who wrote the segment within seconds.
"""

from collections.abc import Collection
from typing import Final

from everturn.domain.head import parse_record
from everturn.domain.keys import Scope, head_key, segment_name_of, segments_prefix
from everturn.domain.sealed import is_segment_name
from everturn.domain.sweep_pass import DAY_NS
from everturn.domain.write_ring import is_ours
from everturn.errors import CorruptRecordError
from everturn.ports.object_store import ObjectStore, Sentinel, StoredObject
from everturn.services.erase_objects import erase_objects
from everturn.services.list_keys import list_all
from everturn.services.retrying import Patience

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
    head holds may be found again by them.

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
    old = {
        name: entry.key
        for entry in listed
        if entry.modified_ns + grace_ns <= now_ns
        and is_segment_name(name := segment_name_of(entry.key))
    }
    named = _named(store.get(head_key(scope, conversation_id))) if old else None
    if named is None:
        return 0
    orphans = [key for name, key in old.items() if name not in named]
    erase_objects(store=store, keys=orphans, patience=patience)
    return len(orphans)


def _named(stored: StoredObject | Sentinel | None) -> Collection[str] | None:
    """Return the segments that count; None where nobody knows."""
    if not isinstance(stored, StoredObject):
        return ()
    try:
        head = parse_record(stored.body, name="").head
    except CorruptRecordError:
        return None
    if head.deleted is not None:
        return ()
    if not is_ours(stored.meta):
        return None
    return head.sealed.names if head.sealed else ()
