"""The calls that find turns: recall in one conversation or in all, and their themes."""

from collections.abc import Sequence

from everturn.client.calls.call import Call, model, told
from everturn.client.calls.encoding import Moment, names_of, path_of
from everturn.wire.search import Recalled, Themes


def recall(
    query: str,
    *,
    conversation_id: str | None = None,
    top_k: int | None = None,
    budget_tokens: int | None = None,
    exclude_last: int | None = None,
    neighbours: int | None = None,
    min_score: float | None = None,
    roles: Sequence[str] | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
    explain: bool | None = None,
) -> Call[Recalled]:
    """Find the old turns that a query asks for, verbatim, best first.

    Args:
        query: its first 8,192 characters count; blank: no hits, and `degraded`.
        conversation_id: in this one; None: in the newest of all.
        top_k: at most so many hits; None: 6.
        budget_tokens: at most so much text, at 4 bytes a token; None: 2,500.
        exclude_last: not among so many newest turns, which the caller has before it.
        neighbours: with so many turns before and after each hit.
        min_score: none below this, 0 to 1.
        roles: only turns of these.
        since: not before this time.
        until: before this time.
        explain: say what makes each score.

    Raises:
        NotFoundError: there is no such conversation.
    """
    place = () if conversation_id is None else ("conversations", conversation_id)
    return Call(
        name="recall",
        method="POST",
        path=path_of(*place, "recall"),
        body=told(
            query=query,
            top_k=top_k,
            budget_tokens=budget_tokens,
            exclude_last=exclude_last,
            neighbours=neighbours,
            min_score=min_score,
            roles=None if roles is None else names_of(roles),
            since=since,
            until=until,
            explain=explain,
        ),
        answer=model(Recalled),
    )


def themes(
    *, since: Moment | None = None, until: Moment | None = None, k: int | None = None
) -> Call[Themes]:
    """Say what the conversations are about, the largest theme first.

    Args:
        since: of turns not before this time.
        until: of turns before this time.
        k: so many themes; None: as many as suit the number of turns.
    """
    return Call(
        name="themes",
        method="POST",
        path=path_of("themes"),
        body=told(since=since, until=until, k=k),
        answer=model(Themes),
    )
