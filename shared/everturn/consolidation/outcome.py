"""What one call of consolidation did."""

from dataclasses import dataclass, replace
from typing import Final

from everturn.errors import EverturnError

DAILY_TOKENS: Final = "daily_tokens"
"""Why a conversation is left: its tenant used up what it may use of a model today."""


INDEXED_TURNS: Final = 256
"""A conversation of so many turns is indexed; a recall embeds fewer in a second or two."""


@dataclass(frozen=True, slots=True)
class Consolidated:
    """What was done: counts, and whether turns are left to read."""

    windows: int = 0
    turns: int = 0
    created: int = 0
    reinforced: int = 0
    dropped: int = 0
    """What was found and not believed, or refused."""
    tokens: int = 0
    quarantined: int = 0
    behind: bool = False
    lag: int = 0
    """How many turns nobody had read when it began."""
    turn_count: int = 0
    """How many turns the conversation has; 0 where it is not there."""
    reason: str | None = None
    """Why it goes on no further, though it is behind."""
    fault: EverturnError | None = None
    """What kept its worker from offering the next job; this one is done all the same."""

    def and_then(self, later: "Consolidated") -> "Consolidated":
        """Return what both did, and how it is after the later one."""
        return replace(
            later,
            windows=self.windows + later.windows,
            turns=self.turns + later.turns,
            created=self.created + later.created,
            reinforced=self.reinforced + later.reinforced,
            dropped=self.dropped + later.dropped,
            tokens=self.tokens + later.tokens,
            quarantined=self.quarantined + later.quarantined,
            lag=max(self.lag, later.lag),
        )
