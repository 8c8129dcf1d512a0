"""How the cache of a list is laid out, and how much one call does for it.

These numbers are the same everywhere; tests make them small.
"""

from dataclasses import dataclass
from typing import Final


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
