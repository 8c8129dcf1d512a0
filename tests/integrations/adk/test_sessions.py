"""Our session service of Google ADK beyond what all do.

Requests, writers at once, other writers.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from google.adk.sessions.base_session_service import GetSessionConfig

from everturn.client import AsyncEverturn
from everturn.errors import TooLargeError
from everturn.integrations.adk.names import SessionName, UserName
from everturn.integrations.adk.sessions import EverturnSessionService
from integrations.adk.adk_services import ANN, changing, said, texts
from integrations.watched_transport import WatchedTransport

pytestmark = pytest.mark.anyio

NAME = SessionName("shop", "ann", "s")


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[AsyncEverturn]:
    async with AsyncEverturn.local(tmp_path) as client:
        yield client


@pytest.fixture
def service(client: AsyncEverturn) -> EverturnSessionService:
    return EverturnSessionService(client)


async def test_two_writers_of_one_session_lose_no_event_and_no_state(tmp_path: Path) -> None:
    async with AsyncEverturn.local(tmp_path) as one, AsyncEverturn.local(tmp_path) as other:
        services = [EverturnSessionService(one), EverturnSessionService(other)]
        await services[0].create_session(**ANN, session_id="s")

        async def write(number: int) -> None:
            service = services[number % 2]
            session = await service.get_session(**ANN, session_id="s")
            assert session is not None
            event = said(f"line {number}", "guide")
            event.actions.state_delta = {f"k{number}": number, f"app:k{number}": number}
            await service.append_event(session, event)

        await asyncio.gather(*map(write, range(16)))
        found = await services[0].get_session(**ANN, session_id="s")
    assert sorted(texts(found)) == sorted(f"line {number}" for number in range(16))
    assert found is not None
    names = [f"k{number}" for number in range(16)]
    assert found.state == {
        prefix + name: number for prefix in ("", "app:") for number, name in enumerate(names)
    }


async def test_a_session_that_others_wrote_to_is_not_stale(
    service: EverturnSessionService,
) -> None:
    old = await service.create_session(**ANN, session_id="s")
    new = await service.get_session(**ANN, session_id="s")
    assert new is not None
    await service.append_event(new, said("One.", timestamp=2_000.0))
    await service.append_event(old, said("Two.", timestamp=1_000.0))
    assert texts(old) == ["Two."]
    assert texts(await service.get_session(**ANN, session_id="s")) == ["One.", "Two."]


async def test_of_two_that_create_one_session_one_does(tmp_path: Path) -> None:
    async with AsyncEverturn.local(tmp_path) as client:
        service = EverturnSessionService(client)
        done = await asyncio.gather(
            *(service.create_session(**ANN, session_id="s") for _ in range(6)),
            return_exceptions=True,
        )
    assert sum(not isinstance(each, BaseException) for each in done) == 1


async def test_what_each_method_sends(tmp_path: Path) -> None:
    counted = WatchedTransport(tmp_path)
    with counted.blocking_client() as client:
        service = EverturnSessionService(client)
        session = await service.create_session(**ANN, session_id="s")
        counts = [len(counted.sent)]
        for event in (said("Hi."), changing(a=1), changing(a=1, app__b=2, user__c=3)):
            counted.sent.clear()
            await service.append_event(session, event)
            counts.append(len(counted.sent))
        for config in (None, GetSessionConfig(num_recent_events=1)):
            counted.sent.clear()
            await service.get_session(**ANN, session_id="s", config=config)
            counts.append(len(counted.sent))
        counted.sent.clear()
        await service.list_sessions(**ANN)
        counts.append(len(counted.sent))
    assert counts == [5, 1, 3, 7, 4, 4, 4]


async def test_a_long_session_is_read_in_pages(tmp_path: Path) -> None:
    counted = WatchedTransport(tmp_path)
    with counted.blocking_client() as client:
        service = EverturnSessionService(client)
        await service.create_session(**ANN, session_id="s")
        turns = [{"role": "user", "text": f"line {number}"} for number in range(1_000)]
        for _ in range(2):
            client.append(NAME.conversation_id, turns)
        client.append(NAME.conversation_id, turns[:5])
        counted.sent.clear()
        found = await service.get_session(**ANN, session_id="s")
        assert len(texts(found)) == 2_005
        assert len(counted.sent) == 6
        config = GetSessionConfig(num_recent_events=1_500)
        newest = await service.get_session(**ANN, session_id="s", config=config)
    assert texts(newest) == texts(found)[-1_500:]


async def test_newest_events_that_do_not_fit_into_one_answer_are_all_read(
    service: EverturnSessionService,
) -> None:
    session = await service.create_session(**ANN, session_id="s")
    for letter in "ABCDEFGH":
        await service.append_event(session, said(letter * 300_000))
    config = GetSessionConfig(num_recent_events=6)
    found = await service.get_session(**ANN, session_id="s", config=config)
    assert [text[0] for text in texts(found)] == list("CDEFGH")


async def test_a_session_whose_empty_conversation_was_swept_goes_on(
    service: EverturnSessionService, client: AsyncEverturn
) -> None:
    session = await service.create_session(**ANN, session_id="s", state={"a": 1})
    await client.delete_conversation(NAME.conversation_id)
    found = await service.get_session(**ANN, session_id="s")
    assert found is not None
    assert (found.events, found.state) == ([], {"a": 1})
    await service.append_event(session, said("Hello."))
    assert texts(await service.get_session(**ANN, session_id="s")) == ["Hello."]


async def test_a_redacted_turn_is_an_event_without_its_text(
    service: EverturnSessionService, client: AsyncEverturn
) -> None:
    session = await service.create_session(**ANN, session_id="s")
    await service.append_event(session, said("my card is 4711"))
    await service.append_event(session, said("noted", "guide"))
    await client.redact_turn(NAME.conversation_id, 0, text="[gone]")
    found = await service.get_session(**ANN, session_id="s")
    assert texts(found) == ["[gone]", "noted"]
    assert found is not None
    assert [event.author for event in found.events] == ["user", "guide"]


@pytest.mark.parametrize(
    "content",
    [
        "words",
        {},
        {"id": "x"},
        {"id": "x", "author": {"role": "user"}, "content": {"parts": ["Hi."]}},
        {"role": "user", "parts": [{"text": "Hi."}]},
        {"type": "human", "data": {"content": "Hi."}},
        {"role": "user", "content": "Hi."},
    ],
)
async def test_a_turn_of_another_program_is_an_event_with_its_text(
    service: EverturnSessionService, client: AsyncEverturn, content: object
) -> None:
    session = await service.create_session(**ANN, session_id="s")
    await service.append_event(session, said("One."))
    turn = {"role": "user", "text": "Two.", "content": content}
    await client.append(NAME.conversation_id, [turn])
    found = await service.get_session(**ANN, session_id="s")
    assert texts(found) == ["One.", "Two."]


async def test_an_event_is_found_by_what_it_says(
    service: EverturnSessionService, client: AsyncEverturn
) -> None:
    session = await service.create_session(**ANN, session_id="s")
    await service.append_event(session, said("The server listens on port 8080."))
    await service.append_event(session, said("I see.", "guide"))
    hit = (await client.recall("which port?", conversation_id=NAME.conversation_id)).hits[0]
    assert (hit.role, hit.text) == ("user", "The server listens on port 8080.")
    listed = (await client.list_conversations(folder=UserName("shop", "ann").folder)).conversations
    assert [row.title for row in listed] == ["The server listens on port 8080."]


async def test_an_event_above_a_mebibyte_is_refused_and_changes_nothing(
    service: EverturnSessionService,
) -> None:
    session = await service.create_session(**ANN, session_id="s")
    event = said("x" * 1_048_576)
    event.actions.state_delta = {"a": 1}
    with pytest.raises(TooLargeError):
        await service.append_event(session, event)
    found = await service.get_session(**ANN, session_id="s")
    assert found is not None
    assert found.events == session.events == []
    assert found.state == session.state == {}


async def test_an_event_that_came_through_though_its_answer_was_lost_is_committed(
    tmp_path: Path,
) -> None:
    class Losing(WatchedTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            response = super().handle_request(request)
            if request.url.path.endswith("/turns") and self.sent.count(self.sent[-1]) == 1:
                raise httpx.ReadError("lost", request=request)
            return response

    with Losing(tmp_path).blocking_client() as client:
        service = EverturnSessionService(client)
        session = await service.create_session(**ANN, session_id="s")
        event = said("Hello.")
        event.actions.state_delta = {"a": 1}
        await service.append_event(session, event)
        found = await service.get_session(**ANN, session_id="s")
    assert texts(session) == texts(found) == ["Hello."]
    assert found is not None
    assert found.state == session.state == {"a": 1}
