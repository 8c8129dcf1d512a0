"""The calls that search: memories and text for a prompt, turns, and themes.

Turns are found in one conversation or in all; themes are of all conversations.
"""

from collections.abc import Sequence

from everturn.client.calls.call import Call, Moment, model, names_of, path_of, told
from everturn.wire.search import Context, Pinned, Procedural, Recalled, Retrieved, Themes


def retrieve(
    query: str,
    *,
    top_k: int | None = None,
    budget_tokens: int | None = None,
    kinds: Sequence[str] | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
    as_of: Moment | None = None,
    min_score: float | None = None,
    explain: bool | None = None,
) -> Call[Retrieved]:
    """Find the memories that a query asks for, best first, each as one line for a prompt.

    Args:
        query: its first 8,192 characters count; blank: the weightiest ones.
        top_k: at most so many; None: 8.
        budget_tokens: at most so much text, at 4 bytes a token; None: 6,000.
        kinds: only of these; `turn` for turns that are no memories yet.
        since: said not before this time.
        until: said before this time.
        as_of: as it was known at this time.
        min_score: none below this, 0 to 1.
        explain: say what makes each score.
    """
    return Call(
        name="retrieve",
        method="POST",
        path=path_of("memories", "retrieve"),
        body=told(
            query=query,
            top_k=top_k,
            budget_tokens=budget_tokens,
            kinds=None if kinds is None else names_of(kinds),
            since=since,
            until=until,
            as_of=as_of,
            min_score=min_score,
            explain=explain,
        ),
        answer=model(Retrieved),
    )


def pinned(*, goal: str | None = None, budget_tokens: int | None = None) -> Call[Pinned]:
    """Return the block that opens every prompt: identity, rules, constraints, profile, goal.

    Args:
        goal: what the caller is about.
        budget_tokens: at most so much text, at 4 bytes a token; None: 2,000.
    """
    return Call(
        name="pinned",
        method="POST",
        path=path_of("memories", "pinned"),
        body=told(goal=goal, budget_tokens=budget_tokens),
        answer=model(Pinned),
    )


def procedural(*, goal: str | None = None, budget_tokens: int | None = None) -> Call[Procedural]:
    """Return the proven patterns that suit a goal, the strongest first.

    Args:
        goal: what the caller is about.
        budget_tokens: at most so much text, at 4 bytes a token; None: 2,000.
    """
    return Call(
        name="procedural",
        method="POST",
        path=path_of("memories", "procedural"),
        body=told(goal=goal, budget_tokens=budget_tokens),
        answer=model(Procedural),
    )


def context(
    query: str,
    *,
    goal: str | None = None,
    conversation_id: str | None = None,
    exclude_last: int | None = None,
    budget_tokens: int | None = None,
) -> Call[Context]:
    """Return all that an agent should know by now, under one budget.

    Args:
        query: what it is asked now.
        goal: what the caller is about.
        conversation_id: the one it is in: old turns of it are recalled, and its newest are there.
        exclude_last: so many newest turns are before it already.
        budget_tokens: at most so much text, at 4 bytes a token; None: 8,000.

    Raises:
        NotFoundError: there is no such conversation.
    """
    return Call(
        name="context",
        method="POST",
        path=path_of("context"),
        body=told(
            query=query,
            goal=goal,
            conversation_id=conversation_id,
            exclude_last=exclude_last,
            budget_tokens=budget_tokens,
        ),
        answer=model(Context),
    )


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
