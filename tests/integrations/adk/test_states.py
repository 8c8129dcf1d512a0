"""State of Google ADK in documents, which have an end, and which others write."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from google.adk.errors.session_not_found_error import SessionNotFoundError

from everturn.client import AsyncEverturn, Everturn
from everturn.errors import InvalidRequestError, TooLargeError
from everturn.integrations.adk.names import SESSIONS, SessionName
from everturn.integrations.adk.sessions import EverturnSessionService
from everturn.integrations.adk.states import check_size
from integrations.adk.adk_services import ANN, changing, said, texts
from integrations.watched_transport import WatchedTransport

pytestmark = pytest.mark.anyio

NAME = SessionName("shop", "ann", "s")
LONG = "x" * 600_000


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


@pytest.mark.parametrize("prefix", ["", "app__", "user__"])
async def test_an_event_whose_state_has_no_room_is_refused_whole(
    service: EverturnSessionService, prefix: str
) -> None:
    session = await service.create_session(**ANN, session_id="s")
    await service.append_event(session, changing(**{f"{prefix}a": LONG, "n": 1}))
    with pytest.raises(TooLargeError):
        await service.append_event(session, changing(**{f"{prefix}b": LONG, "n": 2}))
    await service.append_event(session, said("Go on."))
    found = await service.get_session(**ANN, session_id="s")
    assert found is not None
    assert found.events == session.events
    assert len(found.events) == 2
    assert found.state == session.state
    assert found.state["n"] == 1


async def test_a_session_whose_state_has_no_room_is_not_created(
    service: EverturnSessionService,
) -> None:
    state = {"a": LONG, "b": LONG, "app:c": 1}
    with pytest.raises(TooLargeError):
        await service.create_session(**ANN, session_id="s", state=state)
    assert (await service.create_session(**ANN, session_id="s")).state == {}


@pytest.mark.parametrize(("text", "size"), [("x", 1), ("<", 6), ("é", 2), ("\u2028", 6), ("\n", 2)])
def test_a_state_has_the_room_that_the_server_gives(tmp_path: Path, text: str, size: int) -> None:
    most = (1_048_576 - len('{"s":""}')) // size
    with Everturn.local(tmp_path) as client:
        check_size({"s": text * most})
        client.put_document("space", "key", {"s": text * most})
        for check in (check_size, lambda value: client.put_document("space", "key", value)):
            with pytest.raises(TooLargeError):
                check({"s": text * (most + 1)})


async def test_a_state_that_is_no_json_comes_back_as_json(service: EverturnSessionService) -> None:
    state = {"a": float("nan"), "b": float("inf"), "c": (1, 2), "d": {1: 2}, "e": b"x"}
    session = await service.create_session(**ANN, session_id="s", state=state)
    kept = {"a": None, "b": None, "c": [1, 2], "d": {"1": 2}, "e": "x"}
    assert session.state == kept
    await service.append_event(session, changing(**state))
    found = await service.get_session(**ANN, session_id="s")
    assert found is not None
    assert found.state == kept


async def test_a_state_that_others_change_after_it_was_read_keeps_their_change(
    service: EverturnSessionService, watched: WatchedTransport
) -> None:
    session = await service.create_session(**ANN, session_id="s")
    other = await service.get_session(**ANN, session_id="s")
    assert other is not None

    async def change_it_first(asked: str) -> None:
        if asked == "POST turns":
            watched.before = None
            await service.append_event(other, changing(theirs=1, app__theirs=1))

    watched.before = change_it_first
    await service.append_event(session, changing(ours=2, app__ours=2))
    found = await service.get_session(**ANN, session_id="s")
    assert found is not None
    assert found.state == {"theirs": 1, "ours": 2, "app:theirs": 1, "app:ours": 2}


async def test_a_session_that_is_deleted_before_its_state_is_written_is_told(
    service: EverturnSessionService, client: AsyncEverturn, watched: WatchedTransport
) -> None:
    session = await service.create_session(**ANN, session_id="s")

    async def delete_it_first(asked: str) -> None:
        if asked.startswith("PUT"):
            watched.before = None
            await service.delete_session(**ANN, session_id="s")

    watched.before = delete_it_first
    with pytest.raises(SessionNotFoundError):
        await service.append_event(session, changing(a=1))
    assert (await client.list_documents(SESSIONS)).documents == ()
    await service.create_session(**ANN, session_id="s")
    assert texts(await service.get_session(**ANN, session_id="s")) == []


@pytest.mark.parametrize("who", [{"app_name": 1}, {"user_id": 1}])
async def test_a_name_that_is_no_string_is_refused(
    service: EverturnSessionService, who: dict[str, str]
) -> None:
    with pytest.raises(InvalidRequestError, match="strings"):
        await service.get_session(**{**ANN, **who}, session_id="s")
