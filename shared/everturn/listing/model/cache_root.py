"""The root of the list cache: the rows that changed last, and the names of its other files.

A small list is its root alone.

    {"version","rows":[...],"edges":[...],"index":name|null,"runs":[name...],"retired":[name...],
     "forgets":n}

The root is the only file of the cache that changes. Each other file is named after its content. It
is written before the root that names it, and removed after one that does not. `forgets` counts how
often rows were removed, and never decreases. Etags may be hashes of the content, as in S3. Then it
alone makes a root differ from those before the removal.

The limits of the layout, and of the work of one call, are the same everywhere; tests make them
small.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from everturn.listing.model.cached_row import CachedRow, parse_row, row_values
from everturn.values.go_json import JsonObject, dumps

# Another version reads as a broken root, so that the other files need none.
_VERSION: Final = 3
_NAME: Final = re.compile("[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class CacheRoot:
    """What is known of a scope's conversations, or where it stands."""

    rows: Mapping[str, CachedRow] = field(default_factory=dict)
    """By key; what the index says of these keys is older."""
    edges: tuple[str, ...] = ()
    """Keys that end the pages of the listing of all heads, in order; never the last key."""
    index: str | None = None
    """The name of the index file."""
    runs: tuple[str, ...] = ()
    """The names of the run files, by number: the index says in which one a row stands."""
    retired: tuple[str, ...] = ()
    """Names of files that only calls that began earlier may still read."""
    forgets: int = 0
    """How often rows were forgotten."""

    @property
    def names(self) -> frozenset[str]:
        """The names of all files that are in use."""
        index = () if self.index is None else (self.index,)
        return frozenset((*index, *self.runs, *self.retired))


def content_name(body: bytes) -> str:
    """Return the name of a file with this content: who reads it sees that it is whole."""
    return hashlib.sha256(body).hexdigest()[:32]


def encode_root(root: CacheRoot) -> bytes:
    """Return the document of a root."""
    document: JsonObject = {
        "version": _VERSION,
        "rows": [row_values(key, root.rows[key]) for key in root.rows],
        "edges": list(root.edges),
        "index": root.index,
        "runs": list(root.runs),
        "retired": list(root.retired),
        "forgets": root.forgets,
    }
    return dumps(document).encode()


def decode_root(body: bytes) -> CacheRoot | None:
    """Read a document; None where it is broken or of another version: it will be made anew."""
    try:
        document = json.loads(body)
        if document["version"] != _VERSION:
            return None
        index = document["index"]
        return CacheRoot(
            dict(map(parse_row, document["rows"])),
            _texts(document["edges"]),
            None if index is None else _names([index])[0],
            _names(document["runs"]),
            _names(document["retired"]),
            _count(document["forgets"]),
        )
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _texts(values: Any) -> tuple[str, ...]:  # noqa: ANN401 - a JSON value of any shape
    if not isinstance(values, list) or not all(isinstance(text, str) for text in values):
        raise TypeError("no list of texts")
    return tuple(values)


def _names(values: Any) -> tuple[str, ...]:  # noqa: ANN401 - a JSON value of any shape
    names = _texts(values)
    if not all(map(_NAME.fullmatch, names)):
        raise ValueError("a name is no name")
    return names


def _count(value: Any) -> int:  # noqa: ANN401 - a JSON value of any shape
    if type(value) is not int or value < 0:
        raise ValueError("a count is no count")
    return value


@dataclass(frozen=True, slots=True)
class CacheLimits:
    """Counts of rows; a row has some 400 bytes."""

    # 2 MB: one file of that size is read and parsed in the time of one more request.
    whole_rows: int = 5_000
    """A root alone holds at most so many rows."""
    # 400 KB: what a call writes that finds anything changed.
    recent_rows: int = 1_000
    """A root beside an index holds at most so many rows."""
    run_rows: int = 1_000
    """A run holds at most so many rows when it is written."""
    # A page of the newest rows reads the runs that hold them, in parallel.
    newest_runs: int = 4
    """The newest rows, as many as fill a run, stand in at most so many runs after a fold or two."""
    walked_rows: int = 20_000
    """A page looks at no more rows than this for those that match its filters."""
    # A request ends within 20 s; the listing and the cache take their part of it.
    reading_s: float = 8.0
    """A call that has to read more heads than this lets it leaves the others to the next call."""


LIMITS: Final = CacheLimits()
