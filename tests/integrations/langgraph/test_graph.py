"""Graphs whose nodes write and search our store."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore

from everturn.client import AsyncEverturn, Everturn
from everturn.integrations.langgraph.store import EverturnStore


class Talk(TypedDict, total=False):
    """What the nodes hand on."""

    said: str
    known: list[str]


def notes(runtime: Runtime[None]) -> BaseStore:
    assert runtime.store is not None
    return runtime.store


def test_what_one_run_wrote_another_finds(tmp_path: Path) -> None:
    def note(state: Talk, runtime: Runtime[None]) -> Talk:
        notes(runtime).put(("notes", "ann"), state["said"][:4], {"text": state["said"]})
        return {}

    def recall(state: Talk, runtime: Runtime[None]) -> Talk:
        found = notes(runtime).search(("notes",), limit=5)
        return {"said": state["said"], "known": [item.value["text"] for item in found]}

    graph = StateGraph(Talk)
    graph.add_node("note", note)
    graph.add_node("recall", recall)
    graph.add_edge(START, "note")
    graph.add_edge("note", "recall")
    graph.add_edge("recall", END)
    known: list[list[str]] = []
    for said in ("I take tea.", "Mind the gap."):
        with Everturn.local(tmp_path) as client:
            talk = graph.compile(store=EverturnStore(client))
            known.append(talk.invoke({"said": said})["known"])
    assert known == [["I take tea."], ["I take tea.", "Mind the gap."]]


def noting(name: str) -> Callable[[Talk, Runtime[None]], Awaitable[Talk]]:
    """Return a node that writes one note."""

    async def note(state: Talk, runtime: Runtime[None]) -> Talk:
        await notes(runtime).aput(("notes",), name, {"text": state["said"]})
        return {}

    return note


def test_nodes_that_run_side_by_side_lose_nothing(tmp_path: Path) -> None:
    names = [f"n{number}" for number in range(8)]

    async def talk() -> list[str]:
        graph = StateGraph(Talk)
        for name in names:
            graph.add_node(name, noting(name))  # type: ignore[call-overload]  # it is named alike
            graph.add_edge(START, name)
        async with AsyncEverturn.local(tmp_path) as client:
            store = EverturnStore(client)
            await graph.compile(store=store).ainvoke({"said": "tea"})
            return sorted(item.key for item in await store.asearch(("notes",)))

    assert asyncio.run(talk()) == names
