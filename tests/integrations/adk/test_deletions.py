"""Sessions of Google ADK that are created, appended to and deleted at once, or half."""

import itertools
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.errors.session_not_found_error import SessionNotFoundError

from everturn.adapters.memory_store import MemoryStore
from everturn.adapters.system_clock import ManualClock
from everturn.client import AsyncEverturn, Everturn
from everturn.client.calls.call import Call, Plan
from everturn.errors import EverturnError, ForbiddenError, InvalidRequestError, NotFoundError
from everturn.integrations.adk.events import turn_of_event
from everturn.integrations.adk.names import APPS, SESSIONS, USERS, SessionName
from everturn.integrations.adk.session_plans import append_event, create_session, delete_session
from everturn.integrations.adk.sessions import EverturnSessionService
from everturn.integrations.adk.states import new_session_value
from everturn.local.transport import LambdaTransport
from functions.house import Door, Parts, open_house
from integrations.adk.adk_services import ANN, said, texts
from integrations.watched_transport import WatchedTransport, incomplete_once

pytestmark = pytest.mark.anyio

NAME = SessionName("shop", "ann", "s")
DENIED = {"error": {"code": "forbidden", "message": "no", "request_id": "r"}}


@pytest.fixture
def watched(tmp_path: Path) -> WatchedTransport:
    return WatchedTransport(tmp_path)


@pytest.fixture
async def client(watched: WatchedTransport) -> AsyncIterator[AsyncEverturn]:
    async with watched.client() as client:
        yield client


@pytest.fixture
def service(client: AsyncEverturn) -> EverturnSessionService:
    return EverturnSessionService(client)


def one(call: Call[Any]) -> Plan[Any]:
    return (yield call)


def steps(client: Everturn, plan: Plan[Any]) -> Iterator[None]:
    """Carry out a plan, a request at a time; that a session is not there ends it."""
    call = next(plan)
    try:
        while True:
            yield
            try:
                result = client.carry_out(one(call))
            except EverturnError as exc:
                call = plan.throw(exc)
            else:
                call = plan.send(result)
    except (StopIteration, SessionNotFoundError):
        return


def test_a_deleted_session_leaves_no_event_whenever_one_is_appended(tmp_path: Path) -> None:
    """All orders of the requests of both, where the conversation was swept before."""
    parts = Parts(Door(MemoryStore(ManualClock())), Door(MemoryStore(ManualClock())))
    transport = LambdaTransport(open_house(parts, tmp_path / "log"))
    with Everturn("http://localhost", transport=transport) as client:
        for turns in itertools.combinations(range(9), 3):
            name = SessionName("shop", "ann", f"s{turns}")
            client.carry_out(create_session(name, new_session_value(name, {}, 1.0)))
            deleting = steps(client, delete_session(name))
            appending = steps(client, append_event(name, turn_of_event(said("Hello."))))
            for number in range(9):
                next(deleting if number in turns else appending, None)
            for left in (deleting, appending):
                list(left)
            assert client.list_documents(SESSIONS).documents == ()
            assert list(client.all_conversations()) == []


async def test_a_session_that_could_not_be_created_can_be_created(
    service: EverturnSessionService, client: AsyncEverturn, watched: WatchedTransport
) -> None:
    """Whichever request fails."""
    state = {"a": 1, "app:b": 2, "user:c": 3}
    for number in range(7):
        requests = itertools.count()

        def refuse(
            asked: str, number: int = number, requests: Iterator[int] = requests
        ) -> httpx.Response | None:
            del asked
            return httpx.Response(403, json=DENIED) if next(requests) == number else None

        watched.instead = refuse
        with pytest.raises(ForbiddenError):
            await service.create_session(**ANN, session_id="s", state=state)
        watched.instead = lambda _asked: None
        assert await service.get_session(**ANN, session_id="s") is None
        session = await service.create_session(**ANN, session_id="s", state=state)
        assert session.state == state
        await service.delete_session(**ANN, session_id="s")
        await client.delete_document(APPS, "i._shop")
        await client.delete_document(USERS, "ishop.-._ann")


@pytest.mark.parametrize("refused", ["ü" * 200, "x" * 1_500])
async def test_a_session_whose_id_is_refused_leaves_nothing(
    service: EverturnSessionService, client: AsyncEverturn, refused: str
) -> None:
    with pytest.raises(InvalidRequestError):
        await service.create_session(**ANN, session_id=refused, state={"app:x": 1})
    for space in (SESSIONS, APPS):
        assert (await client.list_documents(space)).documents == ()


async def test_a_session_is_not_created_over_events(
    service: EverturnSessionService, client: AsyncEverturn
) -> None:
    """What a deletion left that was never repeated does not come back."""
    session = await service.create_session(**ANN, session_id="s")
    await service.append_event(session, said("Old."))
    await client.delete_document(SESSIONS, NAME.key)
    with pytest.raises(AlreadyExistsError):
        await service.create_session(**ANN, session_id="s")
    await service.delete_session(**ANN, session_id="s")
    await service.create_session(**ANN, session_id="s")
    assert texts(await service.get_session(**ANN, session_id="s")) == []


async def test_a_delete_that_stopped_half_way_goes_on(
    service: EverturnSessionService, client: AsyncEverturn
) -> None:
    await service.create_session(**ANN, session_id="s")
    await client.delete_conversation(NAME.conversation_id)
    await service.delete_session(**ANN, session_id="s")
    assert await service.get_session(**ANN, session_id="s") is None
    assert (await client.list_documents(SESSIONS)).documents == ()


async def test_a_session_that_is_not_deleted_whole_at_once_is_deleted_whole(
    service: EverturnSessionService, client: AsyncEverturn, watched: WatchedTransport
) -> None:
    session = await service.create_session(**ANN, session_id="s")
    await service.append_event(session, said("Hello."))
    watched.instead = incomplete_once()
    await service.delete_session(**ANN, session_id="s")
    with pytest.raises(NotFoundError):
        await client.get_turns(NAME.conversation_id)
    assert (await client.list_documents(SESSIONS)).documents == ()
