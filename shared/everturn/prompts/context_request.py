"""What a context is asked for, and what it answers with: all that an agent should know by now."""

from dataclasses import dataclass
from typing import Final

from everturn.conversations.model.turn import Turn
from everturn.memory.model.memory import Memory
from everturn.memory.model.retrieve_request import Snippet
from everturn.prompts.pinned_block import PinnedBlock
from everturn.recall.index.recall_request import Hit

RECENT_TURNS: Final = 16
"""How many of the newest turns of a conversation stand in a context."""
MAX_GOAL_CHARS: Final = 65_536
"""What counts of a goal; each of its lines costs, whether the budget has room for it or not."""


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """A query with its bounds; `budget_tokens` of 4 bytes each are those of the whole text.

    With `conversation_id` its own turns are recalled, and its newest ones added; without one those
    of all conversations are recalled. `exclude_last` leaves out the newest turns, which the caller
    still has.
    """

    query: str
    goal: str = ""
    conversation_id: str | None = None
    exclude_last: int = 0
    budget_tokens: int = 8_000


@dataclass(frozen=True, slots=True)
class BuiltContext:
    """A context ready for a prompt, `tokens` of its text, and what stands in it, by part.

    `pending_turns`, `degraded` and `reason` are as those of a retrieve and a recall.
    """

    text: str
    tokens: int
    pinned: PinnedBlock
    memories: tuple[Snippet, ...] = ()
    patterns: tuple[Memory, ...] = ()
    recalled: tuple[Hit, ...] = ()
    recent: tuple[Turn, ...] = ()
    pending_turns: int = 0
    degraded: bool = False
    reason: str | None = None
    embedded: int = 0
