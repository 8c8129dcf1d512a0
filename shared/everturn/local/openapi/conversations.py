"""What routes of conversations, turns, documents and whole scopes answer."""

from collections.abc import Mapping
from typing import Final

from everturn.local.openapi.operations import Operation, linked
from everturn.local.openapi.schemas import (
    Appended,
    Conversation,
    Conversations,
    Document,
    Documents,
    DocumentVersion,
    Queued,
    Receipt,
    RecentPairs,
    RecentTurns,
    StoredConversation,
    Summary,
    TurnChanged,
    TurnPopped,
    Turns,
)

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
