"""The schemas of responses about conversations, documents, recall and memories, for OpenAPI.

A field that may be missing is `NotRequired`. Clients must accept fields that are not named here.
"""

from typing import Annotated, Any, NotRequired, TypeAlias

from pydantic import Field, WithJsonSchema

# pydantic reads docstrings of this one on every version of Python that we run on.
from typing_extensions import TypedDict

from everturn.values.memory_kind import MemoryKind, Provenance

Time: TypeAlias = Annotated[str, WithJsonSchema({"type": "string", "format": "date-time"})]
Count: TypeAlias = Annotated[int, Field(ge=0)]
Metadata: TypeAlias = dict[str, Any]
Score: TypeAlias = Annotated[float, Field(ge=0, le=1)]
Lanes: TypeAlias = dict[str, float]
Rid: TypeAlias = Annotated[str, WithJsonSchema({"type": "string", "pattern": "^[0-9a-f]{32}$"})]


class Summary(TypedDict):
    """What a list shows of a conversation."""

    conversation_id: str
    title: str
    preview: str
    turn_count: Count
    updated: Time
    folder: NotRequired[str]
    archived: NotRequired[bool]


class Turn(TypedDict):
    """One turn; `index` counts from 0 and never changes. `content` is any JSON."""

    index: Count
    role: str
    text: str
    intent_id: NotRequired[str]
    ts: Time | None
    name: NotRequired[str]
    content: NotRequired[Any]
    metadata: NotRequired[Metadata]
    redacted: NotRequired[bool]


class TurnOfConversation(Turn):
    """A turn and the conversation that it is in."""

    conversation_id: str
    title: str


class Conversation(TypedDict):
    """A conversation with one page of its turns, oldest first; `next` is where the next begins."""

    conversation_id: str
    title: str
    turn_count: Count
    updated: Time
    folder: NotRequired[str]
    archived: NotRequired[bool]
    metadata: NotRequired[Metadata]
    turns: list[Turn]
    next: NotRequired[Count]


class Conversations(TypedDict):
    """A page of conversations; `skipped` counts those that cannot be read."""

    conversations: list[Summary]
    next_cursor: NotRequired[str]
    skipped: Count


class Turns(TypedDict):
    """Turns, oldest first; `orphan_tool` says that they begin inside a tool exchange."""

    turns: list[Turn]
    turn_count: Count
    next: NotRequired[Count]
    orphan_tool: NotRequired[bool]


class RecentTurns(TypedDict):
    """The newest turns of all conversations, newest first."""

    turns: list[TurnOfConversation]
    next_cursor: NotRequired[str]
    skipped: Count


class Pair(TypedDict):
    """A question and its answers; `more_answers` says that some were left out."""

    conversation_id: str
    title: str
    question: Turn
    answers: list[Turn]
    more_answers: NotRequired[bool]


class RecentPairs(TypedDict):
    """The newest questions of all conversations with their answers, newest first."""

    pairs: list[Pair]
    next_cursor: NotRequired[str]
    skipped: Count


class Appended(TypedDict):
    """Where the turns stand; `updated` is null where there is no conversation yet."""

    conversation_id: str
    first_turn: Count
    appended: Count
    ignored: Count
    clamped: Count
    turn_count: Count
    updated: Time | None
    replayed: bool


class Queued(TypedDict):
    """Whether a job waits, and why none does."""

    queued: bool
    reason: NotRequired[str]


class KeptVersions(TypedDict):
    """For how many days the bucket keeps what was replaced or removed, and until when."""

    days: Count
    gone: Time


class Receipt(TypedDict):
    """What went, counted by kind. Where it is not all, ask again: `remaining` objects are left."""

    deleted: dict[str, Count]
    complete: bool
    remaining: NotRequired[Count]
    noncurrent_versions: NotRequired[KeptVersions]


class TurnChanged(TypedDict):
    """A turn as it reads now; null where another program's is none that can be read."""

    conversation_id: str
    turn: Turn | None
    turn_count: Count
    updated: Time
    complete: bool
    noncurrent_versions: NotRequired[KeptVersions]


class TurnPopped(TurnChanged):
    """A turn that was taken back."""

    deleted: dict[str, Count]


class StoredTurn(TypedDict):
    """A turn in a file; another program's may have any fields."""

    role: NotRequired[str]
    text: NotRequired[str]


class StoredConversation(TypedDict):
    """The file of a conversation, with what other programs put there; its segments are in it."""

    conversation_id: str
    title: NotRequired[str]
    turns: list[StoredTurn] | None
    updated: str


class DocumentVersion(TypedDict):
    """A document without its value; `size` is in bytes."""

    space: str
    key: str
    etag: str
    size: Count
    updated: Time


class Document(DocumentVersion):
    """A document with its value, any JSON."""

    value: Any


class DocumentRow(TypedDict):
    """What a list shows of a document; `value` where values are asked for."""

    key: str
    etag: str
    size: Count
    updated: Time
    value: NotRequired[Any]


class Documents(TypedDict):
    """A page of documents by their keys; `skipped` counts those that cannot be read."""

    documents: list[DocumentRow]
    next_cursor: NotRequired[str]
    skipped: Count


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
