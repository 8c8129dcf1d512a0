"""Remove the segments that still hold what a turn said before it was redacted.

Not here: redacting it (services/redact_turn.py). Such a segment is the one that was replaced, or
is of an append that lost its race: built on an older head, it will never be named by any.
"""

from collections.abc import Collection, Iterator

from everturn.domain.go_json import JsonValue
from everturn.domain.keys import Scope, segment_name_of, segments_prefix
from everturn.domain.sealed import SegmentRef, is_segment_name
from everturn.errors import CorruptRecordError, GoneError, StoreError, UnavailableError
from everturn.ports.object_store import ObjectStore
from everturn.services.list_keys import list_all
from everturn.services.segment_files import drop_segments, read_segments


def drop_stale_segments(
    number: int,
    value: JsonValue,
    *,
    named: Collection[str],
    store: ObjectStore,
    scope: Scope,
    conversation_id: str,
) -> bool:
    """Remove them; whether all are gone for certain.

    Args:
        number: of the turn.
        value: what it is now.
        named: the segments that the head names, which are kept.
        store: where segments lie.
        scope: whose conversation.
        conversation_id: which.
    """
    try:
        listed = list_all(store, segments_prefix(scope, conversation_id))
        others = [name for entry in listed if (name := segment_name_of(entry.key)) not in named]
        stale = [
            ref.name
            for ref in map(_ref, filter(is_segment_name, others))
            if ref.first <= number <= ref.last
            for held in _values(ref, store=store, scope=scope, conversation_id=conversation_id)
            if held[number - ref.first] != value
        ]
    except (StoreError, UnavailableError, CorruptRecordError):
        return False
    return drop_segments(stale, store=store, scope=scope, conversation_id=conversation_id)


def _ref(name: str) -> SegmentRef:
    return SegmentRef(name, 0)


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
