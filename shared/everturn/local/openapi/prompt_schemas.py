"""The shapes of answers that make prompts, and of the status, for the API's description."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from everturn.local.openapi.memory_schemas import Hit, Lanes, PatternSpec, Score
from everturn.local.openapi.schemas import Count, Time, Turn
from everturn.memory.model.retrieve_request import SnippetKind


class Snippet(TypedDict):
    """One line for a prompt."""

    text: str
    uri: str
    kind: SnippetKind
    score: Score
    explain: NotRequired[Lanes]


class Retrieved(TypedDict):
    """Snippets, best first; `pending_turns` of them are turns that are no memories yet."""

    snippets: list[Snippet]
    pending_turns: Count
    filtered: Count
    degraded: bool
    reason: NotRequired[str]
    over_budget: NotRequired[bool]


class PinnedParts(TypedDict):
    """The lines of a pinned block, by part."""

    identity: list[str]
    rules: list[str]
    constraints: list[str]
    profile: list[str]
    goal: list[str]


class Pinned(TypedDict):
    """What opens every prompt; `cut` lines did not fit."""

    text: str
    tokens: Count
    parts: PinnedParts
    cut: Count
    degraded: NotRequired[bool]
    reason: NotRequired[str]


class Procedure(TypedDict):
    """A proven pattern."""

    spec: PatternSpec
    confidence: Score
    coverage: Count
    uri: str
    text: str


class Procedures(TypedDict):
    """Proven patterns, the strongest first."""

    patterns: list[Procedure]


class ContextParts(TypedDict):
    """What stands in a context, part by part."""

    pinned: PinnedParts
    memories: list[Snippet]
    patterns: list[Procedure]
    recalled: list[Hit]
    recent: list[Turn]


class Context(TypedDict):
    """All that an agent should know by now, under one budget."""

    text: str
    tokens: Count
    parts: ContextParts
    pending_turns: Count
    degraded: bool
    reason: NotRequired[str]


class TriedEmbedder(TypedDict):
    """An embedder that is not used, and what it lacks."""

    name: str
    reason: str


class EmbedderInUse(TypedDict):
    """The embedder that is used."""

    name: str
    model: str
    dimensions: Count
    semantic: bool
    reason: str
    tried: list[TriedEmbedder]


class Backends(TypedDict):
    """The kinds of the stores, and the embedder."""

    store: Literal["directory", "s3"]
    derived: Literal["directory", "s3"]
    embedder: EmbedderInUse


class Consolidation(TypedDict):
    """How far consolidation is; numbers that cannot be had are left out."""

    queue: Literal["sqs", "folder", "none"]
    extractor: str
    complete: bool
    depth: NotRequired[Count]
    in_flight: NotRequired[Count]
    oldest: NotRequired[Time]
    dead: NotRequired[Count]
    pending: NotRequired[Count]
    pending_turns: NotRequired[Count]
    quarantined: NotRequired[Count]
    last_success: NotRequired[Time]
    reason: NotRequired[str]


class Status(TypedDict):
    """What a deployment works with, and what it has not done yet."""

    backends: Backends
    consolidation: Consolidation
