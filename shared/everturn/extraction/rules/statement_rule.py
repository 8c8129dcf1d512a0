"""How a statement of a user begins, how it goes on, and what it is remembered as."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from everturn.values.memory_kind import MemoryKind

Fits = Callable[[str], bool]
"""Says whether what follows the beginning of a statement is what the rule means."""


@dataclass(frozen=True, slots=True)
class Rule:
    """How a statement begins, how it goes on, and what it is remembered as.

    `says` is a format of the groups of `begins` and of `value`. A `whole` rule remembers the
    user's own words; an `only` pattern is all that belongs to the statement.
    """

    name: str
    kind: MemoryKind
    importance: int
    begins: re.Pattern[str]
    says: str
    fits: Fits
    only: re.Pattern[str] | None = None
    whole: bool = False


def begins(pattern: str) -> re.Pattern[str]:
    """Return the pattern of a beginning, in whatever case, that no word runs into."""
    return re.compile(rf"(?<![\w'])(?i:{pattern})")
