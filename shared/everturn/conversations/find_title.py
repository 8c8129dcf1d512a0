"""Find the title that the sealed turns of a conversation give it."""

from collections.abc import Mapping, Sequence

from everturn.conversations.model.head import readable
from everturn.conversations.model.segment_refs import SegmentRef
from everturn.conversations.model.summary import title_of
from everturn.conversations.segments import read_segments
from everturn.ports.object_store import ObjectStore
from everturn.values.go_json import JsonValue
from everturn.values.keys import Scope


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
