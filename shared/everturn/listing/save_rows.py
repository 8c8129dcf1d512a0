"""Write what a list learnt into its cache; whatever goes wrong costs the next list some reads.

Order: the new files, then the root that names them, if it is still the one that was read. What the
old root named and the new one does not is kept for calls that are under way, until the next fold.
"""

from collections.abc import Collection, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Final

from everturn.errors import StoreError, UnavailableError
from everturn.listing.cache_files import LOST_RACE, ListCacheFiles, OpenRoot
from everturn.listing.model.cache_limits import CacheLimits
from everturn.listing.model.cache_root import CacheRoot
from everturn.listing.model.cached_row import CachedRow
from everturn.listing.model.compaction import Kept, fold, is_long
from everturn.listing.model.list_index import ListIndex
from everturn.listing.read_rows import NO_ETAG
from everturn.ports.clock import Clock
from everturn.values.timestamps import NANOSECONDS

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
