"""What the API answers to a query: hits, themes, snippets, blocks for a prompt."""

from everturn.wire.base import Part, Result
from everturn.wire.conversations import Turn
from everturn.wire.memories import PatternSpec


class Found(Turn):
    """A turn and the id of the conversation that it is in."""

    conversation_id: str


class Hit(Found):
    """A turn that was asked for; `score` is 0 to 1, and comparable between queries."""

    score: float
    neighbours: tuple[Turn, ...] = ()
    explain: dict[str, float] | None = None


class Searched(Part):
    """How far a search over conversations looked."""

    conversations: int
    turns: int
    complete: bool
    oldest: str | None = None


class Recalled(Result):
    """Hits, best first; `filtered` of them were cut by `min_score`."""

    hits: tuple[Hit, ...]
    filtered: int
    degraded: bool
    reason: str | None = None
    over_budget: bool = False
    searched: Searched | None = None


class Theme(Part):
    """What some of the turns are about: its terms, its share (0 to 1), and three of its turns."""

    terms: tuple[str, ...]
    share: float
    turns: tuple[Found, ...]
    since: str | None = None
    until: str | None = None


class Themes(Result):
    """Themes, the largest first."""

    themes: tuple[Theme, ...]
    searched: Searched
    degraded: bool
    reason: str | None = None


class Snippet(Part):
    """One line for a prompt; `kind` is a memory's, or `turn`."""

    text: str
    uri: str
    kind: str
    score: float
    explain: dict[str, float] | None = None


class Retrieved(Result):
    """Snippets, best first; `pending_turns` of them are turns that are no memories yet."""

    snippets: tuple[Snippet, ...]
    pending_turns: int
    filtered: int
    degraded: bool
    reason: str | None = None
    over_budget: bool = False


class PinnedParts(Part):
    """The lines of a pinned block, by part."""

    identity: tuple[str, ...]
    rules: tuple[str, ...]
    constraints: tuple[str, ...]
    profile: tuple[str, ...]
    goal: tuple[str, ...]


class Pinned(Result):
    """What opens every prompt; `cut` lines did not fit."""

    text: str
    tokens: int
    parts: PinnedParts
    cut: int
    degraded: bool = False
    reason: str | None = None


class Procedure(Part):
    """A proven pattern."""

    spec: PatternSpec
    confidence: float
    coverage: int
    uri: str
    text: str


class Procedural(Result):
    """Proven patterns, the strongest first."""

    patterns: tuple[Procedure, ...]


class ContextParts(Part):
    """What stands in a context, part by part."""

    pinned: PinnedParts
    memories: tuple[Snippet, ...]
    patterns: tuple[Procedure, ...]
    recalled: tuple[Hit, ...]
    recent: tuple[Turn, ...]


class Context(Result):
    """All that an agent should know by now, under one budget."""

    text: str
    tokens: int
    parts: ContextParts
    pending_turns: int
    degraded: bool
    reason: str | None = None
