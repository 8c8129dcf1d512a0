"""The responses, links and examples of every route, for OpenAPI.

`CONVERSATIONS` has the routes of conversations, turns, documents and whole scopes. `MEMORIES` has
those of recall, memories, prompts and the status.
"""

from collections.abc import Mapping
from typing import Final, Literal, NotRequired

from typing_extensions import TypedDict

from everturn.local.openapi.requests import Operation, linked
from everturn.local.openapi.schemas import (
    Appended,
    Conversation,
    Conversations,
    Count,
    Document,
    Documents,
    DocumentVersion,
    Hit,
    Lanes,
    Memories,
    MemoryChanged,
    MemoryForgotten,
    MemoryPromoted,
    MemoryWithHistory,
    PatternSpec,
    Queued,
    Recalled,
    Receipt,
    RecentPairs,
    RecentTurns,
    Remembered,
    Score,
    StoredConversation,
    Summary,
    Themes,
    Time,
    Turn,
    TurnChanged,
    TurnPopped,
    Turns,
)
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


_ID = {"id": "$response.body#/conversation_id"}
_PATH_ID = {"id": "$request.path.id"}
_DOCUMENT = {"space": "$response.body#/space", "key": "$response.body#/key"}
_OF_CONVERSATION = ("get_conversation", "read_turns", "export_conversation")
_SAID = {"role": "user", "text": "Remember that the server listens on port 8080."}

CONVERSATIONS: Final[Mapping[str, Operation]] = {
    "POST /v1/conversations": Operation(
        "create_conversation",
        "conversations",
        {200: Summary, 201: Summary},
        links=linked(_ID, *_OF_CONVERSATION, "append", "change_conversation")
        + linked(_ID, "delete_conversation", "recall"),
        example={"conversation_id": "demo", "title": "A talk"},
    ),
    "GET /v1/conversations": Operation(
        "list_conversations",
        "conversations",
        {200: Conversations},
    ),
    "GET /v1/conversations/{id}": Operation(
        "get_conversation",
        "conversations",
        {200: Conversation},
        (404,),
        links=linked(_ID, "append", "change_conversation", "delete_conversation"),
    ),
    "PATCH /v1/conversations/{id}": Operation(
        "change_conversation",
        "conversations",
        {200: Summary},
        (404,),
        links=linked(_ID, "get_conversation"),
        example={"title": "Another title", "folder": "work"},
    ),
    "DELETE /v1/conversations/{id}": Operation(
        "delete_conversation",
        "conversations",
        {200: Receipt},
        (404,),
        links=linked(_PATH_ID, *_OF_CONVERSATION, "append"),
    ),
    "GET /v1/conversations/{id}/export": Operation(
        "export_conversation", "conversations", {200: StoredConversation}, (404,)
    ),
    "POST /v1/conversations/{id}/turns": Operation(
        "append",
        "turns",
        {200: Appended},
        (404, 409, 410),
        links=linked(_ID, *_OF_CONVERSATION, "append", "recall", "consolidate")
        + linked(_ID, "change_conversation", "delete_conversation")
        + linked({**_ID, "number": "$response.body#/first_turn"}, "redact_turn"),
        example={"turns": [_SAID]},
    ),
    "GET /v1/conversations/{id}/turns": Operation(
        "read_turns",
        "turns",
        {200: Turns},
        (404,),
    ),
    "PATCH /v1/conversations/{id}/turns/{number}": Operation(
        "redact_turn",
        "turns",
        {200: TurnChanged},
        (404, 409),
        links=linked(_ID, *_OF_CONVERSATION, "recall"),
        example={"text": ""},
    ),
    "DELETE /v1/conversations/{id}/turns/last": Operation(
        "pop_turn",
        "turns",
        {200: TurnPopped},
        (404, 409),
        links=linked(_ID, *_OF_CONVERSATION, "recall"),
    ),
    "GET /v1/turns/recent": Operation(
        "recent_turns",
        "turns",
        {200: RecentTurns | RecentPairs},
    ),
    "POST /v1/conversations/{id}/consolidate": Operation(
        "consolidate", "memories", {202: Queued}, (404,), example={}
    ),
    "GET /v1/documents/{space}": Operation(
        "list_documents",
        "documents",
        {200: Documents},
        (404,),
    ),
    "GET /v1/documents/{space}/{key}": Operation(
        "get_document",
        "documents",
        {200: Document, 304: None},
        (404,),
        links=linked({**_DOCUMENT, "If-Match": "$response.body#/etag"}, "put_document")
        + linked({**_DOCUMENT, "If-None-Match": "$response.body#/etag"}, "get_document"),
        headers=("ETag",),
    ),
    "PUT /v1/documents/{space}/{key}": Operation(
        "put_document",
        "documents",
        {200: DocumentVersion, 201: DocumentVersion},
        (404, 412),
        links=linked(_DOCUMENT, "get_document", "put_document", "delete_document")
        + linked({"space": "$response.body#/space"}, "list_documents"),
        example={"value": {"step": 1}},
        headers=("ETag",),
    ),
    "DELETE /v1/documents/{space}/{key}": Operation(
        "delete_document",
        "documents",
        {200: Receipt},
        (404, 412),
        links=linked({"space": "$request.path.space", "key": "$request.path.key"}, "get_document"),
    ),
    "GET /v1/export": Operation("export", "scope", {200: str}, media="application/x-ndjson"),
    "DELETE /v1/me": Operation("erase", "scope", {200: Receipt}),
}
"""By route key."""


