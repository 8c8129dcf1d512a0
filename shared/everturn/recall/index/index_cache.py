"""What this process keeps between two recalls: indexes of conversations, and parsed segments.

Both are bounded in bytes, and an index is used only while its head has the same etag; a segment
never changes under its name.
"""

from dataclasses import dataclass
from typing import Final

from everturn.conversations.model.head import Record
from everturn.conversations.read_record import StoredRecord
from everturn.recall.index.turn_index import TurnIndex
from everturn.storage.lru_cache import BoundedCache

# An index of 100,000 turns with 384 dimensions takes some 220 MB; the function has 1,769.
_INDEX_BYTES: Final = 320 * 1_048_576
# Parsed, a segment takes some four times its bytes.
_SEGMENT_BYTES: Final = 8 * 1_048_576


@dataclass(frozen=True, slots=True)
class LoadedIndex:
    """An index as of one head, and what is not in it yet.

    `pending_turns` could not be looked at in time, `pending_vectors` were not asked for or not
    answered: the next call goes on with both. To `refused` turns the model gave none; the oldest
    `unsearched` of a very long thread are left out. Chunks `unsaved` could not be written.
    """

    found: StoredRecord
    index: TurnIndex
    pending_turns: int = 0
    pending_vectors: int = 0
    refused: int = 0
    unsearched: int = 0
    unsaved: frozenset[int] = frozenset()

    @property
    def is_complete(self) -> bool:
        """Whether there is nothing left to do for this head."""
        return not (self.pending_turns or self.pending_vectors or self.unsaved)


class IndexCache:
    """The indexes and the segments of this process."""

    def __init__(
        self, *, index_bytes: int = _INDEX_BYTES, segment_bytes: int = _SEGMENT_BYTES
    ) -> None:
        """Bound each in bytes."""
        self.indexes: BoundedCache[LoadedIndex] = BoundedCache(index_bytes)
        self.segments: BoundedCache[Record] = BoundedCache(segment_bytes)
