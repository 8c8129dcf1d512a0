"""Which items a search wants: filters on values, conditions on namespaces.

The rules are those of LangGraph's own stores (langgraph/store/memory): a nested object matches by
its named fields, a list as a whole.
"""

import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

from langgraph.store.base import ListNamespacesOp, MatchCondition

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
