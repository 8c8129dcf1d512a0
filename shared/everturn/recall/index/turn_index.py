"""The turns that one recall ranks: rows of one conversation, or of several, as flat columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from everturn.recall.index.turn_rows import (
    ENDS_ASKING,
    NO_TIME,
    ORDERS,
    READABLE,
    SAYS_WHEN,
    TurnRows,
)
from everturn.values.timestamps import NANOSECONDS

# A pause after which people talk of something else: a night, or half a day of work.
_PAUSE_NS: Final = 4 * 3_600 * NANOSECONDS
_DAY_NS: Final = 86_400 * NANOSECONDS
# So many turns are about one thing: a thread without pauses has no sessions, a long one too few.
_BLOCK: Final = 40


@dataclass(frozen=True, slots=True)
class Stretch:
    """Rows of one conversation, in order; `first` is the number of the first turn."""

    conversation_id: str
    first: int
    rows: TurnRows


class TurnIndex:
    """n turns, as columns; turns of one conversation follow one another by number."""

    def __init__(self, stretches: Sequence[Stretch], *, widen: bool = False) -> None:
        """Join stretches.

        Args:
            stretches: those of one conversation one after another, all of one d.
            widen: whether to keep vectors as float32, which ranks faster and takes four times
                the memory.
        """
        rows = [stretch.rows for stretch in stretches]
        self.stretches = tuple(stretches)
        self.starts = np.cumsum([0, *map(len, rows)])
        self.hashes = _joined(rows, "hashes", np.uint64)
        self.times = _joined(rows, "times", np.int64)
        self.flags = _joined(rows, "flags", np.uint8)
        self.asked = _joined(rows, "asked", np.uint8)
        self.sizes = _joined(rows, "sizes", np.uint32)
        self.lengths = _joined(rows, "lengths", np.uint32)
        self.scales = _joined(rows, "scales", np.float32)
        self.terms = _joined(rows, "terms", np.uint32)
        self.counts = _joined(rows, "counts", np.uint8)
        widths = _joined(rows, "widths", np.uint32)
        self.term_rows = np.repeat(np.arange(len(self), dtype=np.int32), widths)
        names: dict[str, int] = {}
        lookups = [[names.setdefault(name, len(names)) for name in part.names] for part in rows]
        self.names = tuple(names)
        self.roles = _pointed(rows, lookups, "roles")
        self.speakers = _pointed(rows, lookups, "speakers")
        self.vectors = [part.wide if widen else part.vectors for part in rows]

    def __len__(self) -> int:
        """Return n."""
        return len(self.hashes)

    @property
    def size_bytes(self) -> int:
        """Bytes of all columns, about: flat ones, stored ones, and vectors."""
        stored = sum(stretch.rows.size_bytes for stretch in self.stretches)
        return 2 * stored + sum(block.nbytes for block in self.vectors)

    @cached_property
    def readable(self) -> NDArray[np.bool_]:
        """bool[n]: turns that can be found."""
        return self.flags & READABLE > 0

    @cached_property
    def says_when(self) -> NDArray[np.bool_]:
        """bool[n]: turns that name a time."""
        return self.flags & SAYS_WHEN > 0

    @cached_property
    def dates(self) -> NDArray[np.int32]:
        """int32[4, n]: year, month, day and weekday in UTC, Monday 0; -1 without a time."""
        return dates_of(self.times)

    @cached_property
    def owners(self) -> NDArray[np.int32]:
        """int32[n]: which conversation, counted from 0 in the order of the stretches."""
        ids: dict[str, int] = {}
        owner = [ids.setdefault(part.conversation_id, len(ids)) for part in self.stretches]
        return np.repeat(np.array(owner, np.int32), np.diff(self.starts))

    @cached_property
    def sessions(self) -> NDArray[np.int32]:
        """int32[n]: which session, from 0: turns without a pause, of one conversation."""
        known = np.where(self.times == NO_TIME, np.int64(0), self.times)
        both = (self.times[1:] != NO_TIME) & (self.times[:-1] != NO_TIME)
        breaks = np.zeros(len(self), bool)
        breaks[1:] = both & (np.abs(np.diff(known)) > _PAUSE_NS)
        breaks[1:] |= np.diff(self.owners) != 0
        gaps = [a.first + len(a.rows) != b.first for a, b in pairwise(self.stretches)]
        breaks[self.starts[1:-1][gaps]] = True
        return np.cumsum(breaks).astype(np.int32)

    @cached_property
    def blocks(self) -> NDArray[np.int32]:
        """int32[n]: which part of a session, from 0: each is cut into equal ones of about 40."""
        if not len(self):
            return self.sessions
        lengths = np.bincount(self.sessions)
        firsts = np.cumsum(lengths) - lengths
        pieces = np.maximum(np.rint(lengths / _BLOCK), 1).astype(np.int64)
        offsets = np.cumsum(pieces) - pieces
        since = np.arange(len(self)) - firsts[self.sessions]
        inner = since * pieces[self.sessions] // lengths[self.sessions]
        return (offsets[self.sessions] + inner).astype(np.int32)

    @cached_property
    def among_people(self) -> NDArray[np.bool_]:
        """bool[n]: turns of conversations in which no assistant speaks."""
        if "assistant" not in self.names:
            return np.ones(len(self), bool)
        by_assistant = self.roles == self.names.index("assistant")
        return np.asarray((np.bincount(self.owners, by_assistant) == 0)[self.owners])

    @cached_property
    def answers(self) -> NDArray[np.bool_]:
        """bool[n]: turns among people that follow one that ends in a question."""
        answers = np.zeros(len(self), bool)
        answers[1:] = self.flags[:-1] & ENDS_ASKING > 0
        return np.asarray(answers & self.near(1) & self.among_people)

    @cached_property
    def orders(self) -> NDArray[np.bool_]:
        """bool[n]: turns that say what to do from now on."""
        return self.flags & ORDERS > 0

    def near(self, offset: int) -> NDArray[np.bool_]:
        """bool[n]: whether row i - offset is a turn of the same session; kept for later."""
        if offset not in self._near:
            near = np.zeros(len(self), bool)
            here, there = shifted(len(self), offset)
            near[here] = self.sessions[here] == self.sessions[there]
            self._near[offset] = near
        return self._near[offset]

    @cached_property
    def context_lengths(self) -> dict[tuple[float, ...], NDArray[np.float64]]:
        """float64[n] by the weights of a context: what the dense lane keeps for the next query."""
        return {}

    @cached_property
    def _near(self) -> dict[int, NDArray[np.bool_]]:
        return {}

    @cached_property
    def links(self) -> NDArray[np.float64]:
        """float64[2, n]: the cosine of each row with the next one, and with the one after that."""
        links = np.concatenate([np.zeros((2, 0)), *(part.rows.links for part in self.stretches)], 1)
        for at, (part, after) in zip(self.starts[1:], pairwise(self.stretches), strict=False):
            for back, ahead in ((1, 0), (2, 0), (1, 1)):
                if back <= len(part.rows) and ahead < len(after.rows):
                    links[back + ahead - 1, at - back] = part.rows.cosine(-back, after.rows, ahead)
        return links

    def place(self, row: int) -> tuple[str, int]:
        """Return the conversation and the number of a turn."""
        at = int(np.searchsorted(self.starts, row, side="right")) - 1
        stretch = self.stretches[at]
        return stretch.conversation_id, stretch.first + row - int(self.starts[at])


def dates_of(times: NDArray[np.int64]) -> NDArray[np.int32]:
    """int32[4, n]: year, month, day and weekday in UTC, Monday 0; -1 for `NO_TIME`."""
    days = (times // _DAY_NS).astype("datetime64[D]")
    months = days.astype("datetime64[M]")
    year = days.astype("datetime64[Y]").astype(np.int64) + 1970
    month = months.astype(np.int64) % 12 + 1
    day = (days - months.astype("datetime64[D]")).astype(np.int64) + 1
    # The first day of Unix time was a Thursday.
    weekday = (days.astype(np.int64) + 3) % 7
    dates = np.stack([year, month, day, weekday]).astype(np.int32)
    dates[:, times == NO_TIME] = -1
    return dates


def shifted(count: int, offset: int) -> tuple[slice, slice]:
    """Return where rows stand and where the rows `offset` before them do, of `count` rows."""
    if offset >= 0:
        return slice(offset, count), slice(0, max(count - offset, 0))
    return slice(0, max(count + offset, 0)), slice(-offset, count)


def _joined(rows: Sequence[TurnRows], name: str, kind: type) -> NDArray:  # type: ignore[type-arg]
    return np.concatenate([np.zeros(0, kind), *(getattr(part, name) for part in rows)])


def _pointed(
    rows: Sequence[TurnRows], lookups: Sequence[Sequence[int]], name: str
) -> NDArray[np.int32]:
    pairs = zip(rows, lookups, strict=True)
    parts = [np.array(lookup, np.int32)[getattr(part, name)] for part, lookup in pairs]
    return np.concatenate([np.zeros(0, np.int32), *parts])
