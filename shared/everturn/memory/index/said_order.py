"""The words of memories in the order in which their sources said them, for the lexical lane.

What one conversation said in one breath belongs together, as its turns do: what is asked for may
stand in two statements.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from everturn.recall.index.turn_index import shifted
from everturn.recall.ranking.lexical_scores import TermIndex
from everturn.values.timestamps import NANOSECONDS

# As turns: what comes after a night, or half a day of work, is about something else.
_PAUSE_NS: Final = 4 * 3_600 * NANOSECONDS


class SaidIndex(TermIndex, Protocol):
    """n texts, each said first by one of its sources."""

    @property
    def lengths(self) -> NDArray[np.uint32]:
        """uint32[n]: how many terms."""
        ...

    @property
    def first_times(self) -> NDArray[np.int64]:
        """int64[n]: when each was said first, in Unix nanoseconds."""
        ...

    @property
    def sources(self) -> NDArray[np.uint64]:
        """uint64[k]: the sources of each text, text by text."""
        ...

    @property
    def source_rows(self) -> NDArray[np.int32]:
        """int32[k]: the text that each is of."""
        ...


@dataclass(frozen=True, eq=False)
class SaidOrder:
    """n texts, ordered by their first source and the time at which it said them.

    `places` are intp[n]: where each text of the index stands here; `groups` int32[n]: which of the
    texts, as they stand here, belong together.
    """

    places: NDArray[np.intp]
    groups: NDArray[np.int32]
    terms: NDArray[np.uint32]
    term_rows: NDArray[np.int32]
    counts: NDArray[np.uint8]
    lengths: NDArray[np.uint32]
    _near: dict[int, NDArray[np.bool_]] = field(default_factory=dict)

    @classmethod
    def of(cls, index: SaidIndex) -> "SaidOrder":
        """Put the texts of an index in order."""
        count, times = len(index), index.first_times
        sources = np.zeros(count, np.uint64)
        having, firsts = np.unique(index.source_rows, return_index=True)
        sources[having] = index.sources[firsts]
        order = np.lexsort((times, sources))
        places = np.empty(count, np.intp)
        places[order] = np.arange(count)
        breaks = np.zeros(count, np.int32)
        breaks[1:] = np.diff(times[order]) > _PAUSE_NS
        breaks[1:] |= sources[order][1:] != sources[order][:-1]
        # What has no source belongs to nothing.
        breaks[sources[order] == 0] = 1
        return cls(
            places=places,
            groups=np.cumsum(breaks).astype(np.int32),
            terms=index.terms,
            term_rows=places[index.term_rows].astype(np.int32),
            counts=index.counts,
            lengths=index.lengths[order],
        )

    def __len__(self) -> int:
        """Return n."""
        return len(self.places)

    @cached_property
    def answers(self) -> NDArray[np.bool_]:
        """bool[n]: none, since a statement answers nothing."""
        return np.zeros(len(self), np.bool_)

    def near(self, offset: int) -> NDArray[np.bool_]:
        """bool[n]: whether text i - offset belongs to text i; kept for later."""
        if offset not in self._near:
            near = np.zeros(len(self), np.bool_)
            here, there = shifted(len(self), offset)
            near[here] = self.groups[here] == self.groups[there]
            self._near[offset] = near
        return self._near[offset]
