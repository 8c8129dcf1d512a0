"""Our memory service of Google ADK, beside its own where both do the same."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from google.adk.events.event import Event
from google.adk.memory.base_memory_service import BaseMemoryService
from google.adk.memory.in_memory_memory_service import InMemoryMemoryService
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.session import Session
from google.genai import types

from client.hand_time import HandClock
from everturn.client import AsyncEverturn, Everturn
from everturn.integrations.adk.memory import EverturnMemoryService
from everturn.integrations.adk.names import UserName
from integrations.adk.adk_services import ANN, changing, said
from integrations.watched_transport import WatchedTransport

pytestmark = pytest.mark.anyio

MEMORY = UserName("shop", "ann").memory_id


@pytest.fixture(params=["memory", "everturn", "threads"])
async def service(
    request: pytest.FixtureRequest, tmp_path: Path
) -> AsyncIterator[BaseMemoryService]:
    match request.param:
        case "memory":
            yield InMemoryMemoryService()
        case "everturn":
            async with AsyncEverturn.local(tmp_path) as client:
                yield EverturnMemoryService(client)
        case _:
            with Everturn.local(tmp_path) as threads:
                yield EverturnMemoryService(threads)


def session(*events: Event, id_: str = "s", user_id: str = "ann") -> Session:
    return Session(id=id_, app_name="shop", user_id=user_id, events=list(events))


async def found(service: BaseMemoryService, query: str, **who: Any) -> list[str]:  # noqa: ANN401
    answer = await service.search_memory(**{**ANN, **who}, query=query)
    return [part.text or "" for entry in answer.memories for part in entry.content.parts or []]


async def test_what_was_said_in_a_session_is_found_once_it_was_added(
    service: BaseMemoryService,
) -> None:
    assert await found(service, "port") == []
    port = said("The server listens on port 8080.", "guide", timestamp=1_700_000_000.0)
    talk = session(said("Tell me of the server."), port, said("I like bicycles."))
    await service.add_session_to_memory(talk)
    answer = await service.search_memory(**ANN, query="which port does the server use?")
    entry = answer.memories[0]
    assert (entry.id, entry.author, entry.content) == (port.id, "guide", port.content)
    assert entry.timestamp is not None
    assert entry.timestamp.startswith("2023-11-1")
    assert await found(service, "bicycles") == ["I like bicycles."]


async def test_a_session_that_is_added_again_adds_what_is_new(service: BaseMemoryService) -> None:
    tea = said("I drink green tea.")
    await service.add_session_to_memory(session(tea))
    await service.add_session_to_memory(session(tea, said("Or black tea.")))
    assert sorted(await found(service, "tea")) == ["I drink green tea.", "Or black tea."]


async def test_events_alone_are_added_and_each_once(service: BaseMemoryService) -> None:
    tea, mate = said("I drink green tea."), said("My tea is called mate.")
    for events in ([tea], [tea, mate], []):
        await service.add_events_to_memory(**ANN, events=events, session_id="s")
    await service.add_events_to_memory(**ANN, events=[said("No tea for me today.")])
    assert len(await found(service, "tea")) == 3


async def test_users_and_apps_find_their_own(service: BaseMemoryService) -> None:
    await service.add_session_to_memory(session(said("I drink green tea.")))
    await service.add_session_to_memory(session(said("I drink red tea."), user_id="bob"))
    assert await found(service, "tea") == ["I drink green tea."]
    assert await found(service, "tea", user_id="bob") == ["I drink red tea."]
    assert await found(service, "tea", app_name="bank") == []


async def test_what_says_nothing_is_not_found(service: BaseMemoryService) -> None:
    call = types.Part(function_call=types.FunctionCall(name="tea", args={"kind": "tea"}))
    silent = Event(author="guide", content=types.Content(parts=[call]))
    await service.add_session_to_memory(session(changing(tea=1), silent, said("Tea, please.")))
    assert await found(service, "tea") == ["Tea, please."]
    assert await found(service, "") == []


async def test_ten_memories_at_most_are_found(service: BaseMemoryService) -> None:
    events = [said(f"I drank tea number {number}.") for number in range(15)]
    await service.add_session_to_memory(session(*events))
    assert len(await found(service, "tea")) == 10


async def test_a_deleted_memory_is_not_found_and_not_added_again(
    service: BaseMemoryService,
) -> None:
    secret, other = said("The tea costs 4711."), said("The tea is green.")
    await service.add_session_to_memory(session(secret, other))
    await service.delete_memory(**ANN, memory_id=secret.id)
    await service.delete_memory(**ANN, memory_id="unknown")
    await service.delete_memory(**ANN)
    assert await found(service, "tea") == ["The tea is green."]
    await service.add_session_to_memory(session(secret, other))
    await service.add_events_to_memory(**ANN, events=[secret])
    assert await found(service, "tea") == ["The tea is green."]


async def test_a_memory_is_found_with_what_was_told_of_it(tmp_path: Path) -> None:
    async with AsyncEverturn.local(tmp_path) as client:
        service = EverturnMemoryService(client)
        entry = MemoryEntry(
            content=types.Content(parts=[types.Part(text="Likes green tea.")]),
            author="crm",
            timestamp="2024-01-02T03:04:05+01:00",
            custom_metadata={"source": "form"},
        )
        await service.add_memory(**ANN, memories=[entry], custom_metadata={"weight": 1})
        named = MemoryEntry(id="m1", content=types.Content(parts=[types.Part(text="Rides.")]))
        await service.add_memory(**ANN, memories=[named, named])
        told = (await service.search_memory(**ANN, query="tea")).memories[0]
        other = (await service.search_memory(**ANN, query="rides")).memories[0]
    assert (told.content, told.author) == (entry.content, "crm")
    assert told.timestamp == "2024-01-02T02:04:05+00:00"
    assert told.custom_metadata == {"source": "form", "weight": 1}
    assert (other.id, other.author, other.custom_metadata) == ("m1", "user", {})


async def test_what_two_processes_add_at_once_is_there_once(tmp_path: Path) -> None:
    events = [said(f"I drank tea number {number}.") for number in range(12)]
    async with AsyncEverturn.local(tmp_path) as one, AsyncEverturn.local(tmp_path) as other:
        services = [EverturnMemoryService(one), EverturnMemoryService(other)]

        async def add(number: int) -> None:
            some = events[number : number + 4]
            await services[number % 2].add_session_to_memory(session(*some, id_=f"s{number}"))

        await asyncio.gather(*map(add, range(9)))
        turns = [turn async for turn in one.all_turns(MEMORY)]
    assert sorted(turn.text for turn in turns) == sorted(
        f"I drank tea number {number}." for number in range(12)
    )


async def test_adding_again_reads_what_is_new_alone(tmp_path: Path) -> None:
    counted = WatchedTransport(tmp_path)
    with counted.blocking_client() as client:
        service = EverturnMemoryService(client)
        talk = session(said("One."))
        await service.add_session_to_memory(talk)
        counted.sent.clear()
        await service.add_session_to_memory(talk)
        assert len(counted.sent) == 2
        counted.sent.clear()
        talk.events.append(said("Two."))
        await service.add_session_to_memory(talk)
        assert len(counted.sent) == 3
        counted.sent.clear()
        await EverturnMemoryService(client).add_session_to_memory(talk)
        await service.search_memory(**ANN, query="one")
        assert len(counted.sent) == 3


async def test_where_nobody_knows_what_was_deleted_nothing_is_added(tmp_path: Path) -> None:
    def unread(asked: str) -> httpx.Response | None:
        return httpx.Response(503) if asked.startswith("GET ishop") else None

    watched = WatchedTransport(tmp_path)
    watched.instead = unread
    with Everturn(
        "http://localhost", transport=watched, best_effort=True, clock=HandClock()
    ) as client:
        await EverturnMemoryService(client).add_session_to_memory(session(said("Tea.")))
    assert set(watched.sent) == {"GET /v1/documents/adk-memories/ishop.-._ann"}


async def test_a_long_session_is_added_in_pieces(tmp_path: Path) -> None:
    with Everturn.local(tmp_path) as client:
        service = EverturnMemoryService(client)
        talk = session(*(said(f"line {number}") for number in range(1_203)))
        talk.events.extend(said(letter * 400_000) for letter in "ABCD")
        for adding in (service, EverturnMemoryService(client)):
            await adding.add_session_to_memory(talk)
        assert client.get_turns(MEMORY, last=1).turn_count == 1_207
        assert client.list_conversations(folder="adk-memory").conversations[0].turn_count == 1_207


async def test_a_memory_whose_conversation_was_deleted_begins_anew(tmp_path: Path) -> None:
    with Everturn.local(tmp_path) as client:
        service = EverturnMemoryService(client)
        talk = session(said("I drink green tea."), said("And coffee."))
        await service.add_session_to_memory(talk)
        client.delete_conversation(MEMORY)
        assert await found(service, "tea") == []
        await service.add_session_to_memory(talk)
        assert (await found(service, "tea"))[0] == "I drink green tea."


async def test_with_a_client_for_each_user_a_memory_is_the_users_own(tmp_path: Path) -> None:
    with (
        Everturn.local(tmp_path, actor="shop") as shared,
        Everturn.local(tmp_path, actor="ann") as ann,
    ):
        service = EverturnMemoryService(shared, client_for={"ann": ann}.__getitem__)
        await service.add_session_to_memory(session(said("I drink green tea.")))
        assert await found(service, "tea") == ["I drink green tea."]
        assert list(shared.all_conversations()) == []
        ann.erase()
        assert await found(service, "tea") == []