_RID = {"rid": "$response.body#/memory/id"}
_PATH_RID = {"rid": "$request.path.rid"}
_ASKED = {"query": "Which port does the server listen on?"}

MEMORIES: Final[Mapping[str, Operation]] = {
    "POST /v1/conversations/{id}/recall": Operation(
        "recall", "recall", {200: Recalled}, (404,), example={**_ASKED, "top_k": 6}
    ),
    "POST /v1/recall": Operation(
        "recall_across",
        "recall",
        {200: Recalled},
        example={**_ASKED, "top_k": 6},
    ),
    "POST /v1/themes": Operation("find_themes", "recall", {200: Themes}, example={"k": 3}),
    "GET /v1/status": Operation("status", "scope", {200: Status}),
    "POST /v1/memories": Operation(
        "remember",
        "memories",
        {200: Remembered, 201: Remembered},
        (410,),
        links=linked(_RID, "get_memory", "correct_memory", "forget_memory")
        + linked(_RID, "note_outcome", "promote_memory"),
        example={"kind": "preference", "statement": "Likes short answers."},
    ),
    "GET /v1/memories": Operation(
        "list_memories",
        "memories",
        {200: Memories},
    ),
    "GET /v1/memories/{rid}": Operation(
        "get_memory",
        "memories",
        {200: MemoryWithHistory},
        (404,),
        links=linked(_RID, "correct_memory", "forget_memory"),
    ),
    "PATCH /v1/memories/{rid}": Operation(
        "correct_memory",
        "memories",
        {200: MemoryChanged},
        (404,),
        links=linked(_RID, "get_memory", "forget_memory"),
        example={"statement": "Likes long answers."},
    ),
    "DELETE /v1/memories/{rid}": Operation(
        "forget_memory",
        "memories",
        {200: MemoryForgotten},
        (404,),
        links=linked(_PATH_RID, "get_memory"),
    ),
    "POST /v1/memories/{rid}/outcomes": Operation(
        "note_outcome",
        "memories",
        {200: MemoryChanged},
        (404,),
        links=linked(_RID, "get_memory", "promote_memory"),
        example={"status": "success"},
    ),
    "POST /v1/memories/{rid}/promote": Operation(
        "promote_memory",
        "memories",
        {200: MemoryPromoted},
        (404, 409),
        links=linked(_RID, "get_memory"),
        example={},
    ),
    "POST /v1/memories/retrieve": Operation(
        "retrieve", "prompts", {200: Retrieved}, example={**_ASKED, "top_k": 8}
    ),
    "POST /v1/memories/pinned": Operation(
        "pinned", "prompts", {200: Pinned}, example={"goal": "Ship the release."}
    ),
    "POST /v1/memories/procedural": Operation(
        "procedural", "prompts", {200: Procedures}, example={"goal": "Ship the release."}
    ),
    "POST /v1/context": Operation("context", "prompts", {200: Context}, example=_ASKED),
}
"""By route key."""
