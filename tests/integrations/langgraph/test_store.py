"""Our store of LangGraph beyond what all stores do: age, requests, writers at once, errors."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from langgraph.store.base import GetOp, IndexConfig, Op, PutOp, SearchOp

from everturn.client import Everturn
from everturn.errors import (
    CorruptRecordError,
    InvalidRequestError,
    TooLargeError,
    UnavailableError,
)
from everturn.integrations.item_keys import item_key
from everturn.integrations.langgraph.store import EverturnStore
from integrations.langgraph.langgraph_stores import embed_words
from integrations.watched_transport import WatchedTransport

INDEX: IndexConfig = {"dims": 6, "embed": embed_words, "fields": ["text"]}
DOCUMENTS = "/v1/documents/langgraph"


@pytest.fixture
def counted(tmp_path: Path) -> WatchedTransport:
    return WatchedTransport(tmp_path)


@pytest.fixture
def client(counted: WatchedTransport) -> Iterator[Everturn]:
    with counted.blocking_client() as client:
        yield client


@pytest.fixture
def store(client: Everturn) -> EverturnStore:
    return EverturnStore(client)


def test_an_update_keeps_when_the_item_was_created(store: EverturnStore) -> None:
    store.put(("a",), "k", {"n": 1})
    first = store.get(("a",), "k")
    store.put(("a",), "k", {"n": 2})
    second = store.get(("a",), "k")
    store.put(("a",), "k", {"n": 3})
    third = store.search(("a",))[0]
    assert first is not None
    assert second is not None
    assert first.created_at == first.updated_at
    assert first.created_at == second.created_at == third.created_at
    assert first.updated_at < second.updated_at < third.updated_at
    store.delete(("a",), "k")
    store.put(("a",), "k", {"n": 4})
    fourth = store.get(("a",), "k")
    assert fourth is not None
    assert fourth.created_at > third.updated_at


def test_an_item_is_written_in_one_request_and_replaced_in_three(
    store: EverturnStore, counted: WatchedTransport
) -> None:
    place = f"{DOCUMENTS}/{item_key(('a',), 'k')}"
    store.put(("a",), "k", {"n": 1})
    assert counted.sent == [f"PUT {place}"]
    counted.sent.clear()
    store.put(("a",), "k", {"n": 2})
    assert counted.sent == [f"PUT {place}", f"GET {place}", f"PUT {place}"]
    counted.sent.clear()
    store.get(("a",), "k")
    store.delete(("a",), "k")
    assert counted.sent == [f"GET {place}", f"DELETE {place}"]


def test_a_search_is_one_list_and_so_are_namespaces(
    store: EverturnStore, counted: WatchedTransport
) -> None:
    store.batch([PutOp(("a", f"n{number % 3}"), f"k{number}", {}) for number in range(60)])
    counted.sent.clear()
    assert len(store.search(("a",), filter={"x": None}, limit=100)) == 60
    assert len(store.list_namespaces(prefix=("a",))) == 3
    assert counted.sent == [f"GET {DOCUMENTS}"] * 2


def test_a_search_reads_no_item_of_another_namespace(
    store: EverturnStore, client: Everturn
) -> None:
    store.put(("a",), "k", {})
    store.put(("ab",), "k", {})
    client.put_document("langgraph", item_key(("b",), "k"), "no item")
    assert len(store.search(("a",))) == 1


def test_labels_that_are_hashed_or_cut_are_found_and_listed(store: EverturnStore) -> None:
    paths = [("users", "ann@example"), ("users", "é"), ("x" * 60, "y" * 60, "z"), ("users",)]
    for path in paths:
        store.put(path, "likes tea" * 9, {"n": 1})
    assert store.list_namespaces() == sorted(paths)
    assert store.list_namespaces(prefix=("users",), max_depth=2) == sorted(paths)[:3]
    assert [item.namespace for item in store.search(("x" * 60, "y" * 60))] == [paths[2]]
    assert store.search(("x" * 60, "y" * 59)) == []
    assert store.get(("users", "ann@example"), "likes tea" * 9) is not None


def test_a_hundred_items_are_a_page_and_a_search_reads_them_all(
    store: EverturnStore, counted: WatchedTransport
) -> None:
    store.batch([PutOp(("a",), f"k{number:03}", {"n": number}) for number in range(205)])
    counted.sent.clear()
    found = store.search(("a",), filter={"n": {"$gte": 200}}, limit=100)
    assert sorted(item.value["n"] for item in found) == [200, 201, 202, 203, 204]
    assert len(counted.sent) == 3


def test_writers_at_once_lose_no_item(tmp_path: Path) -> None:
    with Everturn.local(tmp_path) as one, Everturn.local(tmp_path) as other:
        stores = EverturnStore(one), EverturnStore(other)

        def write(number: int) -> None:
            stores[number % 2].put(("a",), f"k{number}", {"n": number})

        with ThreadPoolExecutor(8) as threads:
            list(threads.map(write, range(40)))
        found = stores[0].search(("a",), limit=100)
    assert sorted(item.value["n"] for item in found) == list(range(40))


def test_writers_of_one_item_at_once_all_get_through_and_keep_its_age(tmp_path: Path) -> None:
    with Everturn.local(tmp_path) as client:
        store = EverturnStore(client)
        store.put(("a",), "k", {"n": -1})
        before = store.get(("a",), "k")

        def write(number: int) -> None:
            store.put(("a",), "k", {"n": number})

        with ThreadPoolExecutor(8) as threads:
            list(threads.map(write, range(16)))
        after = store.get(("a",), "k")
    assert before is not None
    assert after is not None
    assert after.created_at == before.created_at
    assert after.value["n"] in range(16)


class Refusing(httpx.BaseTransport):
    """Another writer that always comes first."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.method == "PUT":
            error = {"code": "precondition_failed", "message": "x", "retryable": False}
            return httpx.Response(412, json={"error": {**error, "request_id": "r"}})
        updated = "2026-01-01T00:00:00Z"
        named = {"space": "langgraph", "key": "k", "etag": "IjEi", "size": 2, "updated": updated}
        return httpx.Response(200, json={**named, "value": {}})


