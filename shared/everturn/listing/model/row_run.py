"""A run: a file of some thousand rows that stand near one another in a list.

Rows are read one by one, on demand.

    ["key",...]
    [row of the first key]
    [row of the second]...
"""

import json
from collections.abc import Mapping

from everturn.listing.model.cached_row import CachedRow, parse_row, row_values
from everturn.values.go_json import JsonValue, dumps


class RowRun:
    """The rows of one run; those that nobody asks for stay bytes."""

    def __init__(self, lines: Mapping[str, bytes]) -> None:
        """Take the line of each key."""
        self._lines = lines

    def row(self, key: str, etag: str) -> CachedRow | None:
        """Return the row of a head at exactly this etag; None where the run has no such one."""
        line = self._lines.get(key)
        try:
            found, cached = parse_row(json.loads(line or b"null"))
        except (ValueError, TypeError, RecursionError):
            return None
        return cached if (found, cached.etag) == (key, etag) else None

    def without(self, keys: frozenset[str]) -> "RowRun":
        """Return the run without the rows of some heads."""
        return RowRun({key: line for key, line in self._lines.items() if key not in keys})

    def encode(self) -> bytes:
        """Return the file."""
        keys: list[JsonValue] = list(self._lines)
        return b"\n".join([dumps(keys).encode(), *self._lines.values()])


def run_of(rows: Mapping[str, CachedRow]) -> RowRun:
    """Make a run."""
    return RowRun({key: dumps(row_values(key, row)).encode() for key, row in rows.items()})


def decode_run(body: bytes) -> RowRun:
    """Read a file; a run without rows where it is broken."""
    first, *lines = body.split(b"\n")
    try:
        keys = json.loads(first)
        return RowRun(dict(zip(keys, lines, strict=True)))
    except (ValueError, TypeError, RecursionError):
        return RowRun({})
