"""What a retrieval and a context are asked for, and what a retrieval answers with."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias
from urllib.parse import quote

from everturn.values.memory_kind import KINDS, MemoryKind
from everturn.values.timestamps import EVER, TimeWindow

SnippetKind: TypeAlias = MemoryKind | Literal["turn"]
TURN: Final = "turn"
"""The kind of what was said and is not consolidated yet."""

SNIPPET_KINDS: Final[tuple[SnippetKind, ...]] = (*KINDS, TURN)
MAX_GOAL_CHARS: Final = 65_536
"""What counts of a goal; each of its lines costs, whether the budget has room for it or not."""


@dataclass(frozen=True, slots=True)
class RetrieveRequest:
    """A query with its bounds; `top_k` snippets at most, within `budget_tokens` of 4 bytes each.

    Without `kinds` all are looked for. `window` is of the time for which a memory is valid, else at
    which it was said last. `as_of_ns` asks for what held then. `min_score` cuts snippets below it;
    `related_only` those that nothing of the query speaks for, which fill what is left of `top_k`.
    `explain` asks for the lanes of each.
    """

    query: str
    top_k: int = 8
    budget_tokens: int = 6_000
    kinds: tuple[SnippetKind, ...] = ()
    window: TimeWindow = EVER
    as_of_ns: int | None = None
    min_score: float = 0.0
    explain: bool = False
    related_only: bool = False


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
class Snippet:
    """A memory, or a turn that is not consolidated yet, as one line.

    `score` is 0 to 1 and comparable between queries; `lanes` what each lane gave, by its name.
    `place` is the conversation and the number of a turn, `said` the hash of its text.
    """

    text: str
    uri: str
    kind: SnippetKind
    score: float
    lanes: Mapping[str, float] = field(default_factory=dict)
    place: tuple[str, int] | None = None
    said: int = 0


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Snippets, best first; `filtered` of the best were cut by `min_score`.

    `pending_turns` of the newest conversations are not consolidated yet; they were searched as far
    as there was time. `degraded` says that something was missing, and `reason` what.
    """

    snippets: tuple[Snippet, ...]
    pending_turns: int = 0
    filtered: int = 0
    degraded: bool = False
    reason: str | None = None
    over_budget: bool = False
    embedded: int = 0


def turn_uri(conversation_id: str, number: int) -> str:
    """Return the name of a turn in a snippet."""
    return f"everturn://turn/{quote(conversation_id, safe='')}/{number}"
