"""Bring the rows of one chunk up to the turns they stand for, opening those not looked at yet."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from everturn.conversations.turn_reader import TurnSource
from everturn.recall.index.build_rows import renewed
from everturn.recall.index.turn_rows import SegmentSpan, TurnRows, join_rows, no_rows
from everturn.storage.budget import Budget

# So many segments of 640 KiB are parsed and looked at between two looks at the time.
_WAVE: Final = 8


@dataclass(frozen=True, slots=True)
class RenewedRows:
    """Rows as of now, but for `pending` ones that there was no time to look at.

    `opened` segments were read, `fresh` rows are new or were made anew, `replaced` rows that were
    known before stand for nothing any more. `unchecked` pending ones were known before, and may
    stand for something that was taken back since.
    """

    rows: TurnRows
    pending: int = 0
    opened: int = 0
    fresh: int = 0
    replaced: int = 0
    unchecked: int = 0


class ChunkRenewal:
    """The turns `first` to `last` of one conversation, and the rows known of them before."""

    def __init__(self, source: TurnSource, before: TurnRows, first: int, last: int) -> None:
        """Take them; rows beyond `last` fall away."""
        self._source, self._before, self._first, self._last = source, before, first, last
        spans = (
            SegmentSpan(max(ref.first, first), min(ref.last, last), ref.name)
            for ref in source.holding(first, last)
        )
        self._sealed = tuple(spans)
        self._seen = {span for span in self._sealed if self._is_seen(span)}

    def renew(self, budget: Budget) -> RenewedRows:
        """Return the rows: those of segments seen before as they are, all others compared.

        What there is no time to open keeps the rows that it had, for the next call to compare.

        Raises:
            GoneError: a segment went meanwhile; read the head again.
            CorruptRecordError, AccessDeniedError, UnavailableError: one cannot be read.
        """
        if self._is_as_before:
            return RenewedRows(self._before)
        unseen = [span for span in self._sealed if span not in self._seen]
        made: dict[SegmentSpan, TurnRows] = {}
        # The newest first: they are asked for most.
        for wave in _waves(list(reversed(unseen))):
            if budget.is_over:
                break
            self._source.open((span.first, span.last) for span in wave)
            made |= {span: self._renewed(span.first, span.last) for span in wave}
            self._source.close()
        parts = [made.get(span) or self._kept(span) for span in self._sealed]
        start = self._sealed[-1].last + 1 if self._sealed else self._first
        if start <= self._last:
            parts.append(self._renewed(start, self._last))
        sources = [span for span in self._sealed if span in self._seen or span in made]
        rows = join_rows(parts, sources)
        left = [span for span in unseen if span not in made]
        fresh, replaced = _differing(self._before, rows)
        return RenewedRows(
            rows,
            pending=sum(map(_count, left)),
            opened=len(made),
            fresh=fresh,
            replaced=replaced,
            unchecked=sum(_known(self._rows_before(span.first, span.last)) for span in left),
        )

    @property
    def _is_as_before(self) -> bool:
        """Whether all turns are in segments that the rows were made of."""
        is_sealed = bool(self._sealed) and self._sealed[-1].last == self._last
        is_whole = len(self._before) == self._last + 1 - self._first
        return is_sealed and is_whole and len(self._seen) == len(self._sealed)

    def _is_seen(self, span: SegmentSpan) -> bool:
        has_rows = span.last - self._first < len(self._before)
        return has_rows and any(
            known.name == span.name and known.first <= span.first and known.last >= span.last
            for known in self._before.sources
        )

    def _renewed(self, first: int, last: int) -> TurnRows:
        return renewed(self._source.turns(first, last), self._rows_before(first, last))

    def _kept(self, span: SegmentSpan) -> TurnRows:
        rows = self._rows_before(span.first, span.last)
        lacking = no_rows(_count(span) - len(rows), self._before.dimensions)
        return join_rows([rows, lacking])

    def _rows_before(self, first: int, last: int) -> TurnRows:
        stop = min(last + 1 - self._first, len(self._before))
        return self._before.part(min(first - self._first, stop), stop)


def _differing(before: TurnRows, rows: TurnRows) -> tuple[int, int]:
    """Return how many rows are new, and how many of those known before are not there any more."""
    both = min(len(before), len(rows))
    differ = np.zeros(both, bool)
    for name in ("hashes", "sizes", "flags"):
        differ |= getattr(rows, name)[:both] != getattr(before, name)[:both]
    fresh = int(differ.sum()) + len(rows) - both
    return fresh, int((differ & (before.flags[:both] > 0)).sum()) + len(before) - both


def _known(rows: TurnRows) -> int:
    return int((rows.flags > 0).sum())


def _count(span: SegmentSpan) -> int:
    return span.last + 1 - span.first


def _waves(spans: Sequence[SegmentSpan]) -> Iterator[Sequence[SegmentSpan]]:
    yield from (spans[start : start + _WAVE] for start in range(0, len(spans), _WAVE))
