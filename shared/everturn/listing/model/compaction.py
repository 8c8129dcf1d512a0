"""Folding: the rows of a root that has grown too long go into runs, and into a new index.

Recent rows make new runs; the row of the same key in an older run is stale from then on. A run of
which half is stale is merged: its other rows go into the new runs as well. So a change writes about
two rows, wherever it is, and the runs hold at most twice as many rows as the list.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from everturn.listing.model.cache_root import CacheLimits, content_name
from everturn.listing.model.cached_row import CachedRow, Place, place_of, run_of
from everturn.listing.model.list_index import NO_RUN, ListIndex, encode_index


@dataclass(frozen=True, slots=True)
class Kept:
    """An old index, without what no longer holds."""

    index: ListIndex
    outdated: Collection[int]
    """The positions that no longer hold."""

    def rows(self) -> Iterator[int]:
        """Yield the positions of the rows that hold, newest first."""
        return (at for at in self.index.order if at not in self.outdated)

    def merged_runs(self, runs: int, *, limits: CacheLimits) -> frozenset[int]:
        """Return the numbers of the runs, of so many, whose rows are to be written anew.

        Those of which at least half is stale; those that hold the newest rows, where these are
        spread over many; all, where there are twice as many as rows need.
        """
        index, rows = self.index, list(self.rows())
        live = Counter(index.runs[at] for at in rows)
        held = Counter(index.runs) + Counter(run for run, _ in index.stale)
        needed = -(-len(rows) // limits.run_rows)
        if runs > 2 * needed + 1:
            return frozenset(range(runs))
        merged = frozenset(run for run in range(runs) if live[run] * 2 <= held[run])
        newest = frozenset(index.runs[at] for at in rows[: limits.run_rows])
        return merged | newest if len(newest) > limits.newest_runs else merged

    def stale(self) -> set[tuple[int, str]]:
        """Return the rows that stand in a run although they no longer hold."""
        index = self.index
        return {*index.stale, *((index.runs[at], index.keys[at]) for at in self.outdated)}


@dataclass(frozen=True, slots=True)
class Fold:
    """What to write for a new root: files by name, and the names of index and runs."""

    files: Mapping[str, bytes]
    index: str
    runs: tuple[str, ...]


def is_long(rows: int, *, indexed: bool, limits: CacheLimits) -> bool:
    """Say whether a root with so many rows is to be folded."""
    return rows > (limits.recent_rows if indexed else limits.whole_rows)


def fold(
    kept: Kept,
    rows: Mapping[str, CachedRow],
    *,
    runs: Sequence[str],
    merged: frozenset[int],
    limits: CacheLimits,
) -> Fold:
    """Return the files of a cache whose root has no rows.

    Args:
        kept: what still holds of the old index; rows of merged runs are taken from `rows` alone.
        rows: what is to be written, by key: recent rows, and those of merged runs.
        runs: the names of the old runs, by number.
        merged: the numbers of the runs that go.
        limits: how long a new run gets.
    """
    staying = [number for number in range(len(runs)) if number not in merged]
    renumbered = {old: new for new, old in enumerate(staying)}
    lines = _kept_lines(kept, renumbered)
    lines.update(_blind_lines(rows))
    parts = _parts(rows, limits.run_rows)
    bodies = [run_of({key: rows[key] for key in part}).encode() for part in parts]
    for number, part in enumerate(parts, start=len(staying)):
        lines.update((key, _Line(rows[key].etag, number, _place(rows[key]))) for key in part)
    stale = {(renumbered[run], key) for run, key in kept.stale() if run in renumbered}
    index = encode_index(_index(lines, kept, rows, sorted(stale)))
    files = {content_name(body): body for body in (*bodies, index)}
    *new_runs, name = files
    return Fold(files, name, (*(runs[number] for number in staying), *new_runs))


class _Line(NamedTuple):
    """What an index says of one head."""

    etag: str
    run: int
    place: Place | None
    """None without a row."""
    unreadable: bool = False


def _place(cached: CachedRow) -> Place | None:
    return None if cached.row is None else place_of(cached.row)


def _parts(rows: Mapping[str, CachedRow], run_rows: int) -> list[list[str]]:
    """Return the keys of what has a row, newest first, in parts of nearly equal length."""
    places = [(_place(cached), key) for key, cached in rows.items()]
    keys = [key for _, key in sorted((place, key) for place, key in places if place is not None)]
    count = -(-len(keys) // run_rows)
    ends = [len(keys) * number // max(count, 1) for number in range(count + 1)]
    return [keys[first:last] for first, last in pairwise(ends)]


def _kept_lines(kept: Kept, renumbered: Mapping[int, int]) -> dict[str, _Line]:
    """Return what stays of the old index, by key; rows of merged runs do not."""
    index, unreadable = kept.index, frozenset(kept.index.unreadable)
    lines = {}
    for at, (key, etag, run) in enumerate(zip(index.keys, index.etags, index.runs, strict=True)):
        if at in kept.outdated:
            continue
        if run == NO_RUN:
            lines[key] = _Line(etag, run, None, at in unreadable)
        elif run in renumbered:
            lines[key] = _Line(etag, renumbered[run], index.place(at))
    return lines


def _blind_lines(rows: Mapping[str, CachedRow]) -> Iterator[tuple[str, _Line]]:
    for key, cached in rows.items():
        if cached.row is None:
            yield key, _Line(cached.etag, NO_RUN, None, cached.unreadable)


def _index(
    lines: Mapping[str, _Line],
    kept: Kept,
    rows: Mapping[str, CachedRow],
    stale: Sequence[tuple[int, str]],
) -> ListIndex:
    ahead = dict(kept.index.ahead)
    ahead.update((key, cached.newest_ns) for key, cached in rows.items())
    keys = sorted(lines)
    columns = [lines[key] for key in keys]
    places = [(line.place, at) for at, line in enumerate(columns) if line.place is not None]
    return ListIndex(
        keys=keys,
        etags=[line.etag for line in columns],
        updated=[-line.place[0] if line.place else 0 for line in columns],
        runs=[line.run for line in columns],
        order=[at for _, at in sorted(places)],
        ids={keys[at]: place[1] for place, at in places if "/~" in keys[at]},
        ahead={
            keys[at]: ahead[keys[at]]
            for place, at in places
            if keys[at] in ahead and ahead[keys[at]] > -place[0]
        },
        unreadable=[at for at, line in enumerate(columns) if line.unreadable],
        stale=stale,
    )
