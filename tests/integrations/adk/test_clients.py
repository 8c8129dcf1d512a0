"""Clients of our session service of Google ADK: for all users, for each, without a server."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from everturn.client import AsyncEverturn, Everturn
from everturn.errors import InvalidRequestError, UnavailableError
from everturn.integrations.adk.memory import EverturnMemoryService
from everturn.integrations.adk.names import UserName
from everturn.integrations.adk.sessions import EverturnSessionService
from integrations.adk.adk_services import ANN, changing, said

pytestmark = pytest.mark.anyio


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[AsyncEverturn]:
    async with AsyncEverturn.local(tmp_path) as client:
        yield client


@pytest.fixture
def service(client: AsyncEverturn) -> EverturnSessionService:
    return EverturnSessionService(client)


async def test_users_share_no_session_and_apps_neither(tmp_path: Path) -> None:
    with Everturn.local(tmp_path, actor="one") as one, Everturn.local(tmp_path, actor="two") as two:
        await EverturnSessionService(one).create_session(**ANN, session_id="s")
        other = EverturnSessionService(two)
        assert await other.get_session(**ANN, session_id="s") is None
        assert (await other.list_sessions(**ANN)).sessions == []


async def test_all_users_of_an_app_are_listed_by_one_client(
    service: EverturnSessionService,
) -> None:
    for user in ("ann", "bob"):
        state = {"user:n": user, "app:last": user}
        session = await service.create_session(app_name="shop", user_id=user, state=state)
        await service.append_event(session, said("Hello."))
    listed = (await service.list_sessions(app_name="shop")).sessions
    assert [(each.user_id, each.state) for each in listed] == [
        (user, {"user:n": user, "app:last": "bob"}) for user in ("ann", "bob")
    ]


async def test_with_a_client_for_each_user_their_data_is_their_own(tmp_path: Path) -> None:
    with (
        Everturn.local(tmp_path, actor="shop") as shared,
        Everturn.local(tmp_path, actor="ann") as ann,
        Everturn.local(tmp_path, actor="bob") as bob,
    ):
        clients = {"ann": ann, "bob": bob}
        service = EverturnSessionService(shared, client_for=clients.__getitem__)
        for user in clients:
            session = await service.create_session(app_name="shop", user_id=user, session_id="s")
            await service.append_event(session, changing(a=user, user__b=user, app__c=user))
        with pytest.raises(InvalidRequestError, match="name the user"):
            await service.list_sessions(app_name="shop")
        ann.erase()
        assert await service.get_session(**ANN, session_id="s") is None
        assert await service.get_user_state(**ANN) == {}
        left = await service.get_session(app_name="shop", user_id="bob", session_id="s")
        assert left is not None
        assert left.state == {"a": "bob", "user:b": "bob", "app:c": "bob"}
        kept = [line["document"]["space"] for line in shared.export() if "document" in line]
        assert kept == ["adk-apps"]


@pytest.mark.parametrize("long", ["x" * 300, "é" * 120])
def test_a_folder_is_never_too_long(long: str) -> None:
    one, other = UserName("shop", long).folder, UserName("shop", long + "y").folder
    assert one != other
    assert max(len(one), len(other)) <= 256


async def test_a_server_that_does_not_answer_is_told() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    transport = httpx.MockTransport(refuse)
    with (
        Everturn("http://127.0.0.1", transport=transport, timeout_s=0.1) as client,
        pytest.raises(UnavailableError),
    ):
        await EverturnSessionService(client).create_session(**ANN)


async def test_a_client_at_best_effort_goes_on_without_a_server() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    transport = httpx.MockTransport(refuse)
    with Everturn(
        "http://127.0.0.1", transport=transport, best_effort=True, timeout_s=0.1
    ) as client:
        service = EverturnSessionService(client)
        session = await service.create_session(**ANN, session_id="s", state={"a": 1})
        await service.append_event(session, changing(a=2, app__b=3))
        assert session.state == {"a": 2, "app:b": 3}
        assert len(session.events) == 1
        assert await service.get_session(**ANN, session_id="s") is None
        assert (await service.list_sessions(**ANN)).sessions == []


async def test_a_client_at_best_effort_never_says_that_what_is_there_was_deleted() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    transport = httpx.MockTransport(refuse)
    with Everturn(
        "http://127.0.0.1", transport=transport, best_effort=True, timeout_s=0.1
    ) as client:
        with pytest.raises(UnavailableError):
            await EverturnSessionService(client).delete_session(**ANN, session_id="s")
        with pytest.raises(UnavailableError):
            await EverturnMemoryService(client).delete_memory(**ANN, memory_id="m")
