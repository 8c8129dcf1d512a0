"""The calls about conversations: create, list, read, change, delete."""

from collections.abc import Mapping
from dataclasses import replace

from everturn.client.calls.call import (
    MAX_PAGE,
    UNSET,
    Call,
    Fresh,
    Unset,
    Walk,
    certain,
    model,
    told,
)
from everturn.client.calls.encoding import Json, path_of
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
