"""The kinds of memory, and how one came to be."""

from typing import Final, Literal, get_args

MemoryKind = Literal["fact", "event", "pattern", "preference", "goal", "constraint"]
KINDS: Final[tuple[MemoryKind, ...]] = get_args(MemoryKind)
Provenance = Literal["user_input", "observed", "derived", "imported"]
PROVENANCES: Final[tuple[Provenance, ...]] = get_args(Provenance)
USER: Final = "user"
"""The subject of what is said of the user."""
