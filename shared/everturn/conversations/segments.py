"""Read, write and remove segments: the files that hold a conversation's sealed turns.

Segments are read in parallel. Each is written under a name of its own.

Sealing moves the oldest turns out of a head that is about to be written. The segment is written
first, then the head that names it. Sealed turns may hold the one that gives the title.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from everturn.conversations.model.head import Head, Record, readable
from everturn.conversations.model.sealing import Segment, is_too_big, parse_segment, seal
from everturn.conversations.model.segment_refs import SegmentRef
from everturn.conversations.model.summary import title_of
from everturn.conversations.model.write_ring import WRITE_ID_BYTES, write_id
from everturn.errors import CorruptRecordError, GoneError, StoreError, UnavailableError
from everturn.ports.clock import Entropy
from everturn.ports.object_store import ABSENT, ObjectStore, StoredObject
from everturn.values.go_json import JsonValue
from everturn.values.keys import Scope, segment_key

# A GET waits some 30 ms for S3; 16 segments of the usual 192 KiB fill an answer.
READERS = 16


def read_segments(
    *, store: ObjectStore, scope: Scope, conversation_id: str, names: Sequence[str]
) -> list[Record]:
    """Read segments in the order given, one request each, in parallel.

    Raises:
        GoneError: one is not there any more; the head has moved on.
        CorruptRecordError: one cannot be read.
        AccessDeniedError, UnavailableError: the store does not answer.
    """

    def read(name: str) -> Record:
        stored = store.get(segment_key(scope, conversation_id, name))
        if not isinstance(stored, StoredObject):
            raise GoneError("the segment is gone")
        return parse_segment(stored.body, ref_name=name, conversation_id=conversation_id)

    if len(names) <= 1:
        return [read(name) for name in names]
    # Kept out of a cold start: an append opens a segment hardly ever.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(READERS) as readers:
        return list(readers.map(read, names))


def put_segments(
    segments: Iterable[Segment], *, store: ObjectStore, scope: Scope, conversation_id: str
) -> None:
    """Write segments, which no head names yet.

    Raises:
        PreconditionFailedError, OutcomeUnknownError, UnavailableError: one was not written for
            certain; another attempt writes under other names.
    """
    for segment in segments:
        key = segment_key(scope, conversation_id, segment.ref.name)
        store.put(key, segment.body, expect=ABSENT)


def drop_segments(
    names: Iterable[str], *, store: ObjectStore, scope: Scope, conversation_id: str
) -> bool:
    """Remove segments that no head names any more; whether all of them are gone for certain.

    What is left is found by the sweep, by its age.
    """
    # In order: the same call is the same request, and the same seed the same run of the simulator.
    keys = [segment_key(scope, conversation_id, name) for name in sorted(names)]
    try:
        return not keys or not store.delete_many(keys)
    except (StoreError, UnavailableError):
        return False


def find_title(
    refs: Sequence[SegmentRef],
    known: Mapping[str, Sequence[JsonValue]],
    *,
    store: ObjectStore,
    scope: Scope,
    conversation_id: str,
) -> str:
    """Return the title made of the first user turn, "" without one; nearly always one request.

    Args:
        refs: the segments, oldest first.
        known: turns of segments by name, as they are to be; these are not read.
        store: where segments lie.
        scope: whose conversation.
        conversation_id: which.

    Raises:
        GoneError, CorruptRecordError, AccessDeniedError, UnavailableError: as `read_segments`.
    """
    for ref in refs:
        values = known.get(ref.name)
        if values is None:
            read = read_segments(
                store=store, scope=scope, conversation_id=conversation_id, names=[ref.name]
            )
            values = read[0].values
        if title := title_of(readable(ref.first, values)):
            return title
    return ""


@dataclass(slots=True)
class SealTrail:
    """The segments that one call put, or may have put, and those that they took in."""

    put: list[str] = field(default_factory=list)
    taken_in: dict[str, int] = field(default_factory=dict)
    """With how often something had been taken back then."""


def seal_head(
    head: Head,
    trail: SealTrail,
    *,
    committed: int,
    edits: int,
    store: ObjectStore,
    entropy: Entropy,
    scope: Scope,
) -> Head:
    """Return the head to be written, its oldest turns in segments; itself if it is small.

    The newest segment is written anew together with them as long as both fit into one, so that a
    head names few segments however long its thread is.

    Raises:
        PreconditionFailedError, OutcomeUnknownError, UnavailableError: as `put_segments`.
    """
    if not is_too_big(head):
        return head
    id_ = head.conversation_id
    names = [head.sealed.segments[-1].name] if head.sealed else []
    try:
        newest = read_segments(store=store, scope=scope, conversation_id=id_, names=names)
    except (GoneError, CorruptRecordError):
        # Either the head has moved on, and will refuse this one. Or a segment was lost or broken:
        # readers are told, and that is no reason to take no more turns.
        newest = []
    own = write_id(entropy.token(WRITE_ID_BYTES))
    left, segments = seal(head, committed=committed, write_id=own, newest=next(iter(newest), None))
    trail.put += [segment.ref.name for segment in segments]
    if left.sealed and not left.sealed.names.issuperset(names):
        trail.taken_in |= dict.fromkeys(names, edits)
    put_segments(segments, store=store, scope=scope, conversation_id=id_)
    return left


def drop_unnamed(
    trail: SealTrail, head: Head, *, edits: int | None, store: ObjectStore, scope: Scope
) -> None:
    """Remove what a stored head does not name: of lost attempts, and what may hold something old.

    A name that a head gave up never comes back, and no attempt from before it can happen any more.
    But another program may have read that head, and write it: what was taken in is left to the
    sweep, unless something was taken back since.

    Args:
        trail: of the call.
        head: as it is stored now.
        edits: how often something was taken back by now; None where everything was.
        store: where segments lie.
        scope: whose conversation.
    """
    if not trail.put:
        return
    named = head.sealed.names if head.sealed else frozenset()
    stale = {name for name, before in trail.taken_in.items() if edits is None or before < edits}
    names = {*trail.put, *stale} - named
    drop_segments(names, store=store, scope=scope, conversation_id=head.conversation_id)
