"""The calls that read the newest turns of all conversations: as turns, or as pairs."""

from collections.abc import Sequence

from everturn.client.calls.call import MAX_PAGE, Call, Walk, model
from everturn.client.calls.encoding import Moment, ParamValue, path_of
from everturn.wire.conversations import PairPage, RecentPage, TurnOfConversation


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
