"""Whether a write that got no clear answer has happened: by its write id, else by its place."""

from collections.abc import Sequence
from dataclasses import dataclass

from everturn.conversations.head_cache import Base
from everturn.conversations.model.write_ring import RingEntry, WriteRing
from everturn.conversations.read_record import StoredRecord
from everturn.conversations.read_segments import turns_at
from everturn.errors import UnavailableError
from everturn.ports.object_store import ObjectStore
from everturn.values.go_json import dumps
from everturn.values.keys import Scope


@dataclass(frozen=True, slots=True)
class UnclearWrite:
    """An attempt without a clear answer: the state of the head that it was built on."""

    turn_count: int
    newest: RingEntry | None
    """The append that came before it."""
    edits: int


def unclear_write(base: Base) -> UnclearWrite:
    """Return what has to be known of an attempt on this base."""
    return UnclearWrite(base.head.turn_count, base.ring.newest, base.ring.edits)


def is_known(attempt: UnclearWrite, ring: WriteRing) -> bool:
    """Say whether a ring would hold the attempt if it had happened.

    It does as long as it goes back to the write before the attempt: that very one, since a key that
    was forgotten may come again. Of a life that was deleted only ids are left, and of one that was
    swept nothing; then, and on a base without a ring, it does while nothing fell out.
    """
    is_whole = not ring.is_full and ring.reaches(attempt.turn_count)
    if attempt.newest is None:
        return is_whole
    entry = ring.find(attempt.newest.write_id)
    if entry is None:
        return is_whole and attempt.edits == ring.edits
    return not ring.is_full if entry.is_former else entry == attempt.newest


def find_by_place(
    attempts: Sequence[UnclearWrite],
    encoded: Sequence[bytes],
    found: StoredRecord,
    *,
    store: ObjectStore,
    scope: Scope,
) -> int | None:
    """Return where an append stands that its ring forgot: exactly where an attempt would put it.

    Nowhere else: equal turns are legal. And never where a write after it took turns back: what is
    missing there may have been written and removed.

    Raises:
        UnavailableError: nobody can tell any more.
        GoneError, CorruptRecordError: as `read_segments`.
    """
    for attempt in attempts:
        if is_known(attempt, found.ring):
            continue
        refuse_edited(attempt, found.ring)
        first = attempt.turn_count
        there = turns_at(found, store=store, scope=scope, first=first, count=len(encoded))
        if [dumps(value).encode() for value in there] == list(encoded):
            return first
    return None


def edit_has_happened(write_id: str, unclear: UnclearWrite | None, ring: WriteRing) -> bool:
    """Say whether the last attempt to take turns back has happened, by its write id.

    Args:
        write_id: of all attempts of the call.
        unclear: the last attempt without a clear answer, None if all were refused.
        ring: of the head as it is now.

    Raises:
        UnavailableError: nobody can tell any more.
    """
    if ring.find(write_id) is not None:
        return True
    if unclear is not None and not is_known(unclear, ring):
        # It counts as an edit: without one since, it has not happened.
        refuse_edited(unclear, ring)
    return False


def refuse_edited(attempt: UnclearWrite, ring: WriteRing) -> None:
    """Refuse to guess where turns were taken back since an attempt.

    Raises:
        UnavailableError: they were.
    """
    if attempt.edits != ring.edits:
        raise UnavailableError("the conversation was edited meanwhile, the outcome is unknown")
