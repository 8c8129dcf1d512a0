"""Bring the rows of all memories of a scope up to what is stored, as the store lists it.

The listing says what exists and what changed: rows are taken over from this process, then from the
stored buckets; only records that nobody looked at are read. So a memory that was written a moment
ago is there, and files of the index may be lost.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Final

from everturn.memory.index.files import MemoryFiles, bucket_of, depth_of, even_edges
from everturn.memory.index.record_cache import (
    READERS,
    ROW_BYTES,
    LoadedRows,
    MemoryCache,
    MemoryRecords,
    StoredMemory,
    Unreadable,
)
from everturn.memory.index.row import MemoryRow, row_of
from everturn.memory.model.supersession import Lineages, Stated
from everturn.ports.clock import Clock
from everturn.ports.object_store import ObjectStore
from everturn.storage.budget import Budget
from everturn.storage.list_keys import Listing, list_parts
from everturn.values.keys import Scope, memories_prefix, memory_key, rid_of_key
from everturn.values.timestamps import NANOSECONDS

# So few records are read sooner than the buckets that may hold their rows.
_FEW: Final = 8
# A bucket is written again once so many rows are in no file: fewer cost others less to read.
_FRESH: Final = 16
# A request ends within 20 s, and may have to rank and to embed.
_READING_S: Final = 6.0
# Clocks may differ by so much: what another process said a moment ago holds already.
_SOON_NS: Final = 300 * NANOSECONDS
# So many records are read between two looks at the time.
_WAVE: Final = 4 * READERS


def load_rows(
    *, store: ObjectStore, derived: ObjectStore, scope: Scope, clock: Clock, cache: MemoryCache
) -> LoadedRows:
    """Return the rows of all memories: one LIST per 1,000 of them, one GET for each that changed.

    Raises:
        AccessDeniedError, UnavailableError: the store does not list or read.
    """
    with ThreadPoolExecutor(READERS) as executor:
        prefix = memories_prefix(scope)
        listing = list_parts(
            store=store,
            prefix=prefix,
            edges=lambda end: even_edges(prefix, end),
            executor=executor,
        )
        keys, etags = _columns(listing)
        known = cache.rows.get(prefix)
        now_ns = clock.now_ns()
        if known is not None and known.listed == (keys, etags) and known.holds_at(now_ns):
            return known
        files = MemoryFiles(store, derived, scope, executor)
        records = MemoryRecords(store, scope, cache, executor)
        listed = dict(zip(map(rid_of_key, keys), etags, strict=True))
        budget = Budget(clock=clock, seconds=_READING_S)
        load = _Load(files, records, budget, listing, listed)
        loaded = load.run(known or LoadedRows({}, Lineages(())), now_ns)
        loaded = replace(loaded, listed=(keys, etags))
        cache.rows.keep(prefix, loaded, ROW_BYTES * len(loaded.rows))
        return loaded


def _columns(listing: Listing) -> tuple[Sequence[str], Sequence[str]]:
    if len(listing.pages) == 1:
        return list(listing.pages[0].keys), list(listing.pages[0].etags)
    pages = listing.pages
    return (
        list(chain.from_iterable(page.keys for page in pages)),
        list(chain.from_iterable(page.etags for page in pages)),
    )


@dataclass(slots=True)
class _Load:
    """One call: what is listed, by id, and the rows that are known to be true."""

    files: MemoryFiles
    records: MemoryRecords
    budget: Budget
    listing: Listing
    listed: dict[str, str]
    rows: dict[str, MemoryRow] = field(default_factory=dict)
    unreadable: set[tuple[str, str]] = field(default_factory=set)
    refused: int = 0
    """How many the store did not let this call read: the next one asks again."""
    fresh: set[str] = field(default_factory=set)
    stored: dict[str, str] | None = None
    """Etags of the buckets in the store, where they were listed."""
    stale: set[str] = field(default_factory=set)
    """Buckets that hold a row of what is gone."""

    def run(self, known: LoadedRows, now_ns: int) -> LoadedRows:
        """Return the rows."""
        self._take(known.rows.values())
        self.unreadable |= known.unreadable & self.listed.items()
        self.fresh |= known.fresh & self.rows.keys()
        if len(self._missing()) > _FEW:
            self._read_buckets(known.stored)
        pending = self._read_records()
        # Where many are left, the next process goes on where this one ends.
        stored = self._save(known.stored)
        # In the order of the listing, which is that of the ids.
        self.rows = {rid: self.rows[rid] for rid in self.listed if rid in self.rows}
        connected = list(_connected(self.rows))
        lineages = Lineages(connected)
        hidden, changes_ns = _hidden(connected, lineages, now_ns)
        return LoadedRows(
            self.rows,
            lineages,
            hidden,
            changes_ns,
            pending=pending,
            unreadable=frozenset(self.unreadable),
            fresh=frozenset(self.fresh),
            stored=stored,
        )

    def _take(self, rows: Iterable[MemoryRow]) -> bool:
        """Take over the rows that are true; say whether one is of what is gone."""
        is_stale = False
        for row in rows:
            if self.listed.get(row.rid) == row.etag:
                self.rows[row.rid] = row
            is_stale |= row.rid not in self.listed
        return is_stale

    def _missing(self) -> dict[str, str]:
        return {
            rid: etag
            for rid, etag in self.listed.items()
            if rid not in self.rows and (rid, etag) not in self.unreadable
        }

    def _read_buckets(self, known: Mapping[str, str]) -> None:
        self.stored = self.files.rows_listed()
        wanted = [name for name, etag in self.stored.items() if known.get(name) != etag]
        for name, rows in self.files.read_rows(wanted).items():
            if self._take(rows):
                self.stale.add(name)

    def _read_records(self) -> int:
        """Read what is missing, the newest first, as far as there is time; how many are left."""
        missing = self._missing()
        keys = self.listing.newest_first(memory_key(self.records.scope, rid) for rid in missing)
        left = ((rid, missing[rid]) for rid in map(rid_of_key, keys))
        while wave := dict(islice(left, _WAVE)):
            if self.budget.is_over:
                return self.refused + len(wave) + sum(1 for _ in left)
            for rid, found in self.records.read(wave).items():
                self._keep(rid, found)
        return self.refused

    def _keep(self, rid: str, found: StoredMemory | Unreadable | None) -> None:
        if isinstance(found, StoredMemory):
            self.rows[rid] = row_of(found.memory, found.etag)
            self.fresh.add(rid)
        elif found is not None and found.refused:
            self.refused += 1
        elif found is not None:
            self.unreadable.add((rid, self.listed[rid]))

    def _save(self, known: Mapping[str, str]) -> Mapping[str, str]:
        """Write the buckets that lack rows, if it is worth it; return the etags of all."""
        # What was forgotten must not wait: its terms may be in a bucket still.
        is_urgent = self.stale or any(self.rows[rid].is_forgotten for rid in self.fresh)
        if len(self.fresh) < _FRESH and not is_urgent:
            return known if self.stored is None else self.stored
        stored = self.files.rows_listed() if self.stored is None else self.stored
        depth = depth_of(len(self.listed))
        others = {name for name in stored if not name.startswith(str(depth))}
        members = _by_bucket(self.rows.values(), depth)
        changed = {bucket_of(rid, depth) for rid in self.fresh} | (self.stale - others)
        written = sorted(members if others else changed)
        etags = dict(stored)
        # After an import there are hundreds of them, and a write waits some 60 ms for S3.
        answers = self.files.executor.map(
            lambda bucket: self.files.write_rows(bucket, members.get(bucket, ())), written
        )
        for bucket, etag in zip(written, answers, strict=True):
            if etag is None:
                etags.pop(bucket, None)
            else:
                etags[bucket] = etag
                self.fresh -= {row.rid for row in members.get(bucket, ())}
        if others and all(bucket in etags for bucket in members):
            self.files.remove_rows(others)
            etags = {name: etag for name, etag in etags.items() if name not in others}
        return etags


def _by_bucket(rows: Collection[MemoryRow], depth: int) -> dict[str, list[MemoryRow]]:
    members: dict[str, list[MemoryRow]] = {}
    for row in rows:
        members.setdefault(bucket_of(row.rid, depth), []).append(row)
    return members


def _hidden(
    connected: Sequence[Stated], lineages: Lineages, now_ns: int
) -> tuple[frozenset[str], int | None]:
    """Return what does not hold now, and when that changes without anything being said."""
    soon_ns = now_ns + _SOON_NS
    hidden: set[str] = set()
    edges: set[int] = set()
    for one in connected:
        periods = lineages.periods(one.rid)
        if not any(begin <= soon_ns and (end is None or soon_ns < end) for begin, end in periods):
            hidden.add(one.rid)
        edges |= {time for period in periods for time in period if time and time > soon_ns}
    return frozenset(hidden), min(edges) - _SOON_NS if edges else None


def _connected(rows: Mapping[str, MemoryRow]) -> Iterable[Stated]:
    """Yield what was replaced or came in the place of something: nearly all are alone."""
    replacing = [row for row in rows.values() if row.replaces]
    rids = {row.rid for row in replacing}
    rids |= {edge.rid for row in replacing for edge in row.replaces}
    return (rows[rid].stated for rid in rids if rid in rows)
