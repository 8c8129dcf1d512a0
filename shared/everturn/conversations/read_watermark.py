"""Read how far one conversation was consolidated."""

from dataclasses import dataclass

from everturn.conversations.model.watermark import Watermark, parse_watermark
from everturn.errors import CorruptRecordError
from everturn.ports.object_store import Etag, ObjectStore, StoredObject


@dataclass(frozen=True, slots=True)
class StoredWatermark:
    """A watermark and the version that it was read at; None where there was no file."""

    mark: Watermark
    etag: Etag | None = None


def read_watermark(*, store: ObjectStore, key: str, conversation_id: str) -> StoredWatermark:
    """Return how far it is; one that cannot be read counts as none, but has its version.

    Whoever consolidates replaces such a one, and reads from the beginning: a source counts once all
    the same. One request.

    Args:
        store: where watermarks lie.
        key: that of the watermark.
        conversation_id: of a conversation that has none yet.

    Raises:
        AccessDeniedError, UnavailableError: the store does not read.
    """
    stored = store.get(key)
    if not isinstance(stored, StoredObject):
        return StoredWatermark(Watermark(conversation_id))
    try:
        mark = parse_watermark(stored.body)
    except CorruptRecordError:
        mark = Watermark(conversation_id)
    return StoredWatermark(mark, stored.etag)
