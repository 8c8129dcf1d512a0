"""What a session service of Google ADK lists, and reads in part: its own and ours."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from google.adk.sessions.base_session_service import BaseSessionService, GetSessionConfig

from everturn.client import AsyncEverturn
from everturn.integrations.adk.names import SESSIONS, SessionName
from everturn.integrations.adk.sessions import EverturnSessionService
from everturn.integrations.adk.states import new_session_value
from integrations.adk.adk_services import ANN, KINDS, begun, said, texts

pytestmark = pytest.mark.anyio


@pytest.fixture(params=KINDS)
async def service(
    request: pytest.FixtureRequest, tmp_path: Path
) -> AsyncIterator[BaseSessionService]:
    async with KINDS[request.param](tmp_path) as service:
        yield service


@pytest.mark.parametrize(
    ("config", "lines"),
    [
        (GetSessionConfig(), "ABCDE"),
        (GetSessionConfig(num_recent_events=2), "DE"),
        (GetSessionConfig(num_recent_events=9), "ABCDE"),
        (GetSessionConfig(num_recent_events=0), ""),
        (GetSessionConfig(after_timestamp=1_002.0), "CDE"),
        (GetSessionConfig(after_timestamp=1_002.5), "DE"),
        (GetSessionConfig(after_timestamp=2_000.0), ""),
        (GetSessionConfig(after_timestamp=0.0), "ABCDE"),
        (GetSessionConfig(num_recent_events=2, after_timestamp=1_001.0), "DE"),
        (GetSessionConfig(num_recent_events=4, after_timestamp=1_003.0), "DE"),
    ],
)
async def test_the_newest_events_alone_may_be_asked_for(
    service: BaseSessionService, config: GetSessionConfig, lines: str
) -> None:
    await begun(service, *"ABCDE")
    found = await service.get_session(**ANN, session_id="s", config=config)
    assert "".join(texts(found)) == lines
    assert found is not None
    assert found.last_update_time == 1_004.0


async def test_after_a_time_counts_from_the_end(service: BaseSessionService) -> None:
    session = await begun(service, "A", "B")
    await service.append_event(session, said("C", timestamp=900.0))
    await service.append_event(session, said("D", timestamp=1_001.0))
    config = GetSessionConfig(after_timestamp=1_001.0)
    assert texts(await service.get_session(**ANN, session_id="s", config=config)) == ["D"]


async def test_sessions_are_listed_without_events_the_last_updated_at_the_end(
    service: BaseSessionService,
) -> None:
    listed = await service.list_sessions(**ANN)
    assert listed.sessions == []
    for id_ in ("s", "t", "u"):
        await service.create_session(**ANN, session_id=id_, state={"at": id_, "user:n": id_})
    await service.create_session(app_name="bank", user_id="ann", session_id="v")
    await service.create_session(app_name="shop", user_id="annabel", session_id="w")
    session = await service.get_session(**ANN, session_id="s")
    assert session is not None
    await service.append_event(session, said("Hello."))
    listed = await service.list_sessions(**ANN)
    assert [each.id for each in listed.sessions] == ["t", "u", "s"]
    assert [each.events for each in listed.sessions] == [[]] * 3
    assert [each.state for each in listed.sessions] == [
        {"at": id_, "user:n": "u"} for id_ in ("t", "u", "s")
    ]
    times = [each.last_update_time for each in listed.sessions]
    assert times == sorted(times)
    assert (await service.list_sessions(app_name="none", user_id="ann")).sessions == []


@pytest.mark.parametrize("user", ["ann", None])
@pytest.mark.parametrize(
    "left_out", [*SessionName("shop", "ann", "t")._asdict(), "state", "created"]
)
async def test_a_document_of_another_program_is_no_session(
    tmp_path: Path, left_out: str, user: str | None
) -> None:
    """It may lie where those of the user lie."""
    name = SessionName("shop", "ann", "t")
    whole = new_session_value(name, {}, 1_000.0)
    foreign: list[Any] = ["text", None, {n: v for n, v in whole.items() if n != left_out}]
    async with AsyncEverturn.local(tmp_path) as client:
        service = EverturnSessionService(client)
        await service.create_session(**ANN, session_id="s")
        for number, value in enumerate(foreign):
            await client.put_document(SESSIONS, f"{name.user.sessions_prefix}{number}", value)
        found = await service.list_sessions(app_name="shop", user_id=user)
    assert [session.id for session in found.sessions] == ["s"]
