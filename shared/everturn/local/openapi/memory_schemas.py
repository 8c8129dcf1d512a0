"""The shapes of answers about recall and memories, for the API's description."""

from typing import Annotated, NotRequired, TypeAlias

from pydantic import Field, WithJsonSchema
from typing_extensions import TypedDict

from everturn.local.openapi.schemas import Count, KeptVersions, Time, Turn
from everturn.values.memory_kind import MemoryKind, Provenance

Score: TypeAlias = Annotated[float, Field(ge=0, le=1)]
Lanes: TypeAlias = dict[str, float]
Rid: TypeAlias = Annotated[str, WithJsonSchema({"type": "string", "pattern": "^[0-9a-f]{32}$"})]


class Found(Turn):
    """A turn and the id of the conversation that it is in."""

    conversation_id: str


class Hit(Found):
    """A turn that was asked for; scores of several queries can be compared."""

    score: Score
    neighbours: NotRequired[list[Turn]]
    explain: NotRequired[Lanes]


class Searched(TypedDict):
    """How far a search over conversations looked."""

    conversations: Count
    turns: Count
    complete: bool
    oldest: NotRequired[Time]


class Recalled(TypedDict):
    """Hits, best first; `filtered` of them were cut by `min_score`."""

    hits: list[Hit]
    filtered: Count
    degraded: bool
    reason: NotRequired[str]
    over_budget: NotRequired[bool]
    searched: NotRequired[Searched]


class Theme(TypedDict):
    """What some of the turns are about: its terms, its share, and three of its turns."""

    terms: list[str]
    share: Score
    since: NotRequired[Time]
    until: NotRequired[Time]
    turns: list[Found]


class Themes(TypedDict):
    """Themes, the largest first."""

    themes: list[Theme]
    searched: Searched
    degraded: bool
    reason: NotRequired[str]


class PatternSpec(TypedDict):
    """A proven way of doing something."""

    name: NotRequired[str]
    trigger: NotRequired[str]
    preconditions: NotRequired[list[str]]
    steps: NotRequired[list[str]]
    gotchas: NotRequired[list[str]]
    success_criteria: NotRequired[list[str]]


class _Said(TypedDict):
    statement: NotRequired[str]
    spec: NotRequired[PatternSpec]


Source = TypedDict(
    "Source",
    {
        "conversation_id": NotRequired[str],
        "from": NotRequired[Count],
        "to": NotRequired[Count],
        "quote": NotRequired[str],
        "at": Time,
    },
)


class Promotion(TypedDict):
    """The skill that a pattern was made, and when."""

    name: str
    at: Time


class Memory(_Said):
    """A memory: a statement, or a pattern's spec."""

    id: Rid
    uri: str
    kind: MemoryKind
    subject: str
    hard: bool
    importance: Annotated[int, Field(ge=0, le=10)]
    count: Count
    coverage: Count
    strength: Score
    sources: list[Source]
    first_seen: Time
    last_seen: Time
    supersedes: list[Rid]
    pinned: bool
    provenance: Provenance
    valid_from: NotRequired[Time]
    valid_to: NotRequired[Time]
    superseded_by: NotRequired[Rid]
    promoted: NotRequired[Promotion]


class Remembered(TypedDict):
    """A memory as it is now; null where it went while it was remembered."""

    memory: Memory | None
    created: bool


class Memories(TypedDict):
    """A page of memories by their ids; `pending` were not looked at yet."""

    memories: list[Memory]
    next_cursor: NotRequired[str]
    pending: NotRequired[Count]
    skipped: Count


class Before(_Said):
    """What held in a memory's place; `forgotten` where its text is gone."""

    id: Rid
    forgotten: NotRequired[bool]
    valid_from: NotRequired[Time]
    valid_to: NotRequired[Time]


class MemoryWithHistory(TypedDict):
    """A memory and what held in its place, oldest first; `history_cut` were left out."""

    memory: Memory
    history: list[Before]
    history_cut: NotRequired[Count]


class MemoryChanged(TypedDict):
    """A memory as it is now, and the id of the one in whose place it came."""

    memory: Memory
    superseded: NotRequired[Rid]


class MemoryForgotten(TypedDict):
    """How many memories went, and whether nothing of them is left."""

    deleted: dict[str, Count]
    complete: bool
    noncurrent_versions: NotRequired[KeptVersions]


class MemoryPromoted(TypedDict):
    """An Agent Skill: its name, and its files by path."""

    name: str
    files: dict[str, str]
    memory: Memory
