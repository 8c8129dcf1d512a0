"""What a stage of a sweep has to do next: a page of its listing as pieces of work."""

from collections.abc import Callable
from dataclasses import dataclass

from everturn.upkeep.swept import Swept


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
