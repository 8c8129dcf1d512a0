"""The calls about single memories: remember, list, read, correct, pin, forget, promote."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from everturn.client.calls.call import (
    MAX_PAGE,
    Call,
    Json,
    Moment,
    Walk,
    certain,
    memory_path,
    model,
    path_of,
    told,
    with_key,
)
from everturn.wire.conversations import Receipt
from everturn.wire.memories import (
    Memory,
    MemoryChanged,
    MemoryPage,
    MemoryPromoted,
    MemoryWithHistory,
    PatternSpec,
    Remembered,
)

Kind: TypeAlias = Literal["fact", "event", "pattern", "preference", "goal", "constraint"]
Spec: TypeAlias = str | Mapping[str, Json] | PatternSpec
"""A pattern: one text, or `{name, trigger, preconditions, steps, gotchas, success_criteria}`."""


def remember(
    kind: Kind,
    statement: str | None = None,
    *,
    spec: Spec | None = None,
    subject: str | None = None,
    hard: bool | None = None,
    importance: int | None = None,
    valid_from: Moment | None = None,
    pinned: bool | None = None,
    source: Mapping[str, Json] | None = None,
    idempotency_key: str | None = None,
) -> Call[Remembered]:
    """Remember something; what is known already is reinforced.

    Each call has a key of its own, the same in all its tries, and counts as one more source of
    what it says: give a `source` or a key of yours to have it counted once.

    Args:
        kind: what kind of memory.
        statement: one sentence, at most 4,000 characters; for a pattern, this or `spec`.
        spec: a pattern's.
        subject: whom or what it is about, `user` for the user's profile.
        hard: for a constraint: it stands in every pinned block.
        importance: 0 to 10.
        valid_from: since when it holds.
        pinned: never fades.
        source: `{conversation_id, from, to, quote}`: the turns that said it.
        idempotency_key: known again in a later call.

    Raises:
        InvalidRequestError: a field is wrong, or a turn of the source is not there.
        ConversationGoneError: its conversation was deleted.
    """
    return Call(
        name="remember",
        method="POST",
        path=path_of("memories"),
        body=told(
            kind=kind,
            statement=statement,
            spec=_spec(spec),
            subject=subject,
            hard=hard,
            importance=importance,
            valid_from=valid_from,
            pinned=pinned,
            source=_object(source),
        ),
        headers=told(**{"Idempotency-Key": idempotency_key}),
        answer=model(Remembered),
        complete=with_key,
    )


def _spec(spec: Spec | None) -> Json:
    if isinstance(spec, PatternSpec):
        return spec.model_dump(exclude_defaults=True)
    return _object(spec)


def _object(value: Json) -> Json:
    return dict(value) if isinstance(value, Mapping) else value


def list_memories(
    *,
    kind: Kind | None = None,
    superseded: bool | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> Call[MemoryPage]:
    """List one page of memories by their ids; `next_cursor` is where the next begins.

    Args:
        kind: only of this kind.
        superseded: with those in whose place others came.
        limit: at most 1,000; None: 50.
        cursor: the `next_cursor` of the page before.
    """
    return Call(
        name="list_memories",
        method="GET",
        path=path_of("memories"),
        params={"kind": kind, "superseded": superseded, "limit": limit, "cursor": cursor},
        answer=model(MemoryPage),
    )


def all_memories(
    *, kind: Kind | None = None, superseded: bool | None = None
) -> Walk[MemoryPage, Memory]:
    """Iterate over all memories by their ids; one request for each 1,000 of them or 3 MiB."""

    def page(cursor: str | None = None) -> Call[MemoryPage]:
        return list_memories(kind=kind, superseded=superseded, limit=MAX_PAGE, cursor=cursor)

    return Walk(
        first=page(),
        items=lambda found: found.memories,
        then=lambda found: page(found.next_cursor) if found.next_cursor else None,
    )


def get_memory(rid: str) -> Call[MemoryWithHistory]:
    """Read the memory of an id or a URI, or the one in its place, and what held before it.

    Raises:
        NotFoundError: there is none, or it was forgotten.
    """
    return Call(
        name="get_memory",
        method="GET",
        path=memory_path(rid),
        answer=model(MemoryWithHistory),
    )


def correct_memory(
    rid: str,
    statement: str | None = None,
    *,
    spec: Spec | None = None,
    valid_from: Moment | None = None,
    idempotency_key: str | None = None,
) -> Call[MemoryChanged]:
    """Have a memory say something else; what it said stays in its history.

    Raises:
        NotFoundError: there is none, or it was forgotten.
        InvalidRequestError: a field is wrong.
    """
    return Call(
        name="correct_memory",
        method="PATCH",
        path=memory_path(rid),
        body=told(statement=statement, spec=_spec(spec), valid_from=valid_from),
        headers=told(**{"Idempotency-Key": idempotency_key}),
        answer=model(MemoryChanged),
        complete=with_key,
    )


def change_memory(
    rid: str, *, pinned: bool | None = None, importance: int | None = None
) -> Call[MemoryChanged]:
    """Pin a memory, or weigh it from 0 to 10; what is None stays as it is.

    Raises:
        NotFoundError: there is none, or it was forgotten.
        InvalidRequestError: a field is wrong.
    """
    return Call(
        name="change_memory",
        method="PATCH",
        path=memory_path(rid),
        body=told(pinned=pinned, importance=importance),
        answer=model(MemoryChanged),
    )


def forget_memory(rid: str) -> Call[Receipt]:
    """Forget a memory for good, with all that it replaced.

    If no answer comes, it is forgotten again within the call; when it is gone then, the receipt
    counts nothing.

    Raises:
        NotFoundError: there is none.
    """
    return Call(
        name="forget_memory",
        method="DELETE",
        path=memory_path(rid),
        answer=certain(Receipt),
        gone=Receipt(deleted={}, complete=True),
    )


def record_outcome(
    rid: str,
    status: Literal["success", "failure", "partial"],
    *,
    source: Mapping[str, Json] | None = None,
    idempotency_key: str | None = None,
) -> Call[MemoryChanged]:
    """Note how following a pattern went; the last word of each source counts.

    Args:
        rid: its id or URI.
        status: how it went.
        source: `{conversation_id, from, to, quote}`; None: this call is one.
        idempotency_key: known again in a later call.

    Raises:
        NotFoundError: there is no such memory.
        InvalidRequestError: it is no pattern, or the source is none.
    """
    return Call(
        name="record_outcome",
        method="POST",
        path=memory_path(rid, "outcomes"),
        body=told(status=status, source=_object(source)),
        headers=told(**{"Idempotency-Key": idempotency_key}),
        answer=model(MemoryChanged),
        complete=with_key,
    )


def promote_memory(rid: str) -> Call[MemoryPromoted]:
    """Make an Agent Skill of a pattern that at least three sources speak for.

    Raises:
        NotFoundError: there is no such memory.
        ConflictError: it is no pattern, or too few sources speak for it.
    """
    return Call(
        name="promote_memory",
        method="POST",
        path=memory_path(rid, "promote"),
        body={},
        answer=model(MemoryPromoted),
    )
