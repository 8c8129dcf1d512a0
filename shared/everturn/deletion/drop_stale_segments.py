"""Remove stored copies of a redacted or popped turn: stale segments and staged extractions.

A stale segment was replaced, was merged into another one, or is of an append that lost its race.

A segment that another writer is about to name must never be removed. So the head is read after
the listing. Nothing is removed if anything else was redacted or popped since. Otherwise each listed
segment was built on a head before ours or on one after it. In the first case its writer is bound to
fail; in the second it holds what that head holds. A segment that was merged into one of the head is
removed in any case: no writer names it again.

Staged extractions are removed because they may quote the turn. A worker that stages concurrently
removes its own: they are of other turns than there are now.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from everturn.conversations.model.segment_refs import SegmentRef, is_segment_name
from everturn.conversations.read_record import StoredRecord, read_record
from everturn.conversations.read_segments import turns_at
from everturn.conversations.segments import drop_segments, read_segments
from everturn.errors import CorruptRecordError, GoneError, StoreError, UnavailableError
from everturn.ports.object_store import ObjectStore
from everturn.storage.deletes import erase_listed
from everturn.storage.list_keys import list_all
from everturn.storage.swap import Patience
from everturn.values.go_json import JsonValue
from everturn.values.keys import Scope, segment_name_of, segments_prefix, staged_prefix


def drop_redacted(
    number: int,
    value: JsonValue,
    edits: int,
    *,
    store: ObjectStore,
    scope: Scope,
    conversation_id: str,
) -> bool:
    """Remove those that hold another text of a redacted turn; whether all are gone for certain.

    Args:
        number: of the turn.
        value: what it is now.
        edits: how often something was taken back, this time included.
        store: where segments lie.
        scope: whose conversation.
        conversation_id: which.
    """

    def is_stale(held: JsonValue) -> bool:
        # Another redaction of the turn may have put its segment, and not yet its head.
        redacted = isinstance(held, dict) and held.get("redacted") is True
        return held != value and not redacted

    place = _Place(number, edits, conversation_id)
    return _drop(place, is_stale, store=store, scope=scope)


def drop_popped(
    number: int,
    value: JsonValue,
    edits: int,
    *,
    store: ObjectStore,
    scope: Scope,
    conversation_id: str,
) -> bool:
    """Remove those that hold a popped turn at its number; whether all are gone for certain.

    Nothing goes where somebody has said the very same again. Arguments as `drop_redacted`.
    """

    def is_stale(held: JsonValue) -> bool:
        return held == value

    place = _Place(number, edits, conversation_id)
    return _drop(place, is_stale, store=store, scope=scope)


@dataclass(frozen=True, slots=True)
class _Place:
    number: int
    edits: int
    id_: str


def _drop(
    place: _Place, is_stale: Callable[[JsonValue], bool], *, store: ObjectStore, scope: Scope
) -> bool:
    number, id_ = place.number, place.id_
    try:
        listed = list_all(store, segments_prefix(scope, id_))
        names = list(filter(is_segment_name, (segment_name_of(entry.key) for entry in listed)))
        refs = [ref for ref in (SegmentRef(name, 0) for name in names) if ref.holds(number)]
        if not refs:
            return True
        found = read_record(store=store, scope=scope, conversation_id=id_)
        if found is None or found.record.head.deleted is not None or found.ring.keeps_segments:
            # Where segments are kept, nobody knows which numbers their turns have now.
            return False
        taken_in = _taken_in(refs, found)
        gone = drop_segments(taken_in, store=store, scope=scope, conversation_id=id_)
        if found.ring.edits != place.edits:
            return False
        if any(map(is_stale, turns_at(found, store=store, scope=scope, first=number, count=1))):
            return True
        stale = [
            ref.name
            for ref in _unnamed(refs, found)
            if ref.name not in taken_in
            for values in _values(ref, store=store, scope=scope, conversation_id=id_)
            if is_stale(values[number - ref.first])
        ]
    except (StoreError, UnavailableError, CorruptRecordError):
        return False
    return gone & drop_segments(stale, store=store, scope=scope, conversation_id=id_)


def _taken_in(refs: list[SegmentRef], found: StoredRecord) -> set[str]:
    """Return those whose turns a longer one holds that the head names: none will name them again.

    Who seals on top of that head writes at least as much, who redacts as much.
    """
    sealed = found.record.head.sealed
    named = sealed.segments if sealed else ()
    return {ref.name for ref in refs for longer in named if ref.is_inside(longer)}


def _unnamed(refs: list[SegmentRef], found: StoredRecord) -> list[SegmentRef]:
    sealed = found.record.head.sealed
    return [ref for ref in refs if sealed is None or ref.name not in sealed.names]


def _values(
    ref: SegmentRef, *, store: ObjectStore, scope: Scope, conversation_id: str
) -> Iterator[tuple[JsonValue, ...]]:
    """Yield the turns of a segment, nothing where somebody removed it meanwhile."""
    try:
        read = read_segments(
            store=store, scope=scope, conversation_id=conversation_id, names=[ref.name]
        )
    except GoneError:
        return
    yield read[0].values


def erase_staged(
    *, store: ObjectStore, patience: Patience, scope: Scope, conversation_id: str
) -> bool:
    """Remove all staged extractions of a conversation; whether all are gone for certain.

    One request that lists, and one for each that is there: hardly ever any is.
    """
    try:
        entries = list(list_all(store, staged_prefix(scope, conversation_id)))
        return not erase_listed(store=store, entries=entries, patience=patience)
    except (StoreError, UnavailableError):
        return False
