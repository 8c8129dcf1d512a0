"""What an extraction finds in turns: memories, each with the turns that state it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from everturn.conversations.model.extraction_window import Window
from everturn.errors import MisconfiguredError, UnavailableError
from everturn.memory.model.draft import MemoryDraft

Result = Literal["ok", "salvaged", "fail"]


@dataclass(frozen=True, slots=True)
class Extracted:
    """A memory that turns state, which of them, and the words that do: `quote` stands in them.

    `rule` says by which rule it was found, "" where a model found it.
    """

    draft: MemoryDraft
    first_turn: int
    last_turn: int
    quote: str
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found in a window of turns.

    `ok` is complete, though there may be nothing in it; `salvaged` is usable and known to be
    incomplete; `fail` holds nothing and says nothing of the turns.
    """

    result: Result
    memories: tuple[Extracted, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)
    """Items left out, by reason."""
    extractor: str = ""
    """Which rules or which model found it."""
    tokens: int = 0
    """Read and written for it, those of attempts that failed included."""
    unheard: UnavailableError | MisconfiguredError | None = None
    """Why somebody was not heard who may have read the turns; the result is `fail` then, and says
    nothing of them: whoever asked raises it when the tokens are counted."""

    def is_usable(self, window: Window) -> bool:
        """Say whether a window counts as read.

        Of one turn less cannot be asked: what was understood of the answer has to do.
        """
        return self.result == "ok" or (self.result == "salvaged" and window.size == 1)
