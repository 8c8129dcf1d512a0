"""Walk the rows of all conversations of a scope, newest first, and read only what is requested.

The store's own listing tells what exists and what changed. The cache only saves reading heads
again, and may be lost.

At the end of a walk the cache is updated. A failure costs the next list some reads. The new files
are written first. Then comes the root that names them, if it is still the one that was read. Files
that only the old root names are kept until the next compaction: other calls may be reading them.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from heapq import merge
from itertools import islice
from typing import Final, NamedTuple

from everturn.conversations.model.summary import Summary
from everturn.errors import StoreError, UnavailableError
from everturn.listing.cache_files import LOST_RACE, ListCacheFiles, OpenRoot
from everturn.listing.model.cache_root import LIMITS, CacheLimits, CacheRoot
from everturn.listing.model.cached_row import CachedRow, Place, RowRun, place_of
from everturn.listing.model.compaction import Kept, fold, is_long
from everturn.listing.model.list_index import ListIndex, compare
from everturn.listing.read_rows import BATCH, NO_ETAG, READERS, RowReader
from everturn.ports.clock import Clock
from everturn.ports.object_store import ObjectStore
from everturn.storage.list_keys import Listing, list_parts
from everturn.values.keys import Scope, heads_prefix
from everturn.values.timestamps import NANOSECONDS

# Rows are looked up in chunks, whose runs are read in parallel: for a page of 50, then ever more.
_FIRST_CHUNK: Final = 64
_LAST_CHUNK: Final = 2_048


class ListedRow(NamedTuple):
    """A row of a list. `place` is where it stood when the heads were listed."""

    place: Place
    key: str
    row: Summary
    newest_ns: int
    oldest_ns: int
    """The least `ts`, or less: 0 where it is not known."""
    etag: str
    """Of the head at which the row is true."""


class _Spot(NamedTuple):
    """Where a row is to be had: `cached`, or in the index at a position."""

    place: Place
    key: str
    position: int
    cached: CachedRow | None = None


@contextmanager
def open_rows(
    *,
    data: ObjectStore,
    derived: ObjectStore,
    scope: Scope,
    clock: Clock,
    limits: CacheLimits = LIMITS,
) -> Iterator["RowWalk"]:
    """List the heads of a scope, read those that changed, and give a walk over all rows.

    What was learnt on the way goes into the cache in the end.

    Raises:
        AccessDeniedError: the store does not list.
        UnavailableError: the store does not answer, or more heads changed than there was time to
            read: the next call goes on where this one ended.
    """
    end_s = clock.monotonic_s() + limits.reading_s
    with ThreadPoolExecutor(READERS) as executor:
        files = ListCacheFiles(derived=derived, scope=scope)
        opened = executor.submit(files.open_root)
        index = executor.submit(lambda: files.index(opened.result().root.index))
        listing = list_parts(
            store=data,
            prefix=heads_prefix(scope),
            edges=lambda _: opened.result().root.edges,
            executor=executor,
        )
        reader = RowReader(data, scope, executor, clock, end_s)
        walk = RowWalk(listing, opened.result().root, index.result(), reader, files)
        walk.broken += opened.result().is_broken
        try:
            if walk.left:
                raise UnavailableError(f"a list is being made, send it again left={walk.left}")
            yield walk
        finally:
            saver = RowSaver(opened.result(), index.result(), files, executor, clock, limits)
            saver.save(walk.recent, outdated=walk.outdated, edges=listing.edges())


class RowWalk:
    """What one call knows of all conversations of a scope: what is listed, and what is cached."""

    def __init__(
        self,
        listing: Listing,
        root: CacheRoot,
        index: ListIndex | None,
        reader: RowReader,
        files: ListCacheFiles,
    ) -> None:
        """Compare the listing with the cache, and read the heads that changed.

        Raises:
            UnavailableError: the store does not answer.
        """
        self._reader, self._files, self._names = reader, files, root.runs
        self._index = ListIndex() if index is None else index
        self._runs: dict[int, RowRun] = {}
        self._lost_runs: set[int] = set()
        self.broken = int(index is None)
        """How many of root and index said nothing, though they are there or ought to be."""
        pages = ((page.keys, page.etags) for page in listing.pages)
        compared = compare(pages, self._index, root.rows)
        self.recent = compared.recent
        """Rows of the root that hold, and those of all heads that were read, by key."""
        self.outdated = compared.outdated
        """Positions of the index of which something else is known by now."""
        self.read = 0
        """How many heads were read."""
        changed = compared.changed
        few = len(changed) <= BATCH
        # Many are read from the newest on, so that what is saved together stands together.
        keys = list(changed) if few else listing.newest_first(changed)
        self.left = len(keys) - self._learn({key: changed[key] for key in keys})
        """How many changed heads there was no time for; with any, nothing is known of the order."""

    @property
    def skipped(self) -> int:
        """How many heads cannot be read."""
        old = sum(at not in self.outdated for at in self._index.unreadable)
        return old + sum(cached.unreadable for cached in self.recent.values())

    @property
    def repairs(self) -> int:
        """How many files of the cache were broken or had lost rows; they are written anew."""
        return self.broken + len(self._lost_runs)

    @property
    def is_late(self) -> bool:
        """Whether the time for reading heads is over."""
        return self._reader.is_late

    def newest_first(self, after: Place | None = None) -> Iterator[ListedRow]:
        """Yield the rows behind a place, newest `updated` first, ties by id.

        A head that changed since it was listed comes where it stood, with its row of now.

        Raises:
            UnavailableError: the store does not answer.
        """
        recent = (spot for spot in self._recent_spots() if after is None or spot.place > after)
        indexed = self._spots(self._index.newest_first(after), self._index.place)
        return self._rows(merge(sorted(recent), indexed))

    def newest_turn_first(self) -> Iterator[ListedRow]:
        """Yield all rows by the greater of `updated` and the newest `ts`, the greatest first.

        As `newest_first` otherwise; `place` begins with that time, negated.
        """
        index, ahead = self._index, self._index.ahead

        def place(position: int) -> Place:
            time, own = index.place(position)
            return min(time, -ahead[index.keys[position]]), own

        recent = (
            spot._replace(place=(min(spot.place[0], -spot.cached.newest_ns), spot.place[1]))
            for spot in self._recent_spots()
            if spot.cached is not None
        )
        usual = (at for at in index.order if index.keys[at] not in ahead)
        others = self._spots([at for at in index.order if index.keys[at] in ahead], place)
        return self._rows(merge(sorted(recent), sorted(others), self._spots(usual, index.place)))

    def _recent_spots(self) -> Iterator[_Spot]:
        for key, cached in self.recent.items():
            if cached.row is not None:
                yield _Spot(place_of(cached.row), key, -1, cached)

    def _spots(self, positions: Iterable[int], place: Callable[[int], Place]) -> Iterator[_Spot]:
        for at in positions:
            if at not in self.outdated:
                yield _Spot(place(at), self._index.keys[at], at)

    def _rows(self, spots: Iterator[_Spot]) -> Iterator[ListedRow]:
        size = _FIRST_CHUNK
        while chunk := list(islice(spots, size)):
            self._open_runs(chunk)
            found = {spot.key: spot.cached or self._from_run(spot) for spot in chunk}
            self._learn_lost([spot for spot in chunk if found[spot.key] is None])
            for spot in chunk:
                cached = found[spot.key] or self.recent.get(spot.key)
                if cached is not None and cached.row is not None:
                    yield _listed(spot, cached, cached.row)
            size = min(2 * size, _LAST_CHUNK)

    def _open_runs(self, chunk: Sequence[_Spot]) -> None:
        wanted = {self._index.runs[spot.position] for spot in chunk if spot.cached is None}
        numbers = [number for number in wanted - self._runs.keys() if number < len(self._names)]
        runs = self._reader.executor.map(
            lambda number: self._files.run(self._names[number]), numbers
        )
        self._runs.update(zip(numbers, runs, strict=True))

    def _from_run(self, spot: _Spot) -> CachedRow | None:
        run = self._runs.get(self._index.runs[spot.position])
        return None if run is None else run.row(spot.key, self._index.etags[spot.position])

    def _learn_lost(self, spots: Sequence[_Spot]) -> None:
        """Read the heads of rows that are in no run."""
        self._lost_runs.update(self._index.runs[spot.position] for spot in spots)
        self.outdated.update(spot.position for spot in spots)
        left = {spot.key: self._index.etags[spot.position] for spot in spots}
        while left:
            count = self._learn(left)
            left = dict(islice(left.items(), count, None))

    def _learn(self, etags: Mapping[str, str]) -> int:
        """Read heads as long as there is time; return how many."""
        before = self.read
        for key, cached in self._reader.read(etags):
            self.read += 1
            if cached is not None:
                self.recent[key] = cached
        return self.read - before


def _listed(spot: _Spot, cached: CachedRow, row: Summary) -> ListedRow:
    return ListedRow(spot.place, spot.key, row, cached.newest_ns, cached.oldest_ns, cached.etag)


# No call is under way for so long, whatever the clocks of its machine and of the store say.
_STRAY_NS: Final = 3_600 * NANOSECONDS


@dataclass(frozen=True, slots=True)
class RowSaver:
    """Writes the cache of one scope, once, in the place of the one that was read."""

    opened: OpenRoot
    index: ListIndex | None
    """What the root named; None if that is lost."""
    files: ListCacheFiles
    executor: Executor
    clock: Clock
    limits: CacheLimits

    def save(
        self, rows: Mapping[str, CachedRow], *, outdated: Collection[int], edges: tuple[str, ...]
    ) -> None:
        """Save what is known of all heads, if it is not what the cache says already.

        Args:
            rows: what is newer than the index, by key.
            outdated: positions of the index that no longer hold.
            edges: where the pages of the next listing end.
        """
        if self.opened.expect is None:
            return
        lasting = {key: cached for key, cached in rows.items() if cached.etag != NO_ETAG}
        old = self.opened.root
        root = old if self.index else _emptied(old)
        try:
            if is_long(len(lasting), indexed=root.index is not None, limits=self.limits):
                kept = Kept(self.index or ListIndex(), outdated)
                self._fold(lasting, kept, root.runs, edges)
            elif (new := replace(root, rows=lasting, edges=edges)) != old:
                self.files.commit(new, after=self.opened)
        except (StoreError, UnavailableError):
            # The answer is made of the listing already; the next call reads these heads once more.
            return

    def _fold(
        self,
        rows: Mapping[str, CachedRow],
        kept: Kept,
        runs: tuple[str, ...],
        edges: tuple[str, ...],
    ) -> None:
        merged = kept.merged_runs(len(runs), limits=self.limits)
        rows = {**rows, **self._rows_of(merged, kept, runs)}
        folded = fold(kept, rows, runs=runs, merged=merged, limits=self.limits)
        old = self.opened.root
        new = CacheRoot({}, edges, folded.index, folded.runs, forgets=old.forgets)
        retired = old.names - frozenset(old.retired) - new.names
        new = replace(new, retired=tuple(sorted(retired)))
        self.files.write(folded.files, executor=self.executor)
        try:
            self.files.commit(new, after=self.opened)
        except LOST_RACE:
            self.files.discard(folded.files)
            return
        strays = self.files.strays(new, before_ns=self.clock.now_ns() - _STRAY_NS)
        self.files.remove({*old.names, *strays} - new.names)

    def _rows_of(
        self, merged: frozenset[int], kept: Kept, runs: tuple[str, ...]
    ) -> dict[str, CachedRow]:
        """Return the rows of some runs, as far as they still hold and can be read."""
        index = kept.index
        moving = [at for at in kept.rows() if index.runs[at] in merged]
        numbers = sorted({index.runs[at] for at in moving})
        bodies = self.executor.map(lambda number: self.files.run(runs[number]), numbers)
        opened = dict(zip(numbers, bodies, strict=True))
        rows = {}
        for at in moving:
            cached = opened[index.runs[at]].row(index.keys[at], index.etags[at])
            if cached is not None:
                rows[index.keys[at]] = cached
        return rows


def _emptied(root: CacheRoot) -> CacheRoot:
    return CacheRoot(retired=tuple(sorted(root.names)), forgets=root.forgets)
