"""What this process keeps for ranking memories: columns and vectors of the scopes used last."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from everturn.memory.index.columns import MemoryColumns, MemoryIndex
from everturn.memory.index.record_cache import LoadedRows
from everturn.storage.lru_cache import BoundedCache

# 100,000 memories with 384 dimensions take some 60 MB, or 210 in their wide form.
_INDEX_BYTES: Final = 320 * 1_048_576


@dataclass(frozen=True, slots=True)
class LoadedMemories:
    """The index of the memories of a scope as of some rows, and what is not in it yet.

    `current` is bool[n]: what holds now. `pending_vectors` were not asked for or not answered; for
    texts with the hashes `refused` the model had none. `stored` are the etags of the files of
    vectors that were read or written; those of texts with the hashes `unsaved` are in none. `stale`
    files may hold the vector of what was forgotten or went.
    """

    rows: LoadedRows
    index: MemoryIndex
    columns: Mapping[str, MemoryColumns]
    current: NDArray[np.bool_]
    stored: Mapping[str, str]
    refused: frozenset[int] = frozenset()
    unsaved: frozenset[int] = frozenset()
    stale: frozenset[str] = frozenset()
    pending_vectors: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether there is nothing left to do for these rows."""
        return self.rows.is_complete and not self.pending_vectors


class MemoryIndexes:
    """The indexes of this process, by scope and model."""

    def __init__(self, *, index_bytes: int = _INDEX_BYTES) -> None:
        """Bound them in bytes."""
        self.indexes: BoundedCache[LoadedMemories] = BoundedCache(index_bytes)
