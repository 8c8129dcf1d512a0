"""What routes of recall, memories, prompts and the status answer."""

from collections.abc import Mapping
from typing import Final

from everturn.local.openapi.memory_schemas import (
    Memories,
    MemoryChanged,
    MemoryForgotten,
    MemoryPromoted,
    MemoryWithHistory,
    Recalled,
    Remembered,
    Themes,
)
from everturn.local.openapi.operations import Operation, linked
from everturn.local.openapi.prompt_schemas import (
    Context,
    Pinned,
    Procedures,
    Retrieved,
    Status,
)

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
