"""The calls about turns: append to, read, redact and pop one conversation's, or read the newest.

The newest turns are those of all conversations, as turns or as pairs.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from everturn.client.calls.call import (
    MAX_PAGE,
    Call,
    Fresh,
    Json,
    Moment,
    ParamValue,
    Repeat,
    Walk,
    certain,
    model,
    path_of,
    told,
    with_key,
)
from everturn.errors import InvalidRequestError
from everturn.wire.conversations import (
    Appended,
    PairPage,
    RecentPage,
    Turn,
    TurnChanged,
    TurnOfConversation,
    TurnPage,
    TurnPopped,
)


def append(
    conversation_id: str,
    turns: Sequence[Mapping[str, Json]],
    *,
    idempotency_key: str | None = None,
    expected_turn_count: int | None = None,
    must_exist: bool | None = None,
) -> Call[Appended]:
    """Append turns in one piece: all of them, once, or none.

    Each call has a key and a time of its own, the same in all its tries, so that a try whose
    answer was lost is known again. A key that you give holds for the last 60 appends of its
    conversation; then turns without `ts` get the server's time.

    Args:
        conversation_id: created if need be.
        turns: 1 to 1,000 of `{role, text, content, intent_id, ts, name, metadata}`; a role and
            a text or a content are needed. `text` is read from `content` where it is left out.
        idempotency_key: known again in a later call, of another process too.
        expected_turn_count: append only if there are so many turns.
        must_exist: do not create the conversation.

    Raises:
        InvalidRequestError: a turn is wrong, or the key was used with others.
        TooLargeError: a turn is above 1 MiB, or all of them above 3 MiB.
        ConflictError: the turn count is not as expected.
        NotFoundError: it must exist and does not.
        ConversationGoneError: it was deleted.
        UnavailableError: no answer within the time; it may have happened.
    """
    sent = _sent(turns)
    return Call(
        name="append",
        method="POST",
        path=path_of("conversations", conversation_id, "turns"),
        body={
            "turns": sent,
            **told(expected_turn_count=expected_turn_count, must_exist=must_exist),
        },
        headers=told(**{"Idempotency-Key": idempotency_key}),
        answer=model(Appended),
        complete=_at_once if idempotency_key is None else None,
    )


def _sent(turns: Sequence[Mapping[str, Json]]) -> list[dict[str, Json]]:
    # A text and an object are iterated over as well, and so would be appended in pieces.
    if not isinstance(turns, Iterable) or isinstance(turns, Mapping | str):
        raise InvalidRequestError("turns are a list", field="turns")
    sent = list(turns)
    for number, turn in enumerate(sent):
        if not isinstance(turn, Mapping):
            raise InvalidRequestError("a turn is an object", field=f"turns.{number}")
    return [dict(turn) for turn in sent]


def _at_once(call: Call[Appended], fresh: Fresh) -> Call[Appended]:
    """Give an append its key, and turns without a time the present one.

    Not where the caller has the key: the same turns at another time would be other turns.
    """
    body = dict(call.body or {})
    now = fresh.now()
    body["turns"] = [
        turn if turn.get("ts") is not None else {**turn, "ts": now} for turn in body["turns"]
    ]
    return with_key(replace(call, body=body), fresh)


def append_user(
    conversation_id: str,
    text: str | None = None,
    *,
    content: Json = None,
    ts: Moment | None = None,
    intent_id: str | None = None,
    name: str | None = None,
    metadata: Mapping[str, Json] | None = None,
    idempotency_key: str | None = None,
) -> Call[Appended]:
    """Append what the user said; as `append`, with one turn."""
    turn = told(
        role="user",
        text=text,
        content=content,
        ts=ts,
        intent_id=intent_id,
        name=name,
        metadata=metadata,
    )
    return append(conversation_id, [turn], idempotency_key=idempotency_key)


def append_assistant(
    conversation_id: str,
    text: str | None = None,
    *,
    content: Json = None,
    ts: Moment | None = None,
    intent_id: str | None = None,
    name: str | None = None,
    metadata: Mapping[str, Json] | None = None,
    idempotency_key: str | None = None,
) -> Call[Appended]:
    """Append what the agent answered; as `append`, with one turn."""
    turn = told(
        role="assistant",
        text=text,
        content=content,
        ts=ts,
        intent_id=intent_id,
        name=name,
        metadata=metadata,
    )
    return append(conversation_id, [turn], idempotency_key=idempotency_key)


def get_turns(
    conversation_id: str,
    *,
    last: int | None = None,
    from_: int | None = None,
    limit: int | None = None,
) -> Call[TurnPage]:
    """Read turns, oldest first: the last ones, or one page; `next` is where the next begins.

    Args:
        conversation_id: which.
        last: so many of the newest; not together with `from_`.
        from_: number of the first turn; None: 0.
        limit: at most 1,000; None: 50.

    Raises:
        NotFoundError: there is no such conversation, or it was deleted.
    """
    return Call(
        name="get_turns",
        method="GET",
        path=path_of("conversations", conversation_id, "turns"),
        params={"last": last, "from": from_, "limit": limit},
        answer=model(TurnPage),
    )


def all_turns(conversation_id: str, *, from_: int = 0) -> Walk[TurnPage, Turn]:
    """Iterate over all turns, oldest first; one request for each 1,000 of them or 3 MiB.

    Raises:
        NotFoundError: there is no such conversation, or it was deleted.
    """

    def page(first: int) -> Call[TurnPage]:
        return get_turns(conversation_id, from_=first, limit=MAX_PAGE)

    return Walk(
        first=page(from_),
        items=lambda found: found.turns,
        then=lambda found: None if found.next is None else page(found.next),
    )


def redact_turn(conversation_id: str, number: int, *, text: str | None = None) -> Call[TurnChanged]:
    """Replace what a turn said, everywhere; its number, role and time stay.

    Args:
        conversation_id: which.
        number: its `index`.
        text: what it says from now on, at most 1,000 characters; None: nothing.

    Raises:
        NotFoundError: there is no such conversation or turn.
        ConflictError: it was taken back meanwhile.
    """
    return Call(
        name="redact_turn",
        method="PATCH",
        path=path_of("conversations", conversation_id, "turns", str(number)),
        body=told(text=text),
        answer=certain(TurnChanged),
    )


def pop_turn(conversation_id: str, *, expected_turn_count: int) -> Call[TurnPopped]:
    """Take back the newest turn.

    Never sent again after a try that got no clear answer: a second one could take back what
    somebody else appended meanwhile.

    Raises:
        NotFoundError: there is no such conversation.
        ConflictError: it does not have so many turns.
        OutcomeUnknownError: no clear answer: read the turn count again.
    """
    return Call(
        name="pop_turn",
        method="DELETE",
        path=path_of("conversations", conversation_id, "turns", "last"),
        params={"expected_turn_count": expected_turn_count},
        answer=certain(TurnPopped),
        repeat=Repeat.ONCE,
    )


def recent_turns(
    *,
    limit: int | None = None,
    cursor: str | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
    roles: Sequence[str] | None = None,
) -> Call[RecentPage]:
    """Read the newest turns of all conversations, newest first.

    Args:
        limit: at most 1,000; None: 50.
        cursor: the `next_cursor` of the page before.
        since: not before this time.
        until: before this time.
        roles: only turns of these.
    """
    params = _window(limit, cursor, since, until, roles)
    return Call(
        name="recent_turns",
        method="GET",
        path=path_of("turns", "recent"),
        params=params,
        answer=model(RecentPage),
    )


def recent_pairs(
    *,
    limit: int | None = None,
    cursor: str | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
    roles: Sequence[str] | None = None,
) -> Call[PairPage]:
    """Read the newest questions of all conversations with their answers; as `recent_turns`."""
    params = _window(limit, cursor, since, until, roles)
    return Call(
        name="recent_pairs",
        method="GET",
        path=path_of("turns", "recent"),
        params={**params, "as": "pairs"},
        answer=model(PairPage),
    )


def all_recent_turns(
    *,
    since: Moment | None = None,
    until: Moment | None = None,
    roles: Sequence[str] | None = None,
) -> Walk[RecentPage, TurnOfConversation]:
    """Iterate over the turns of all conversations, newest first; one request for each 1,000."""

    def page(cursor: str | None = None) -> Call[RecentPage]:
        return recent_turns(limit=MAX_PAGE, cursor=cursor, since=since, until=until, roles=roles)

    return Walk(
        first=page(),
        items=lambda found: found.turns,
        then=lambda found: page(found.next_cursor) if found.next_cursor else None,
    )


def _window(
    limit: int | None,
    cursor: str | None,
    since: Moment | None,
    until: Moment | None,
    roles: Sequence[str] | None,
) -> dict[str, ParamValue]:
    return {"limit": limit, "cursor": cursor, "since": since, "until": until, "roles": roles}
