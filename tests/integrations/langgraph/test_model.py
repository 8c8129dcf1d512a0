"""Any writes to our store of LangGraph and its own leave the same, whatever the strings."""

from collections.abc import Iterator
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.store.base import GetOp, ListNamespacesOp, PutOp, Result, SearchItem, SearchOp
from langgraph.store.memory import InMemoryStore

from integrations.langgraph.langgraph_stores import StoreOf, everturn_stores

LABELS = st.sampled_from(["a", "ab", "a.b", "", "é", "e\u0301", "a/b", "%2F", "~", "x" * 70])
PATHS = st.lists(LABELS, min_size=1, max_size=3).map(tuple)
VALUES = st.none() | st.dictionaries(st.sampled_from("xy"), st.integers(0, 3), max_size=2)
PUTS = st.tuples(PATHS, LABELS, VALUES)


@pytest.fixture(scope="module")
def our_stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoreOf]:
    with everturn_stores(tmp_path_factory.mktemp("stores")) as make:
        yield make


@given(puts=st.lists(PUTS, max_size=12), prefix=st.lists(LABELS, max_size=2).map(tuple))
def test_any_puts_leave_the_same_items(
    our_stores: StoreOf, puts: list[Any], prefix: tuple[str, ...]
) -> None:
    """Whatever the strings, but that ours forgets namespaces whose last item went."""
    ours, theirs = our_stores(), InMemoryStore()
    for path, key, value in puts:
        for store in (ours, theirs):
            store.batch([PutOp(path, key, value)])
    for wanted in (None, {"x": 1}, {"y": {"$ne": 0}, "x": {"$eq": None}}):
        asked = SearchOp(prefix, filter=wanted, limit=99)
        found, expected = ours.batch([asked])[0], theirs.batch([asked])[0]
        assert by_namespace(found) == by_namespace(expected)
    left = {item.namespace for item in theirs.batch([SearchOp((), limit=99)])[0]}  # type: ignore[union-attr]
    assert ours.batch([ListNamespacesOp()])[0] == sorted(left)
    for path, key, _ in puts:
        one, other = (store.batch([GetOp(path, key)])[0] for store in (ours, theirs))
        assert (one is None) == (other is None)
        assert one is None or one.value == other.value  # type: ignore[union-attr]


def by_namespace(found: Result) -> dict[tuple[str, ...], list[tuple[str, Any]]]:
    """Items in their order, of each namespace."""
    grouped: dict[tuple[str, ...], list[tuple[str, Any]]] = {}
    for item in cast("list[SearchItem]", found):
        grouped.setdefault(item.namespace, []).append((item.key, item.value))
    return grouped
