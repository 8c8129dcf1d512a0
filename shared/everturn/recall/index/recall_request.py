"""What a recall is asked for, and what it answers with."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from everturn.conversations.model.turn import Turn
from everturn.values.timestamps import EVER, TimeWindow

MAX_TOP_K = 100
# Pages of text; a query costs by its length, and an agent may send a whole message as one.
MAX_QUERY_CHARS = 8_192
MAX_NEIGHBOURS = 10
# An answer ends at 3 MiB, which is so many tokens of 4 bytes.
MAX_BUDGET_TOKENS = 700_000

EMBEDDER_FAILED = "embedder_failed"
"""The reason of an answer for which the embedder was asked in vain."""


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """A query with its bounds; `top_k` hits at most, within `budget_tokens` of 4 bytes each.

    `exclude_last` leaves out the newest so many turns, `neighbours` adds so many readable turns on
    either side of a hit, `min_score` cuts hits below it, `roles` and `window` leave turns out;
    `explain` asks for the lanes of each hit.
    """

    query: str
    top_k: int = 6
    budget_tokens: int = 2_500
    exclude_last: int = 0
    neighbours: int = 0
    min_score: float = 0.0
    roles: tuple[str, ...] = ()
    window: TimeWindow = EVER
    explain: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """One ranked turn, verbatim; `score` is 0 to 1 and comparable between queries.

    `neighbours` are the turns around it, oldest first; `lanes` what each lane gave, by its name.
    """

    conversation_id: str
    turn: Turn
    score: float
    neighbours: tuple[Turn, ...] = ()
    lanes: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Searched:
    """How far a recall over many conversations looked, newest first.

    `complete` says that nothing was left out; else nothing that was last written before `oldest_ns`
    was looked at.
    """

    conversations: int
    turns: int
    complete: bool
    oldest_ns: int | None = None


@dataclass(frozen=True, slots=True)
class Recalled:
    """Hits, best first; `filtered` of the best were cut by `min_score`.

    `degraded` says that a lane was missing or turns were not looked at yet, and `reason` why;
    `embedded` turns were given their vectors on the way.
    """

    hits: tuple[Hit, ...]
    filtered: int = 0
    degraded: bool = False
    reason: str | None = None
    over_budget: bool = False
    searched: Searched | None = None
    embedded: int = 0
