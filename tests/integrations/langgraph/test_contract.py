"""What a store of LangGraph does: its own and ours, on the same calls."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.base import (
    BaseStore,
    GetOp,
    IndexConfig,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)

from integrations.langgraph.langgraph_stores import KINDS, StoreOf, embed_words

ORDERS: list[dict[str, Any]] = [
    {"sku": "a", "price": 10, "tags": ["new", "red"], "size": {"w": 1, "h": 2}},
    {"sku": "b", "price": 20.5, "tags": ["new"], "size": {"w": 1, "h": 3}},
    {"sku": "c", "price": "30", "tags": [], "size": {}, "gone": None},
]
INDEX: IndexConfig = {"dims": 6, "embed": embed_words, "fields": ["text"]}


@pytest.fixture(params=KINDS)
def store_of(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreOf]:
    with KINDS[request.param](tmp_path) as make:
        yield make


@pytest.fixture
def store(store_of: StoreOf) -> BaseStore:
    return store_of()


def keys(found: list[Any]) -> list[str]:
    return [item.key for item in found]


def test_what_was_put_is_got_until_it_is_deleted(store: BaseStore) -> None:
    store.put(("users", "ann"), "likes", {"drink": "tea", "n": [1, {"x": None}]})
    item = store.get(("users", "ann"), "likes")
    assert item is not None
    assert item.value == {"drink": "tea", "n": [1, {"x": None}]}
    assert (item.namespace, item.key) == (("users", "ann"), "likes")
    assert item.created_at.tzinfo is not None
    assert item.created_at <= item.updated_at
    store.delete(("users", "ann"), "likes")
    store.delete(("users", "ann"), "likes")
    assert store.get(("users", "ann"), "likes") is None


def test_a_put_replaces_the_whole_value(store: BaseStore) -> None:
    store.put(("a",), "k", {"x": 1, "y": 2})
    store.put(("a",), "k", {"x": 3})
    item = store.get(("a",), "k")
    assert item is not None
    assert item.value == {"x": 3}


def test_an_unknown_item_or_namespace_is_nothing(store: BaseStore) -> None:
    assert store.get(("none",), "k") is None
    assert store.search(("none",)) == []
    store.put(("a", "b"), "k", {})
    assert store.get(("a",), "k") is None
    assert store.get(("a", "b"), "K") is None


def test_a_search_goes_below_its_namespace_and_no_further(store: BaseStore) -> None:
    for namespace in (("a",), ("a", "b"), ("ab",), ("b", "a"), ("a", "c", "d")):
        store.put(namespace, "k", {"at": list(namespace)})
    found = store.search(("a",))
    assert {item.namespace for item in found} == {("a",), ("a", "b"), ("a", "c", "d")}
    assert len(store.search(())) == 5
    assert keys(store.search(("a", "c"))) == ["k"]
    assert all(item.score is None for item in found)


def test_a_search_gives_ten_in_the_order_of_their_creation(store: BaseStore) -> None:
    names = [f"k{number % 7}{number}" for number in range(12)]
    for name in names:
        store.put(("a",), name, {"name": name})
    store.put(("a",), names[0], {"name": "new"})
    assert keys(store.search(("a",))) == names[:10]
    assert keys(store.search(("a",), limit=3, offset=10)) == names[10:]
    assert store.search(("a",), limit=3, offset=12) == []
    store.delete(("a",), names[1])
    store.put(("a",), names[1], {})
    assert keys(store.search(("a",), limit=50)) == [names[0], *names[2:], names[1]]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"sku": "a"}, "a"),
        ({"sku": "x"}, ""),
        ({"sku": "a", "price": 10}, "a"),
        ({"sku": "a", "price": 11}, ""),
        ({"price": {"$gt": 10}}, "bc"),
        ({"price": {"$gte": 10, "$lt": 30}}, "ab"),
        ({"price": {"$lte": 20.5}}, "ab"),
        ({"sku": {"$eq": "b"}}, "b"),
        ({"sku": {"$ne": "b"}}, "ac"),
        ({"none": {"$ne": 1}}, "abc"),
        ({"none": None}, "abc"),
        ({"tags": ["new", "red"]}, "a"),
        ({"tags": ["new", {"$ne": "blue"}]}, "a"),
        ({"tags": []}, "c"),
        ({"size": {"w": 1}}, "ab"),
        ({"size": {"w": 1, "h": {"$gt": 2}}}, "b"),
        ({"size": {}}, "abc"),
        ({"sku": {"w": 1}}, ""),
        ({}, "abc"),
    ],
)
def test_a_filter_compares_values(store: BaseStore, wanted: dict[str, Any], found: str) -> None:
    for order in ORDERS:
        store.put(("orders",), order["sku"], order)
    assert "".join(keys(store.search(("orders",), filter=wanted))) == found


def test_an_unknown_operator_is_refused(store: BaseStore) -> None:
    store.put(("a",), "k", {"x": 1})
    with pytest.raises(ValueError, match=r"Unsupported operator: \$near"):
        store.search(("a",), filter={"x": {"$near": 1}})


@pytest.fixture
def tree(store: BaseStore) -> BaseStore:
    for path in ("a.b.c", "a.b.d.e", "a.b.d.i", "a.b.f", "a.c.f", "b", "b.a.c"):
        store.put(tuple(path.split(".")), "k", {})
    return store


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, "a.b.c a.b.d.e a.b.d.i a.b.f a.c.f b b.a.c"),
        ({"prefix": ("a", "b")}, "a.b.c a.b.d.e a.b.d.i a.b.f"),
        ({"prefix": ("a", "b"), "max_depth": 3}, "a.b.c a.b.d a.b.f"),
        ({"prefix": ("a", "*", "f")}, "a.b.f a.c.f"),
        ({"prefix": ("*", "a")}, "b.a.c"),
        ({"suffix": ("c",)}, "a.b.c b.a.c"),
        ({"suffix": ("b", "*")}, "a.b.c a.b.f"),
        ({"prefix": ("a",), "suffix": ("f",)}, "a.b.f a.c.f"),
        ({"max_depth": 1}, "a b"),
        ({"limit": 2, "offset": 1}, "a.b.d.e a.b.d.i"),
        ({"offset": 9}, ""),
        ({"prefix": ("none",)}, ""),
    ],
)
def test_namespaces_are_listed_in_order(tree: BaseStore, asked: dict[str, Any], found: str) -> None:
    assert [".".join(path) for path in tree.list_namespaces(**asked)] == found.split()


def test_a_condition_of_an_unknown_kind_is_refused(tree: BaseStore) -> None:
    wrong = ListNamespacesOp(match_conditions=(MatchCondition("middle", ("a",)),))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="Unsupported match type: middle"):
        tree.batch([wrong])


def test_a_batch_reads_before_it_writes_and_the_last_write_of_an_item_counts(
    store: BaseStore,
) -> None:
    store.put(("a",), "k", {"n": 0})
    results = store.batch(
        [
            PutOp(("a",), "k", {"n": 1}),
            GetOp(("a",), "k"),
            PutOp(("a",), "k", {"n": 2}),
            SearchOp(("a",)),
            PutOp(("a",), "l", {"n": 3}),
            ListNamespacesOp(),
            PutOp(("a",), "l", None),
            GetOp(("a",), "none"),
        ]
    )
    assert [results[number] for number in (0, 2, 4, 6, 7)] == [None] * 5
    assert results[1].value == {"n": 0}  # type: ignore[union-attr]
    assert [item.value for item in results[3]] == [{"n": 0}]  # type: ignore[union-attr]
    assert results[5] == [("a",)]
    assert [item.value for item in store.search(())] == [{"n": 2}]
    assert store.batch([]) == []


def test_an_operation_of_an_unknown_kind_is_refused(store: BaseStore) -> None:
    with pytest.raises(ValueError, match="Unknown operation type"):
        store.batch(["get"])  # type: ignore[list-item]


@pytest.mark.parametrize("namespace", [(), ("a.b",), ("",), ("langgraph", "a"), ("a\x00",)])
def test_a_namespace_that_is_none_is_refused(store: BaseStore, namespace: tuple[str, ...]) -> None:
    with pytest.raises(InvalidNamespaceError):
        store.put(namespace, "k", {})


def test_a_time_to_live_is_refused(store: BaseStore) -> None:
    assert not store.supports_ttl
    with pytest.raises(NotImplementedError):
        store.put(("a",), "k", {}, ttl=5)


def test_a_query_without_an_index_changes_nothing(store: BaseStore) -> None:
    for name in ("x", "y", "z"):
        store.put(("a",), name, {"text": name}, index=["text"])
    found = store.search(("a",), query="z")
    assert [(item.key, item.score) for item in found] == [("x", None), ("y", None), ("z", None)]
