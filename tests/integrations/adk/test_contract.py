"""What a session service of Google ADK does: its own and ours, on the same calls."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.adk.sessions.base_session_service import BaseSessionService

from integrations.adk.adk_services import ANN, KINDS, begun, changing, said, texts

pytestmark = pytest.mark.anyio


@pytest.fixture(params=KINDS)
async def service(
    request: pytest.FixtureRequest, tmp_path: Path
) -> AsyncIterator[BaseSessionService]:
    async with KINDS[request.param](tmp_path) as service:
        yield service


async def test_a_session_is_created_with_its_state(service: BaseSessionService) -> None:
    state = {"a": 1, "b": None, "app:c": [2], "user:d": {"x": None}, "temp:e": 5}
    session = await service.create_session(**ANN, state=state, session_id=" s ")
    assert (session.id, session.app_name, session.user_id) == ("s", "shop", "ann")
    assert session.events == []
    assert session.last_update_time > 0
    kept = {key: value for key, value in state.items() if key != "temp:e"}
    assert session.state == kept
    found = await service.get_session(**ANN, session_id="s")
    assert found is not None
    assert found.state == kept
    assert found.last_update_time == session.last_update_time


async def test_a_session_without_an_id_gets_one(service: BaseSessionService) -> None:
    one = await service.create_session(**ANN)
    other = await service.create_session(**ANN, session_id="  ")
    assert one.id.strip()
    assert other.id.strip()
    assert one.id != other.id


async def test_a_session_that_is_there_is_not_created_again(service: BaseSessionService) -> None:
    await begun(service, "Hello.")
    await begun(service, id_="empty")
    for id_, lines in (("s", ["Hello."]), ("empty", [])):
        with pytest.raises(AlreadyExistsError):
            await service.create_session(**ANN, session_id=id_, state={"app:x": 1, "y": 2})
        found = await service.get_session(**ANN, session_id=f" {id_} ")
        assert texts(found) == lines
        assert found is not None
        assert found.state == {}


async def test_an_unknown_session_is_nothing(service: BaseSessionService) -> None:
    await begun(service)
    for unknown in (
        {**ANN, "session_id": "x"},
        {**ANN, "user_id": "bob", "session_id": "s"},
        {**ANN, "app_name": "bank", "session_id": "s"},
    ):
        assert await service.get_session(**unknown) is None
        await service.delete_session(**unknown)
    assert await service.get_session(**ANN, session_id="s") is not None


async def test_events_come_back_in_their_order_and_equal(service: BaseSessionService) -> None:
    session = await begun(service, "One.", "Two.")
    late = said("Early.", "guide", timestamp=900.0, custom_metadata={"x": None})
    assert await service.append_event(session, late) is late
    found = await service.get_session(**ANN, session_id="s")
    assert found is not None
    assert found.events == session.events
    assert texts(found) == ["One.", "Two.", "Early."]
    assert found.last_update_time == session.last_update_time == 900.0


async def test_a_partial_event_is_not_kept(service: BaseSessionService) -> None:
    session = await begun(service)
    await service.append_event(session, said("Hel", partial=True))
    found = await service.get_session(**ANN, session_id="s")
    assert found is not None
    assert found.events == session.events == []


async def test_an_event_of_an_unknown_session_is_refused(service: BaseSessionService) -> None:
    session = await begun(service)
    unknown = session.model_copy(update={"id": "x", "events": []})
    event = changing(temp__x=1, y=2)
    with pytest.raises(SessionNotFoundError, match=r"Session x not found\."):
        await service.append_event(unknown, event)
    assert unknown.state == {}
    assert unknown.events == []
    assert event.actions.state_delta == {"temp:x": 1, "y": 2}
    with pytest.raises(SessionNotFoundError):
        await service.append_event(unknown, said("Hello?"))
    await service.delete_session(**ANN, session_id="s")
    with pytest.raises(SessionNotFoundError):
        await service.append_event(session, said("Hello?"))
    for id_ in ("x", "s"):
        await begun(service, id_=id_)
        assert texts(await service.get_session(**ANN, session_id=id_)) == []


async def test_an_event_that_is_delivered_twice_is_kept_once(service: BaseSessionService) -> None:
    session = await begun(service)
    event = said("Hello.")
    event.actions.state_delta["n"] = 1
    await service.append_event(session, event)
    await service.append_event(session, changing(n=2))
    await service.append_event(session, event.model_copy(deep=True))
    found = await service.get_session(**ANN, session_id="s")
    assert found is not None
    assert len(found.events) == len(session.events) == 2
    assert found.state == session.state == {"n": 2}


async def test_an_event_that_is_delivered_after_many_others_is_kept_once(
    service: BaseSessionService,
) -> None:
    session = await begun(service, "One.", *map(str, range(61)))
    event = session.events[0].model_copy(deep=True)
    assert await service.append_event(session, event) is event
    found = await service.get_session(**ANN, session_id="s")
    assert found is not None
    assert len(found.events) == len(session.events) == 62
    await service.delete_session(**ANN, session_id="s")
    with pytest.raises(SessionNotFoundError):
        await service.append_event(session, event)


async def test_events_that_share_an_id_and_differ_are_both_kept(
    service: BaseSessionService,
) -> None:
    session = await begun(service)
    for line in ("One.", "Two."):
        await service.append_event(session, said(line, id="same"))
    assert texts(await service.get_session(**ANN, session_id="s")) == ["One.", "Two."]


async def test_state_goes_where_its_prefix_says(service: BaseSessionService) -> None:
    session = await begun(service)
    other = await begun(service, id_="t")
    event = changing(a=1, app__b=2, user__c=3, temp__d=4)
    await service.append_event(session, event)
    assert event.actions.state_delta == {"a": 1, "app:b": 2, "user:c": 3}
    assert session.state == {"a": 1, "app:b": 2, "user:c": 3, "temp:d": 4}
    await service.append_event(session, changing(a=None, e={"x": [None]}))

    async def state(session_id: str, user_id: str = "ann") -> dict[str, Any]:
        found = await service.get_session(app_name="shop", user_id=user_id, session_id=session_id)
        assert found is not None
        return found.state

    assert await state("s") == {"a": None, "e": {"x": [None]}, "app:b": 2, "user:c": 3}
    assert await state(other.id) == {"app:b": 2, "user:c": 3}
    await service.create_session(app_name="shop", user_id="bob", session_id="s")
    assert await state("s", "bob") == {"app:b": 2}
    assert await service.get_user_state(**ANN) == {"c": 3}
    assert await service.get_user_state(app_name="shop", user_id="bob") == {}
    assert await service.get_user_state(app_name="bank", user_id="ann") == {}
    await service.delete_session(**ANN, session_id="s")
    assert await service.get_user_state(**ANN) == {"c": 3}


async def test_a_session_that_was_deleted_can_be_created_anew(service: BaseSessionService) -> None:
    session = await begun(service, "Old.")
    await service.append_event(session, changing(x=1))
    await service.delete_session(**ANN, session_id=" s ")
    assert await service.get_session(**ANN, session_id="s") is None
    assert (await service.list_sessions(**ANN)).sessions == []
    await begun(service, "New.")
    found = await service.get_session(**ANN, session_id="s")
    assert texts(found) == ["New."]
    assert found is not None
    assert found.state == {}


@pytest.mark.parametrize(
    "odd", ["a/b", "a%2Fb", "é", "..", "ann@example.com", "a b", "~", "x" * 90]
)
async def test_names_are_any_strings(service: BaseSessionService, odd: str) -> None:
    names = [("shop", "ann", odd), ("shop", odd, "s"), (odd, "ann", "s"), (odd, odd, odd)]
    for app, user, id_ in names:
        session = await service.create_session(app_name=app, user_id=user, session_id=id_)
        assert session.id == id_
        await service.append_event(session, said(f"{app} {user} {id_}"))
    for app, user, id_ in names:
        found = await service.get_session(app_name=app, user_id=user, session_id=id_)
        assert texts(found) == [f"{app} {user} {id_}"]
        listed = await service.list_sessions(app_name=app, user_id=user)
        assert [each.id for each in listed.sessions] == [id_]
