"""Memories of Everturn as a store of Strands; its own test store, side by side."""

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from strands import Agent
from strands.memory import MemoryManager, MemoryStore
from strands.vended_memory_stores.test_memory_store import TestMemoryStore

from everturn.client import Everturn
from everturn.errors import InvalidRequestError
from everturn.integrations.strands.memory import EverturnMemoryStore
from integrations.strands.strands_model import ScriptedModel, called

Make = Callable[..., Any]


@contextmanager
def strands_stores(folder: Path) -> Iterator[Make]:
    yield lambda **settings: TestMemoryStore(
        **{"name": "m", "path": str(folder / "m.json"), **settings}
    )


@contextmanager
def everturn_stores(folder: Path) -> Iterator[Make]:
    with Everturn.local(folder) as client:
        yield lambda **settings: EverturnMemoryStore(client, **{"name": "m", **settings})


KINDS = {"strands": strands_stores, "everturn": everturn_stores}


@pytest.fixture(params=KINDS)
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    with KINDS[request.param](tmp_path) as made:
        yield made


def add(store: MemoryStore, *statements: str) -> None:
    for one in statements:
        asyncio.run(store.add(one))


def search(store: MemoryStore, query: str, most: int | None = None) -> list[str]:
    found = asyncio.run(store.search(query, {"max_search_results": most} if most else None))
    return [entry.content for entry in found]


def test_what_was_added_is_found_best_first(make: Make) -> None:
    store = make()
    add(store, "The user lives in Rome.", "The dog is called Fido.")

    assert "Fido" in search(make(), "what is the dog called?")[0]


def test_a_search_gives_at_most_so_many(make: Make) -> None:
    """As many as it is asked for, else as many as the store says, else ten."""
    words = [
        "red",
        "blue",
        "green",
        "black",
        "white",
        "grey",
        "pink",
        "brown",
        "gold",
        "lime",
        "tan",
    ]
    store = make(max_search_results=3)
    add(store, *(f"The {word} door number is {n}." for n, word in enumerate(words)))

    assert len(search(store, "door number", 2)) == 2
    assert len(search(store, "door number")) == 3
    assert len(search(make(), "door number")) == 10


@pytest.mark.parametrize("query", ["", "  "])
def test_a_blank_query_finds_nothing(make: Make, query: str) -> None:
    add(make(), "The user lives in Rome.")

    assert search(make(), query) == []


def test_the_same_statement_is_kept_once(make: Make) -> None:
    """Strands may add one again after a failure."""
    add(make(), *["The user lives in Rome."] * 3)

    assert len(search(make(), "Rome")) == 1


def test_what_makes_no_sense_is_refused(make: Make) -> None:
    with pytest.raises(ValueError, match="name"):
        make(name=" ")
    with pytest.raises(ValueError, match="max_search_results"):
        make(max_search_results=0)
    with pytest.raises(ValueError, match="max_search_results"):
        asyncio.run(make().search("x", {"max_search_results": 0}))
    with pytest.raises(ValueError, match="not writable"):
        asyncio.run(make(writable=False).add("x"))
    with pytest.raises(ValueError, match=r"empty|blank"):
        asyncio.run(make().add(" "))


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Everturn]:
    with Everturn.local(tmp_path) as made:
        yield made


def test_an_entry_says_which_memory_it_is(client: Everturn) -> None:
    store = EverturnMemoryStore(client)
    kept = asyncio.run(store.add("Prefers tea.", {"kind": "preference", "importance": 7, "x": 1}))

    [entry] = asyncio.run(store.search("tea"))

    assert kept.memory is not None
    assert (kept.memory.kind, kept.memory.importance) == ("preference", 7)
    assert entry.metadata is not None
    assert entry.metadata["uri"] == kept.memory.uri
    assert entry.metadata["kind"] == "preference"
    assert 0 < entry.metadata["score"] <= 1


def test_an_unknown_kind_is_refused(client: Everturn) -> None:
    with pytest.raises(InvalidRequestError):
        asyncio.run(EverturnMemoryStore(client).add("x", {"kind": "rumour"}))


def test_what_was_said_a_minute_ago_is_found(client: Everturn) -> None:
    client.append_user("c", "My flight leaves at 9:40 from gate B12.")

    [entry] = asyncio.run(EverturnMemoryStore(client).search("which gate?"))

    assert "B12" in entry.content
    assert entry.metadata is not None
    assert entry.metadata["kind"] == "turn"


def test_an_agent_gets_what_is_relevant_before_it_answers(client: Everturn) -> None:
    """And its own tools search and add, over several calls with a loop each."""
    asyncio.run(EverturnMemoryStore(client).add("The user lives in Rome."))
    model = ScriptedModel(
        "In Rome.",
        called("add_memory", "t1", entries=["The user has a dog called Fido."]),
        "I will remember.",
        called("search_memory", "t2", query="dog"),
        "Fido.",
    )
    memory = MemoryManager(stores=[EverturnMemoryStore(client)], add_tool_config=True)
    agent = Agent(model=model, memory_manager=memory, callback_handler=None)

    agent("Where do I live?")
    agent("I have a dog called Fido.")
    agent("What is the dog called?")

    assert "lives in Rome" in json.dumps(model.seen[0])
    assert "Fido" in json.dumps(agent.messages[-2])
    assert {one.statement for one in client.all_memories()} == {
        "The user lives in Rome.", "The user has a dog called Fido."
    }  # fmt: skip


def test_strands_extracts_with_a_model_of_its_own_where_it_is_told_to(client: Everturn) -> None:
    facts = json.dumps([{"content": "The user lives in Rome."}])
    model = ScriptedModel("I see.", facts)
    from strands.memory import InvocationTrigger

    store = EverturnMemoryStore(client, extraction={"trigger": InvocationTrigger()})
    agent = Agent(
        model=model,
        memory_manager=MemoryManager(stores=[store], injection=False),
        callback_handler=None,
    )

    agent("I live in Rome.")

    assert [one.statement for one in client.all_memories()] == ["The user lives in Rome."]
