"""Puts the items that a search found into their order."""

from collections.abc import Iterable, Sequence

from langgraph.store.base import SearchItem, SearchOp

from everturn.integrations.langgraph.filters import matches
from everturn.integrations.langgraph.index import best_cosine
from everturn.integrations.langgraph.items import StoredItem


def search_results(
    found: Iterable[StoredItem], op: SearchOp, query: Sequence[float] | None
) -> list[SearchItem]:
    """Return the items that a search asks for.

    Args:
        found: all items below a path that begins as the search's namespace, in any order.
        op: the search.
        query: the vector of its query, if it has one that counts.

    Returns:
        With a query the nearest first, then those that were not embedded; all else in the order in
        which they were created.
    """
    below = tuple(op.namespace_prefix)
    wanted = [
        item
        for item in found
        if item.namespace[: len(below)] == below and matches(item.value, op.filter)
    ]
    wanted.sort(key=lambda item: (item.created_at, item.namespace, item.key))
    ranked = [(item, None) for item in wanted] if query is None else _nearest(wanted, query)
    return [item.search_item(score) for item, score in ranked[op.offset : op.offset + op.limit]]


def _nearest(
    items: Iterable[StoredItem], query: Sequence[float]
) -> list[tuple[StoredItem, float | None]]:
    scored: list[tuple[StoredItem, float]] = []
    others: list[tuple[StoredItem, float | None]] = []
    for item in items:
        score = best_cosine(query, item.vectors)
        if score is None:
            others.append((item, None))
        else:
            scored.append((item, score))
    return [*sorted(scored, key=lambda one: -one[1]), *others]