def test_a_crowd_of_writers_ends_in_an_error() -> None:
    with (
        Everturn("http://127.0.0.1", transport=Refusing()) as client,
        pytest.raises(UnavailableError, match="tries=32"),
    ):
        EverturnStore(client).put(("a",), "k", {})


def test_two_spaces_and_two_users_share_nothing(tmp_path: Path) -> None:
    with (
        Everturn.local(tmp_path, actor="ann") as ann,
        Everturn.local(tmp_path, actor="bob") as bob,
    ):
        store = EverturnStore(ann)
        store.put(("a",), "k", {})
        for other in (EverturnStore(bob), EverturnStore(ann, space="other")):
            assert other.get(("a",), "k") is None
            assert other.search(()) == []
            assert other.list_namespaces() == []


@pytest.mark.parametrize("value", [{"x": {1, 2}}, {"x": float("nan")}, {"x": b"y"}])
def test_a_value_that_is_no_json_is_refused(store: EverturnStore, value: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequestError):
        store.put(("a",), "k", value)
    assert store.get(("a",), "k") is None


def test_an_item_above_a_mebibyte_is_refused_and_the_rest_of_its_batch_is_written(
    store: EverturnStore,
) -> None:
    large = PutOp(("a",), "large", {"x": "y" * 1_048_576})
    with pytest.raises(TooLargeError):
        store.batch([large, PutOp(("a",), "small", {})])
    assert [item.key for item in store.search(())] == ["small"]


def test_a_document_that_is_no_item_is_told(store: EverturnStore, client: Everturn) -> None:
    client.put_document("langgraph", item_key(("a",), "k"), {"value": 1})
    with pytest.raises(CorruptRecordError):
        store.get(("a",), "k")


def test_no_text_of_an_item_is_in_a_path(client: Everturn, counted: WatchedTransport) -> None:
    store = EverturnStore(client)
    store.put(("users", "ann@example"), "a secret wish", {"text": "a red bicycle"})
    told = json.dumps(counted.sent)
    assert "ann" not in told
    assert "secret" not in told
    assert "bicycle" not in told


@pytest.mark.parametrize(
    "op",
    [
        PutOp(("a", cast("str", 1)), "k", {}),
        PutOp(("a",), cast("str", 5), {}),
        GetOp(("a",), cast("str", 5)),
        SearchOp(("a", cast("str", 1))),
    ],
)
def test_in_a_batch_what_is_no_string_is_refused(store: EverturnStore, op: Op) -> None:
    """The other methods of a store check it themselves."""
    with pytest.raises(InvalidRequestError, match="strings"):
        store.batch([op])
