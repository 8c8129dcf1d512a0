"""Searches of stores of LangGraph that have an index: its own and ours, then ours alone."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.base import IndexConfig, PutOp

from everturn.client import Everturn
from everturn.integrations.item_keys import item_key
from everturn.integrations.langgraph.store import EverturnStore
from integrations.langgraph.langgraph_stores import (
    KINDS,
    StoreOf,
    aembed_words,
    cosine,
    embed_words,
)

INDEX: IndexConfig = {"dims": 6, "embed": embed_words, "fields": ["text"]}


@pytest.fixture(params=KINDS)
def store_of(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreOf]:
    with KINDS[request.param](tmp_path) as make:
        yield make


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Everturn]:
    with Everturn.local(tmp_path) as client:
        yield client


def keys(found: list[Any]) -> list[str]:
    return [item.key for item in found]


def test_a_query_finds_the_nearest_first(store_of: StoreOf) -> None:
    store = store_of(index=INDEX)
    texts = {"x": "the server listens", "y": "a port of the server", "z": "tea", "w": "coffee"}
    for name, text in texts.items():
        store.put(("a",), name, {"text": text, "kind": len(text) % 2})
    found = store.search(("a",), query="server port", limit=3)
    assert keys(found)[:2] == ["y", "x"]
    scores = [item.score for item in found]
    assert scores == sorted(scores, key=lambda score: -(score or 0))
    assert scores[0] == pytest.approx(1.0, abs=1e-6)
    assert keys(store.search(("a",), query="server port", limit=2, offset=1))[0] == "x"
    odd = {name for name, text in texts.items() if len(text) % 2}
    assert set(keys(store.search(("a",), query="server port", filter={"kind": 1}))) == odd
    assert [item.score for item in store.search(("a",))] == [None] * 4


def test_what_is_not_embedded_comes_after_the_rest(store_of: StoreOf) -> None:
    store = store_of(index=INDEX)
    store.put(("a",), "no", {"text": "port"}, index=False)
    store.put(("a",), "none", {"other": "port"})
    store.put(("a",), "far", {"text": "tea"})
    store.put(("a",), "near", {"text": "port"})
    found = store.search(("a",), query="port")
    assert keys(found) == ["near", "far", "no", "none"]
    assert [item.score is None for item in found] == [False, False, True, True]
    assert keys(store.search(("a",), query="port", limit=3)) == ["near", "far", "no"]


def test_an_item_is_as_near_as_its_nearest_part(store_of: StoreOf) -> None:
    store = store_of(index={**INDEX, "fields": ["title", "parts[*].text"]})
    store.put(("a",), "x", {"title": "tea", "parts": [{"text": "port"}, {"text": "weather"}]})
    store.put(("a",), "y", {"title": "tea port weather", "parts": []})
    store.put(("a",), "z", {"note": "port"}, index=["note"])
    found = store.search(("a",), query="port")
    assert {item.key: item.score for item in found} == {
        "x": pytest.approx(1.0, abs=1e-6),
        "z": pytest.approx(1.0, abs=1e-6),
        "y": pytest.approx(cosine("tea port weather", "port"), abs=1e-6),
    }


def test_a_whole_item_is_embedded_where_no_fields_are_named(store_of: StoreOf) -> None:
    store = store_of(index={"dims": 6, "embed": embed_words})
    store.put(("a",), "x", {"any": {"thing": ["tea"]}})
    store.put(("a",), "y", {"port": 1})
    assert keys(store.search(("a",), query="tea")) == ["x", "y"]
    assert keys(store.search(("a",), query="port")) == ["y", "x"]


def test_vectors_lie_beside_the_value_and_are_not_shown(client: Everturn) -> None:
    store = EverturnStore(client, index=INDEX)
    store.put(("a",), "k", {"text": "tea"})
    value = client.get_document("langgraph", item_key(("a",), "k")).value
    assert set(value) == {"namespace", "key", "value", "vectors"}
    assert list(value["vectors"]) == ["text"]
    assert store.search(("a",))[0].value == {"text": "tea"}
    store.put(("a",), "k", {"text": "port"}, index=False)
    assert store.search(("a",), query="tea")[0].score is None


def test_an_item_embedded_by_another_model_has_no_score(client: Everturn) -> None:
    def embed(texts: Sequence[str]) -> list[list[float]]:
        return [[1.0] for _ in texts]

    EverturnStore(client, index=INDEX).put(("a",), "k", {"text": "tea"})
    store = EverturnStore(client, index={"dims": 1, "embed": embed})
    assert [item.score for item in store.search(("a",), query="tea")] == [None]


def test_pages_of_a_query_repeat_nothing(client: Everturn) -> None:
    """LangGraph's own store shows what is not embedded again on each page."""
    store = EverturnStore(client, index=INDEX)
    for name in ("a", "b", "c"):
        store.put(("x",), name, {"text": "tea"})
        store.put(("x",), f"{name}-no", {"text": "tea"}, index=False)
    pages = [store.search(("x",), query="tea", limit=2, offset=at) for at in (0, 2, 4)]
    assert [item.key for page in pages for item in page] == ["a", "b", "c", "a-no", "b-no", "c-no"]


def test_equal_texts_are_embedded_once(client: Everturn) -> None:
    asked: list[list[str]] = []

    def embed(texts: Sequence[str]) -> list[list[float]]:
        asked.append(list(texts))
        return embed_words(texts)

    store = EverturnStore(client, index={"dims": 6, "embed": embed, "fields": ["text"]})
    store.batch([PutOp(("a",), name, {"text": "tea"}) for name in "xy"])
    assert asked == [["tea"]]
    assert [item.score for item in store.search(("a",), query="tea")] == [pytest.approx(1.0)] * 2


def test_an_embedder_of_tasks_serves_the_asynchronous_methods(client: Everturn) -> None:
    store = EverturnStore(client, index={"dims": 6, "embed": aembed_words, "fields": ["text"]})

    async def use() -> list[Any]:
        await store.aput(("a",), "k", {"text": "tea"})
        return await store.asearch(("a",), query="tea")

    assert asyncio.run(use())[0].score == pytest.approx(1.0)
