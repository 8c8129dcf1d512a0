"""What our session store does where something fails, or another program wrote."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from everturn.client import AsyncEverturn
from everturn.errors import UnavailableError
from everturn.integrations.claude.sessions import EverturnSessionStore
from everturn.integrations.claude.summary import conversation_of
from integrations.claude.claude_entries import KEY, SUB, names, numbered
from integrations.claude.claude_stores import MAIN, client_without_waits
from integrations.watched_transport import WatchedTransport, incomplete_once

pytestmark = pytest.mark.anyio

BELOW = conversation_of(SUB)


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[AsyncEverturn]:
    """Return another process's client."""
    async with AsyncEverturn.local(tmp_path) as made:
        yield made


@pytest.fixture
async def store(wire: WatchedTransport) -> AsyncIterator[EverturnSessionStore]:
    async with client_without_waits(wire) as made:
        yield EverturnSessionStore(made)


async def write_and_read(store: EverturnSessionStore) -> None:
    await store.append(KEY, numbered(1))
    await store.load(KEY)


async def fail_at(wire: WatchedTransport, place: str) -> None:
    """Let no request through that is so named."""

    async def fail(asked: str) -> None:
        if asked == place:
            raise httpx.ConnectError("no way there")

    wire.before = fail


async def test_a_deletion_goes_on_until_all_is_gone(
    store: EverturnSessionStore, client: AsyncEverturn, wire: WatchedTransport
) -> None:
    await store.append(KEY, numbered(1))
    answers = incomplete_once()
    wire.instead = lambda asked: answers(asked) if asked == f"DELETE {MAIN}" else None
    wire.asked.clear()
    await store.delete(KEY)
    assert wire.asked.count(f"DELETE {MAIN}") == 2
    assert [row async for row in client.all_conversations()] == []


async def test_a_deletion_that_does_not_end_is_an_error(
    store: EverturnSessionStore, wire: WatchedTransport
) -> None:
    await store.append(KEY, numbered(1))
    left = {"deleted": {}, "complete": False, "remaining": 3}
    wire.instead = lambda asked: (
        httpx.Response(200, json=left) if asked == f"DELETE {MAIN}" else None
    )
    with pytest.raises(UnavailableError, match="remaining=3"):
        await store.delete(KEY)


@pytest.mark.parametrize("asked", ["GET conversations", "DELETE sess", f"DELETE {MAIN}"])
async def test_a_deletion_that_fails_is_no_success_though_the_client_does_its_best_effort(
    store: EverturnSessionStore, wire: WatchedTransport, asked: str
) -> None:
    await store.append(KEY, numbered(1))
    await fail_at(wire, asked)
    async with client_without_waits(wire, best_effort=True) as client:
        with pytest.raises(UnavailableError):
            await EverturnSessionStore(client).delete(KEY)


@pytest.mark.parametrize("asked", ["GET turns", "POST turns", "GET sess", "PUT sess"])
async def test_a_failure_is_raised_though_the_client_does_its_best_effort(
    wire: WatchedTransport, asked: str
) -> None:
    """Else a session that cannot be read would look like a new one."""
    await fail_at(wire, asked)
    async with client_without_waits(wire, best_effort=True) as client:
        store = EverturnSessionStore(client)
        with pytest.raises(UnavailableError):
            await write_and_read(store)


@pytest.mark.parametrize("asked", ["POST conversations", f"PATCH {BELOW}"])
async def test_a_subagent_that_could_not_be_hidden_is_tried_again(
    wire: WatchedTransport, client: AsyncEverturn, asked: str
) -> None:
    await fail_at(wire, asked)
    async with client_without_waits(wire, best_effort=True) as heedless:
        store = EverturnSessionStore(heedless)
        with pytest.raises(UnavailableError):
            await store.append(SUB, numbered(1))
        wire.before = None
        await store.append(SUB, numbered(1))
    (row,) = [row async for row in client.all_conversations()]
    assert (row.title, row.archived, row.turn_count) == ("subagents/agent-1", True, 1)


async def test_a_conversation_whose_id_no_key_has_hides_no_session(
    store: EverturnSessionStore, client: AsyncEverturn
) -> None:
    await store.append(KEY, numbered(1))
    for part in ("~ff", "sess:~ff"):
        await client.append_user(f"claude-session:proj:{part}", "Hello")
    assert [one["session_id"] for one in await store.list_sessions("proj")] == ["sess"]
    assert await store.list_subkeys(KEY) == []


async def test_what_another_program_made_up_hides_no_entry(
    store: EverturnSessionStore, client: AsyncEverturn
) -> None:
    await store.append(KEY, numbered(1))
    for content in ({"type": "everturn-part"}, {"type": 5}, {"type": "user", "message": 7}):
        await client.append(MAIN, [{"role": "user", "text": "x", "content": content}])
    assert names(await store.load(KEY)) == [1, None]
    await store.append(KEY, numbered(2))
    (summary,) = await store.list_session_summaries("proj")
    assert summary["data"] == {"is_sidechain": False}
