"""The index of a long list of conversations, and the comparison of a listing with it.

The index holds the etag of every head, and the position and run of every row. It holds no text of
a turn. Columns of plain text and of numbers are read three times faster than JSON. They are in the
order of the keys, so a listing is compared page by page. An unchanged page takes 50 µs.

    {"ids":{key:id},"ahead":{key:ns},"unreadable":[position...],"stale":[[run,key]...],
     "early":[[position,ns]...]}    times before 1677, for which int64 is too short
    key TAB key...                  in order
    etag TAB etag...
    updated as int64 each, run as uint32 each, then positions of rows as uint32 each, newest first;
    all little-endian

The comparison tells which heads were added, changed or removed since the index was written.
"""

import json
import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from everturn.listing.model.cached_row import CachedRow, Place
from everturn.values.go_json import JsonObject, dumps

NO_RUN: Final = 2**32 - 1
"""The run of a head without a row."""
_SUFFIX: Final = ".json"
# Neither is in a key that is indexed, nor in an etag. https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3
_TAB, _LINE = "\t", b"\n"
_TIME, _NUMBER = "q", "I"
_FIRST_NS: Final = -(2**63)


@dataclass(frozen=True, slots=True)
class ListIndex:
    """All heads but those of the root; keys, etags, times and runs are columns of one length."""

    keys: Sequence[str] = ()
    """In order."""
    etags: Sequence[str] = ()
    updated: Sequence[int] = ()
    """Unix nanoseconds; 0 without a row."""
    runs: Sequence[int] = ()
    """The number of the run that holds the row; `NO_RUN` without one."""
    order: Sequence[int] = ()
    """The positions of all rows in these columns, newest first, ties by id."""
    ids: Mapping[str, str] = field(default_factory=dict)
    """The conversations whose key holds a hash."""
    ahead: Mapping[str, int] = field(default_factory=dict)
    """The greatest `ts` of conversations that have one above their `updated`: foreign ones."""
    unreadable: Sequence[int] = ()
    """The positions of heads that cannot be read."""
    stale: Sequence[tuple[int, str]] = ()
    """Rows that stand in a run although the index does not say so: an older one of that key."""

    def place(self, position: int) -> Place:
        """Return where the row at a position stands."""
        key = self.keys[position]
        own = self.ids.get(key) or key.rpartition("/")[2].removesuffix(_SUFFIX)
        return -self.updated[position], own

    def newest_first(self, after: Place | None = None) -> Iterator[int]:
        """Yield the positions of the rows behind a place, newest first; of all for None."""
        first = 0 if after is None else bisect_right(self.order, after, key=self.place)
        return islice(self.order, first, None)

    def position(self, key: str) -> int | None:
        """Return where a head stands in the columns; None if it is not there."""
        at = bisect_left(self.keys, key)
        return at if at < len(self.keys) and self.keys[at] == key else None

    def runs_with(self, keys: frozenset[str]) -> frozenset[int]:
        """Return the numbers of all runs that hold a row of these heads, stale ones included."""
        found = {run for run, key in self.stale if key in keys}
        found.update(self.runs[at] for at in map(self.position, keys) if at is not None)
        return frozenset(found - {NO_RUN})


def encode_index(index: ListIndex) -> bytes:
    """Return the file."""
    early = [[at, updated] for at, updated in enumerate(index.updated) if updated < _FIRST_NS]
    rest: JsonObject = {
        "ids": dict(index.ids),
        "ahead": dict(index.ahead),
        "unreadable": list(index.unreadable),
        "stale": [list(pair) for pair in index.stale],
        "early": [list(pair) for pair in early],
    }
    numbers = [
        _packed(_TIME, [max(updated, _FIRST_NS) for updated in index.updated]),
        _packed(_NUMBER, index.runs),
        _packed(_NUMBER, index.order),
    ]
    texts = (_TAB.join(index.keys).encode(), _TAB.join(index.etags).encode())
    return _LINE.join([dumps(rest).encode(), *texts, b"".join(numbers)])


def decode_index(body: bytes) -> ListIndex | None:
    """Read a file; None where it is broken."""
    try:
        first, *texts, numbers = body.split(_LINE, 3)
        rest: dict[str, Any] = json.loads(first)
        keys, etags = [text.decode().split(_TAB) if text else [] for text in texts]
        times_end = len(keys) * array(_TIME).itemsize
        runs_end = times_end + len(keys) * array(_NUMBER).itemsize
        runs = _unpacked(_NUMBER, numbers[times_end:runs_end])
        index = ListIndex(
            keys,
            etags,
            _with_early(_unpacked(_TIME, numbers[:times_end]), rest.pop("early")),
            runs,
            _unpacked(_NUMBER, numbers[runs_end:]),
            stale=[(run, key) for run, key in rest.pop("stale")],
            **rest,
        )
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        return None
    whole = len(keys) == len(etags) == len(index.updated) == len(index.runs)
    ordered = len(index.order) == len(keys) - runs.count(NO_RUN)
    return index if whole and ordered and max(index.order, default=-1) < len(keys) else None


def _with_early(times: "array[int]", early: Sequence[tuple[int, int]]) -> Sequence[int]:
    if not early:
        return times
    whole = times.tolist()
    for at, updated_ns in early:
        whole[at] = updated_ns
    return whole


def _packed(kind: str, numbers: Sequence[int]) -> bytes:
    column = array(kind, numbers)
    if sys.byteorder == "big":
        column.byteswap()
    return column.tobytes()


def _unpacked(kind: str, packed: bytes) -> "array[int]":
    column = array(kind)
    column.frombytes(packed)
    if sys.byteorder == "big":
        column.byteswap()
    return column


Columns = tuple[Sequence[str], Sequence[str]]
"""Keys, in order, and their etags: a page of a listing."""


@dataclass(slots=True)
class Comparison:
    """What the cache is worth: a listed head is in `recent`, in `changed`, or as indexed."""

    outdated: set[int] = field(default_factory=set)
    """The positions of an index that say what is no longer so, or what the root says as well."""
    recent: dict[str, CachedRow] = field(default_factory=dict)
    """Rows of the root that hold, by key."""
    changed: dict[str, str] = field(default_factory=dict)
    """The etags of heads of which nothing is known, by key."""


def compare(
    pages: Iterable[Columns], index: ListIndex, rows: Mapping[str, CachedRow]
) -> Comparison:
    """Compare the pages of a listing with an index and the rows of a root."""
    found = Comparison()
    overlaid = sorted(at for at in map(index.position, rows) if at is not None)
    start = 0
    for keys, etags in pages:
        if not keys:
            continue
        end = bisect_right(index.keys, keys[-1], start)
        same = index.keys[start:end] == list(keys) and index.etags[start:end] == list(etags)
        if not same or bisect_left(overlaid, start) < bisect_left(overlaid, end):
            _compare_page(found, zip(keys, etags, strict=True), range(start, end), index, rows)
        start = end
    found.outdated.update(range(start, len(index.keys)))
    return found


def _compare_page(
    found: Comparison,
    listed: Iterable[tuple[str, str]],
    positions: range,
    index: ListIndex,
    rows: Mapping[str, CachedRow],
) -> None:
    known = {index.keys[at]: at for at in positions}
    for key, etag in listed:
        cached = rows.get(key)
        if cached is not None and cached.etag == etag:
            found.recent[key] = cached
        elif key in known and index.etags[known[key]] == etag:
            del known[key]
        elif key.endswith(_SUFFIX):
            found.changed[key] = etag
    found.outdated.update(known.values())
