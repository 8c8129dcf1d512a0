"""The tasks of a sweep, and the counts of what they did.

A stage of a sweep makes the tasks of one page of its listing at a time.
"""

from collections.abc import Callable
from dataclasses import astuple, dataclass


@dataclass(frozen=True, slots=True)
class Swept:
    """Counts of what went: heads, unless something else is said."""

    empty: int = 0
    """Created, and never used for a day."""
    tombstones: int = 0
    """Of deletions that were done long ago."""
    finished: int = 0
    """Deletions that had been left half done."""
    expired: int = 0
    """Deleted because nobody wrote to them for as long as the setting says."""
    orphans: int = 0
    """Segments that no head names."""
    heads_read: int = 0
    skipped: int = 0
    """Heads that cannot be read; they are left."""
    failed: int = 0
    """What the next pass looks at again."""
    offered_tails: int = 0
    """Conversations with turns that nobody consolidated any more: their jobs wait now."""
    offered_markers: int = 0
    """Markers of jobs that a queue had refused, and that stand for nothing any more."""
    watermarks: int = 0
    """Those of conversations that are not there."""
    staged: int = 0
    """Extractions that nobody would apply."""

    def __add__(self, other: "Swept") -> "Swept":
        """Return the counts of both."""
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Swept(*(mine + theirs for mine, theirs in pairs))


@dataclass(frozen=True, slots=True)
class Task:
    """One piece of work, and the key by which it is known: its stage is done up to it then."""

    run: Callable[[], Swept]
    until: str


@dataclass(frozen=True, slots=True)
class Due:
    """Pieces of work in the order of their keys, and how far the listings were looked at.

    `until` is the key up to which nothing else is due; None where the stage ends with these.
    `reads` counts the listings.
    """

    tasks: tuple[Task, ...]
    until: str | None
    reads: int = 1
