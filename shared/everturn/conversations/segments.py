"""Segments as files: read in parallel, written under names of their own, removed."""

from collections.abc import Iterable, Sequence

from everturn.conversations.model.head import Record
from everturn.conversations.model.sealing import Segment, parse_segment
from everturn.errors import GoneError, StoreError, UnavailableError
from everturn.ports.object_store import ABSENT, ObjectStore, StoredObject
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
