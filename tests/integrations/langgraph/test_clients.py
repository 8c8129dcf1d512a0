"""Our store of LangGraph over each kind of client."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph.store.base import GetOp, Item, ListNamespacesOp, SearchOp

from everturn.client import AsyncEverturn, Everturn
from everturn.errors import InvalidRequestError, UnavailableError
from everturn.integrations.langgraph.store import EverturnStore


def test_a_client_for_tasks_has_no_synchronous_methods(tmp_path: Path) -> None:
    async def use() -> Item | None:
        async with AsyncEverturn.local(tmp_path) as client:
            store = EverturnStore(client)
            await store.aput(("a",), "k", {"n": 1})
            with pytest.raises(InvalidRequestError, match="use the asynchronous methods"):
                store.get(("a",), "k")
            return await store.aget(("a",), "k")

    item = asyncio.run(use())
    assert item is not None
    assert item.value == {"n": 1}


def test_tasks_at_once_lose_no_item(tmp_path: Path) -> None:
    async def use() -> list[Any]:
        async with AsyncEverturn.local(tmp_path) as client:
            store = EverturnStore(client)
            await asyncio.gather(
                *(store.aput(("a",), f"k{number}", {"n": number}) for number in range(20)),
                *(store.aput(("a",), "same", {"n": number}) for number in range(8)),
            )
            return await store.asearch(("a",), limit=100)

    assert sorted(item.key for item in asyncio.run(use())) == sorted(
        [f"k{number}" for number in range(20)] + ["same"]
    )


def test_a_client_at_best_effort_goes_on_without_a_server() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    with Everturn(
        "http://127.0.0.1", transport=httpx.MockTransport(refuse), best_effort=True, timeout_s=0.1
    ) as client:
        store = EverturnStore(client)
        store.put(("a",), "k", {"n": 1})
        with pytest.raises(UnavailableError):
            store.delete(("a",), "k")
        assert store.batch([GetOp(("a",), "k"), SearchOp(()), ListNamespacesOp()]) == [None, [], []]
