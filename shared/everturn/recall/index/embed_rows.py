"""Give rows their vectors: only those that have none, in batches, within a bound."""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from everturn.conversations.model.turn import Turn
from everturn.errors import MisconfiguredError, UnavailableError
from everturn.ports.embedder import Embedder, Purpose, Vectors
from everturn.recall.index.build_rows import is_row_of
from everturn.recall.index.turn_rows import TRIED, TurnRows
from everturn.recall.language.terms import matchable_text
from everturn.storage.budget import Budget

# The texts of a batch are held at once, a turn may have 1 MiB.
_BATCH_BYTES: Final = 4 * 1_048_576
# Nothing at all for so many texts is a model that fails politely; for fewer it may be the texts.
_MANY: Final = 8

Turns: TypeAlias = Callable[[int, int], Sequence[Turn | None]]
"""Returns the turns of a range of rows, counted from 0, both ends included."""


@dataclass(slots=True)
class Embedding:
    """One request's use of an embedder: how many texts it was given, and whether it failed.

    `budget` bounds what is given of turns, `asking` when the query may be asked for. Threads ask
    one after another, and one that failed is not asked again: a request waits once for a model
    that does not answer.
    """

    embedder: Embedder
    budget: Budget
    asking: Budget
    embedded: int = 0
    failed: bool = False
    late: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _queries: dict[str, NDArray[np.float32]] = field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        """Whether no more turns are to be given."""
        return self.failed or self.budget.is_over

    def give(self, rows: TurnRows, turns: Turns) -> TurnRows:
        """Return rows with the vectors that they lack, as far as time and the model allow.

        One for which the model had none before is asked for again only along with new ones.

        Args:
            rows: of one chunk.
            turns: where their texts are had from.
        """
        wanted = np.flatnonzero(rows.wanted)
        if not (rows.flags[wanted] & TRIED == 0).any():
            return rows
        for at in _batches(wanted, rows, self.embedder.max_batch):
            if self.is_over:
                break
            texts = _texts(rows, at, turns)
            vectors = self.vectors_of(list(texts.values())) if texts else None
            if vectors is not None:
                rows = rows.with_vectors(np.array(list(texts), np.intp), vectors)
        return rows

    def vector_of(self, query: str) -> NDArray[np.float32] | None:
        """Return the unit vector of a query; None where that fails, or it is too late to ask."""
        with self._lock:
            if query in self._queries or self.failed:
                return self._queries.get(query)
            self.late = self.asking.is_over
            if self.late:
                return None
            vectors = self._embed([query], "query")
            if vectors is None or not vectors.any():
                self.failed = True
                return None
            self._queries[query] = vectors[0]
            return self._queries[query]

    def vectors_of(self, texts: Sequence[str]) -> Vectors | None:
        """Return float32[n, d] of texts to keep; None where the model fails, or did before."""
        with self._lock:
            # Time is no reason any more: the next call would have to read the texts again.
            if self.failed:
                return None
            vectors = self._embed(texts, "passage")
            self.budget.spend(len(texts))
            if vectors is None or (len(texts) >= _MANY and not vectors.any()):
                self.failed = True
                return None
            self.embedded += len(texts)
            return vectors

    def _embed(self, texts: Sequence[str], purpose: Purpose) -> Vectors | None:
        try:
            vectors = self.embedder.embed(texts, purpose=purpose)
        except (UnavailableError, MisconfiguredError):
            return None
        # Of another size than it says it is another model, or none.
        return vectors if vectors.shape == (len(texts), self.embedder.dimensions) else None


def _texts(rows: TurnRows, at: NDArray[np.intp], turns: Turns) -> dict[int, str]:
    """Return what to embed, by row; nothing for a row whose turn is another by now."""
    first = int(at[0])
    held = turns(first, int(at[-1]))
    pairs = ((row, held[row - first]) for row in map(int, at))
    return {
        row: matchable_text(turn.text)
        for row, turn in pairs
        if turn is not None and is_row_of(turn, rows, row)
    }


def _batches(
    wanted: NDArray[np.intp], rows: TurnRows, max_batch: int
) -> Iterator[NDArray[np.intp]]:
    """Yield the wanted rows in batches, the newest first: they are asked for most."""
    stop = len(wanted)
    while stop > 0:
        start, size = stop - 1, int(rows.sizes[wanted[stop - 1]])
        while start > 0 and stop - start < max_batch:
            size += int(rows.sizes[wanted[start - 1]])
            if size > _BATCH_BYTES:
                break
            start -= 1
        yield wanted[start:stop]
        stop = start
