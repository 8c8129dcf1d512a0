"""The calls about conversations: create, list, read, change, delete, consolidate, export.

An export is one conversation as its file.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from everturn.client.calls.call import (
    MAX_PAGE,
    UNSET,
    Answer,
    Call,
    Fresh,
    Json,
    Plan,
    Unset,
    Walk,
    certain,
    json_bytes,
    model,
    path_of,
    told,
)
from everturn.client.calls.turns import get_turns
from everturn.errors import TooLargeError
from everturn.wire.conversations import Conversation, ConversationPage, Queued, Receipt, Summary


def create_conversation(
    conversation_id: str | None = None,
    *,
    title: str | None = None,
    folder: str | None = None,
    metadata: Mapping[str, Json] | None = None,
) -> Call[Summary]:
    """Create a conversation, empty; one that exists is left as it is.

    The first append creates one as well. It is listed from its first turn on, and swept after a
    day without any.

    Args:
        conversation_id: at most 1,024 bytes without control characters; None: a new one.
        title: what lists show; None: its first user turn.
        folder: at most 256 characters.
        metadata: any JSON object, 16 KB.

    Raises:
        InvalidRequestError: a field is wrong.
        UnavailableError: one of this id is being deleted, or there is no answer; sent again
            within the call.
    """
    body = told(conversation_id=conversation_id, title=title, folder=folder, metadata=metadata)
    return Call(
        name="create_conversation",
        method="POST",
        path=path_of("conversations"),
        body=body,
        answer=model(Summary),
        complete=_with_id,
    )


def _with_id(call: Call[Summary], fresh: Fresh) -> Call[Summary]:
    return replace(call, body={"conversation_id": fresh.id(), **(call.body or {})})


def list_conversations(
    *,
    limit: int | None = None,
    cursor: str | None = None,
    folder: str | None = None,
    archived: bool | None = None,
    q: str | None = None,
) -> Call[ConversationPage]:
    """List one page of conversations, newest first; `next_cursor` is where the next begins.

    Args:
        limit: at most 1,000; None: 50.
        cursor: the `next_cursor` of the page before.
        folder: only those in this folder.
        archived: only those that are archived, or are not.
        q: only those whose title, as a list shows it, has this text.
    """
    return Call(
        name="list_conversations",
        method="GET",
        path=path_of("conversations"),
        params={"limit": limit, "cursor": cursor, "folder": folder, "archived": archived, "q": q},
        answer=model(ConversationPage),
    )


def all_conversations(
    *, folder: str | None = None, archived: bool | None = None, q: str | None = None
) -> Walk[ConversationPage, Summary]:
    """Iterate over all conversations, newest first; one request for each 1,000 of them."""

    def page(cursor: str | None = None) -> Call[ConversationPage]:
        return list_conversations(
            limit=MAX_PAGE, cursor=cursor, folder=folder, archived=archived, q=q
        )

    return Walk(
        first=page(),
        items=lambda found: found.conversations,
        then=lambda found: page(found.next_cursor) if found.next_cursor else None,
    )


def get_conversation(
    conversation_id: str, *, from_: int | None = None, limit: int | None = None
) -> Call[Conversation]:
    """Read a conversation with one page of its turns, oldest first.

    Args:
        conversation_id: which.
        from_: number of the first turn; None: 0.
        limit: at most 1,000 turns; None: 50.

    Raises:
        NotFoundError: there is none, or it was deleted.
    """
    return Call(
        name="get_conversation",
        method="GET",
        path=path_of("conversations", conversation_id),
        params={"from": from_, "limit": limit},
        answer=model(Conversation),
    )


def update_conversation(
    conversation_id: str,
    *,
    title: str | Unset | None = UNSET,
    folder: str | Unset | None = UNSET,
    archived: bool | Unset = UNSET,
    metadata: Mapping[str, Json] | Unset | None = UNSET,
) -> Call[Summary]:
    """Change a conversation; what is not given stays as it is.

    Args:
        conversation_id: which.
        title: None: its first user turn again.
        folder: None: out of its folder.
        archived: whether it is put away.
        metadata: merged by key; a key that is None goes, None alone removes all.

    Raises:
        NotFoundError: there is none, or it was deleted.
        InvalidRequestError: a field is wrong.
    """
    fields = {"title": title, "folder": folder, "archived": archived, "metadata": metadata}
    return Call(
        name="update_conversation",
        method="PATCH",
        path=path_of("conversations", conversation_id),
        body={name: value for name, value in fields.items() if value is not UNSET},
        answer=model(Summary),
    )


def delete_conversation(conversation_id: str) -> Call[Receipt]:
    """Delete a conversation, with all that comes of it alone.

    Where the receipt is not `complete`, delete it again. If no answer comes, it is deleted again
    within the call; when it is gone then, the receipt counts nothing.

    Raises:
        NotFoundError: there is nothing to delete.
    """
    return Call(
        name="delete_conversation",
        method="DELETE",
        path=path_of("conversations", conversation_id),
        answer=certain(Receipt),
        gone=Receipt(deleted={}, complete=True),
    )


def consolidate(conversation_id: str) -> Call[Queued]:
    """Have a conversation consolidated into memories soon; `queued` says whether it will be.

    In a store opened by `local` it is done before this returns.

    Raises:
        NotFoundError: there is none, or it was deleted.
    """
    return Call(
        name="consolidate",
        method="POST",
        path=path_of("conversations", conversation_id, "consolidate"),
        body={},
        answer=model(Queued),
    )


_NAMED: Final = ("conversation_id", "title")
_OPTIONAL: Final = ("folder", "archived", "metadata")


def export_conversation(conversation_id: str) -> Plan[bytes]:
    """Return the JSON file of a conversation, byte for byte as it is stored.

    One above 3 MiB is put together from its pages: the same members in the same order, without
    what other programs added. Raises in the mode `best_effort` as well: an empty file is no copy.

    Raises:
        NotFoundError: there is none, or it was deleted.
    """
    try:
        document: bytes = yield Call(
            name="export_conversation",
            method="GET",
            path=path_of("conversations", conversation_id, "export"),
            answer=Answer(_object_bytes),
        )
    except TooLargeError:
        document = yield from _assembled(conversation_id)
    return document


def _assembled(conversation_id: str) -> Plan[bytes]:
    head = yield _raw(get_conversation(conversation_id, limit=1), *_NAMED, "updated")
    walk = _raw_turns(conversation_id)
    turns: list[Json] = []
    call: Call[dict[str, Any]] | None = walk.first
    asked: set[str] = set()
    while call is not None:
        page = yield call
        turns += walk.items(page)
        call = walk.after(page, call, asked)
    named = {name: head[name] for name in _NAMED}
    optional = {name: head[name] for name in _OPTIONAL if name in head}
    return json_bytes({**named, "turns": turns, "updated": head["updated"], **optional})


def _raw_turns(conversation_id: str) -> Walk[dict[str, Any], Json]:
    def page(first: int) -> Call[dict[str, Any]]:
        return _raw(get_turns(conversation_id, from_=first, limit=MAX_PAGE), "turns")

    return Walk(
        first=page(0),
        items=lambda found: [
            {name: value for name, value in turn.items() if name != "index"}
            for turn in found["turns"]
        ],
        then=lambda found: None if found.get("next") is None else page(found["next"]),
    )


def _raw(call: Call[Any], *names: str) -> Call[dict[str, Any]]:
    """Return a call whose answer is not read into a model, which would lose what is new."""
    return replace(call, answer=Answer(lambda body: _object(body, *names)))


def _object_bytes(body: bytes) -> bytes:
    _object(body, "conversation_id")
    return body


def _object(body: bytes, *names: str) -> dict[str, Any]:
    value = json.loads(body)
    if not isinstance(value, dict) or not value.keys() >= set(names):
        raise ValueError("no such object")
    return value
