"""Read the sealed turns of a conversation: only the segments that hold what is asked for."""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import TypeVar

from everturn.conversations.model.head import Record, readable, reversed_readable
from everturn.conversations.model.segment_refs import SegmentRef
from everturn.conversations.model.turn import Turn
from everturn.conversations.read_record import StoredRecord, read_live_record
from everturn.conversations.segments import READERS, read_segments
from everturn.errors import CorruptRecordError, GoneError, UnavailableError
from everturn.ports.object_store import UNCHANGED, ObjectStore
from everturn.values.go_json import JsonValue
from everturn.values.keys import Scope, head_key

# A head changes while its segments are read where one is redacted, or the newest is popped.
_ATTEMPTS = 5

Result = TypeVar("Result")


def read_whole(
    read: Callable[[StoredRecord], Result],
    *,
    store: ObjectStore,
    scope: Scope,
    conversation_id: str,
    known: StoredRecord | None = None,
) -> Result:
    """Read a conversation that exists, its head first; again where a segment went meanwhile.

    A head that has not changed since it was `known` is not read again.

    Raises:
        NotFoundError, CorruptRecordError: as `read_live_record`; corrupt too where a segment that
            the head names is missing.
        AccessDeniedError, UnavailableError: the store does not answer, or it never rested.
    """
    etag = None
    for _ in range(_ATTEMPTS):
        found = read_live_record(
            store=store, scope=scope, conversation_id=conversation_id, known=known
        )
        try:
            return read(found)
        except GoneError as error:
            if found.etag == etag:
                raise CorruptRecordError(
                    f"a segment is missing conversation={conversation_id}"
                ) from error
            etag = found.etag
    raise UnavailableError(f"the conversation kept changing reads={_ATTEMPTS}")


def read_named(found: StoredRecord, name: str, *, store: ObjectStore, scope: Scope) -> Record:
    """Read one segment that a head names.

    Raises:
        GoneError: it is not there any more, and the head has moved on: read that again.
        CorruptRecordError: it is missing although the head still names it, or cannot be read.
        AccessDeniedError, UnavailableError: the store does not answer.
    """
    id_ = found.record.head.conversation_id
    try:
        return read_segments(store=store, scope=scope, conversation_id=id_, names=[name])[0]
    except GoneError as error:
        if store.get(head_key(scope, id_), unless_etag=found.etag) is not UNCHANGED:
            raise
        raise CorruptRecordError(f"a segment is missing conversation={id_}") from error


def newest_turns(
    found: StoredRecord,
    *,
    store: ObjectStore,
    scope: Scope,
    wanted: int,
    matters: Callable[[SegmentRef], bool] = lambda _: True,
) -> Iterator[Turn]:
    """Yield the readable turns, newest first; segments are opened as the caller goes on.

    Args:
        found: the head.
        store: where segments lie.
        scope: whose conversation.
        wanted: about how many turns will be taken: so many are read at once.
        matters: whether a segment can hold what is looked for; the others stay closed.

    Raises:
        GoneError, CorruptRecordError: as `read_segments`.
    """
    yield from found.record.newest_turns()
    sealed = found.record.head.sealed
    refs = [ref for ref in reversed(sealed.segments if sealed else ()) if matters(ref)]
    for ref, values in _opened(found, refs, wanted - len(found.record.values), store, scope):
        yield from reversed_readable(ref.first, values)


def oldest_turns(
    found: StoredRecord, *, store: ObjectStore, scope: Scope, first: int, wanted: int
) -> Iterator[Turn]:
    """Yield the readable turns from number `first` on; as `newest_turns` otherwise."""
    head = found.record.head
    refs = head.sealed.holding(first, head.turn_count) if head.sealed else ()
    skipped = first - refs[0].first if refs else 0
    for ref, values in _opened(found, refs, wanted + skipped, store, scope):
        yield from (turn for turn in readable(ref.first, values) if turn.index >= first)
    yield from (turn for turn in found.record.oldest_turns() if turn.index >= first)


def sealed_runs(found: StoredRecord, *, store: ObjectStore, scope: Scope) -> Iterator[bytes]:
    """Yield the turns of each segment as they are stored, oldest first; as `newest_turns`."""
    sealed = found.record.head.sealed
    names = [ref.name for ref in sealed.segments] if sealed else []
    id_ = found.record.head.conversation_id
    for start in range(0, len(names), READERS):
        wave = names[start : start + READERS]
        read = read_segments(store=store, scope=scope, conversation_id=id_, names=wave)
        yield from (record.head.turns_json for record in read)


def turns_at(
    found: StoredRecord, *, store: ObjectStore, scope: Scope, first: int, count: int
) -> list[JsonValue]:
    """Return the stored values of these turns, fewer where the conversation ends before.

    Raises:
        GoneError, CorruptRecordError: as `read_segments`.
    """
    head, last = found.record.head, first + count - 1
    refs = head.sealed.holding(first, last) if head.sealed else ()
    values = [value for _, held in _opened(found, refs, count, store, scope) for value in held]
    start = refs[0].first if refs else head.first_turn
    if last >= head.first_turn:
        values.extend(found.record.values)
    return values[max(first - start, 0) : max(last + 1 - start, 0)]


def _opened(
    found: StoredRecord,
    refs: Sequence[SegmentRef],
    wanted: int,
    store: ObjectStore,
    scope: Scope,
) -> Iterator[tuple[SegmentRef, tuple[JsonValue, ...]]]:
    conversation_id = found.record.head.conversation_id
    at = 0
    while at < len(refs):
        wave = refs[at : at + _enough(refs[at : at + READERS], wanted)]
        read = read_segments(
            store=store,
            scope=scope,
            conversation_id=conversation_id,
            names=[ref.name for ref in wave],
        )
        yield from ((ref, record.values) for ref, record in zip(wave, read, strict=True))
        at += len(wave)


def _enough(refs: Sequence[SegmentRef], wanted: int) -> int:
    """Return how many of the first segments hold so many turns; all of them where none do."""
    totals = accumulate(ref.count for ref in refs)
    return next((number for number, total in enumerate(totals, 1) if total >= wanted), len(refs))
