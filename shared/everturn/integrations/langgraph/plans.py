"""The calls of each operation of a LangGraph store, and the filters and order of its results.

The filter rules are those of LangGraph's own stores (langgraph/store/memory). A nested object
matches by its named fields, a list as a whole.
"""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from langgraph.store.base import (
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchItem,
    SearchOp,
)

from everturn.client import ABSENT
from everturn.client.calls.call import Absent, Plan
from everturn.client.calls.documents import (
    all_documents,
    delete_document,
    get_document,
    put_document,
)
from everturn.errors import NotFoundError, UnavailableError
from everturn.integrations.item_keys import item_key, items_prefix, path_of_item
from everturn.integrations.langgraph.index import best_cosine
from everturn.integrations.langgraph.items import StoredItem, created_in, item_document, stored_item
from everturn.integrations.plans import MAX_TRIES, WRITTEN_OTHERWISE, gathered


def get_item(space: str, op: GetOp) -> Plan[Item | None]:
    """Read an item: one request; None where there is none."""
    try:
        document = yield get_document(space, item_key(op.namespace, op.key))
    except NotFoundError:
        return None
    return None if document.failed else stored_item(document).item()


def put_item(space: str, op: PutOp, vectors: Mapping[str, str]) -> Plan[None]:
    """Write an item: one request where it is new, three where it is there and keeps its age.

    Raises:
        UnavailableError: others wrote it first, every time.
    """
    key = item_key(op.namespace, op.key)
    expect: str | Absent = ABSENT
    created: str | None = None
    for _ in range(MAX_TRIES):
        try:
            yield put_document(
                space, key, item_document(op, vectors, created=created), expect=expect
            )
        except WRITTEN_OTHERWISE:
            try:
                document = yield get_document(space, key)
            except NotFoundError:
                expect, created = ABSENT, None
                continue
            if document.failed:
                return
            expect, created = document.etag, created_in(document)
        else:
            return
    raise UnavailableError(f"too many writers of one item tries={MAX_TRIES}")


def delete_item(space: str, op: PutOp) -> Plan[None]:
    """Remove an item; one that is not there is removed already."""
    try:
        yield delete_document(space, item_key(op.namespace, op.key))
    except NotFoundError:
        return


def search_items(space: str, op: SearchOp, query: Sequence[float] | None) -> Plan[list[SearchItem]]:
    """Search the items below a namespace: all of them are read, about a hundred a request."""
    prefix = items_prefix(op.namespace_prefix)
    rows = yield from gathered(all_documents(space, prefix=prefix, values=True))
    return search_results(map(stored_item, rows), op, query)


def list_namespaces(space: str, op: ListNamespacesOp) -> Plan[list[tuple[str, ...]]]:
    """List namespaces: a request for each 1,000 items, without opening them.

    Where a label is hashed, or a path cut, the items below are read as in a search.
    """
    prefix = items_prefix(common_start(op))
    rows = yield from gathered(all_documents(space, prefix=prefix))
    paths = [path_of_item(row.key) for row in rows]
    if None in paths:
        rows = yield from gathered(all_documents(space, prefix=prefix, values=True))
        paths = [stored_item(row).namespace for row in rows]
    return listed_namespaces({path for path in paths if path is not None}, op)


_WILDCARD: Final = "*"
_EQUAL: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "$eq": operator.eq,
    "$ne": operator.ne,
}
_ORDERED: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def matches(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    """Say whether a value has what a filter wants.

    Raises:
        ValueError: an operator is unknown, or one that orders is given no number.
    """
    return all(_agrees(value.get(field), each) for field, each in (wanted or {}).items())


def _agrees(found: Any, wanted: Any) -> bool:  # noqa: ANN401 - any JSON
    if isinstance(wanted, dict):
        if any(name.startswith("$") for name in wanted):
            return all(_holds(found, name, each) for name, each in wanted.items())
        return isinstance(found, dict) and matches(found, wanted)
    if isinstance(wanted, list | tuple):
        return (
            isinstance(found, list | tuple)
            and len(found) == len(wanted)
            and all(map(_agrees, found, wanted))
        )
    return bool(found == wanted)


def _holds(found: Any, name: str, wanted: Any) -> bool:  # noqa: ANN401 - any JSON
    if name in _EQUAL:
        return _EQUAL[name](found, wanted)
    if name not in _ORDERED:
        raise ValueError(f"Unsupported operator: {name}")
    number = float(wanted)
    try:
        # What has no such field, or no number in it, is neither more nor less.
        return _ORDERED[name](float(found), number)
    except (TypeError, ValueError):
        return False


def meets(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    """Say whether a namespace begins or ends as a condition says; `*` is any label.

    Raises:
        ValueError: the condition is of an unknown kind.
    """
    path = condition.path
    if condition.match_type not in {"prefix", "suffix"}:
        raise ValueError(f"Unsupported match type: {condition.match_type}")
    if len(namespace) < len(path):
        return False
    start = 0 if condition.match_type == "prefix" else len(namespace) - len(path)
    part = namespace[start : start + len(path)]
    return all(wanted in {_WILDCARD, label} for label, wanted in zip(part, path, strict=True))


def listed_namespaces(found: set[tuple[str, ...]], op: ListNamespacesOp) -> list[tuple[str, ...]]:
    """Return the namespaces that an operation asks for, in their order."""
    wanted = {
        namespace[: op.max_depth]
        for namespace in found
        if all(meets(namespace, condition) for condition in op.match_conditions or ())
    }
    return sorted(wanted)[op.offset : op.offset + op.limit]


def common_start(op: ListNamespacesOp) -> tuple[str, ...]:
    """Return the longest path that all namespaces asked for begin with, as far as it is known."""
    starts = [
        _literal(condition.path)
        for condition in op.match_conditions or ()
        if condition.match_type == "prefix"
    ]
    return max(starts, key=len, default=())


def _literal(path: tuple[str, ...]) -> tuple[str, ...]:
    return path[: path.index(_WILDCARD)] if _WILDCARD in path else tuple(path)


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
