"""What the API answers about long-term memories."""

from pydantic import Field

from everturn.wire.base import Part, Result


class PatternSpec(Part):
    """A proven way of doing something."""

    name: str | None = None
    trigger: str | None = None
    preconditions: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    gotchas: tuple[str, ...] = ()
    success_criteria: tuple[str, ...] = ()


class Source(Part):
    """Where a memory comes from: turns `from_` to `to` of a conversation, both included."""

    at: str
    conversation_id: str | None = None
    from_: int | None = Field(default=None, alias="from")
    to: int | None = None
    quote: str | None = None


class Promotion(Part):
    """The skill that a pattern was made, and when."""

    name: str
    at: str


class Memory(Part):
    """A memory: a statement, or a pattern's spec.

    `importance` is 0 to 10, `strength` 0 to 1; times are RFC 3339.
    """

    id: str
    uri: str
    kind: str
    subject: str
    hard: bool
    importance: int
    count: int
    coverage: int
    strength: float
    sources: tuple[Source, ...]
    first_seen: str
    last_seen: str
    supersedes: tuple[str, ...]
    pinned: bool
    provenance: str
    statement: str | None = None
    spec: PatternSpec | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    superseded_by: str | None = None
    promoted: Promotion | None = None


class Before(Part):
    """What held in a memory's place; `forgotten` where its text is gone."""

    id: str
    statement: str | None = None
    spec: PatternSpec | None = None
    forgotten: bool = False
    valid_from: str | None = None
    valid_to: str | None = None


class Remembered(Result):
    """A memory as it is now; None where it went while it was remembered."""

    memory: Memory | None
    created: bool


class MemoryPage(Result):
    """A page of memories by their ids; `pending` were not looked at yet."""

    memories: tuple[Memory, ...]
    skipped: int
    next_cursor: str | None = None
    pending: int | None = None


class MemoryWithHistory(Result):
    """A memory and what held in its place, oldest first; `history_cut` were left out."""

    memory: Memory
    history: tuple[Before, ...]
    history_cut: int = 0


class MemoryChanged(Result):
    """A memory as it is now, and the id of the one in whose place it came."""

    memory: Memory
    superseded: str | None = None


class MemoryPromoted(Result):
    """An Agent Skill: its name, and its files by path."""

    name: str
    files: dict[str, str]
    memory: Memory
