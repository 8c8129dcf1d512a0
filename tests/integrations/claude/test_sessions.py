"""What our session store promises beyond the SDK's own: requests, sizes, what shows."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import pytest
from claude_agent_sdk import list_sessions_from_store

from everturn.client import AsyncEverturn
from everturn.errors import InvalidRequestError
from everturn.integrations.claude.sessions import EverturnSessionStore
from everturn.integrations.claude.summary import conversation_of, space_of
from integrations.claude.claude_entries import (
    KEY,
    SUB,
    entry,
    key_in,
    names,
    numbered,
    said,
    talk,
    uuid_of,
)
from integrations.claude.claude_stores import client_without_waits
from integrations.watched_transport import WatchedTransport

pytestmark = pytest.mark.anyio

MAIN = conversation_of(KEY)
BELOW = conversation_of(SUB)
PUT = f"PUT {KEY['session_id']}"
GET = f"GET {KEY['session_id']}"


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[AsyncEverturn]:
    """Return another process's client."""
    async with AsyncEverturn.local(tmp_path) as made:
        yield made


@pytest.fixture
async def store(wire: WatchedTransport) -> AsyncIterator[EverturnSessionStore]:
    async with client_without_waits(wire) as made:
        yield EverturnSessionStore(made)


@pytest.fixture
def other(client: AsyncEverturn) -> EverturnSessionStore:
    """Return the same store in another process."""
    return EverturnSessionStore(client)


async def test_an_append_is_two_requests_once_the_transcript_is_known(
    store: EverturnSessionStore, wire: WatchedTransport
) -> None:
    await store.append(KEY, numbered(1))
    assert wire.asked == ["POST turns", GET, PUT, "GET turns"]
    wire.asked.clear()
    await store.append(KEY, numbered(2))
    await store.append(KEY, [])
    assert wire.asked == ["POST turns", PUT]
    wire.asked.clear()
    await store.append(SUB, numbered(3))
    await store.append(SUB, numbered(4))
    assert wire.asked == [
        "POST conversations", f"PATCH {wire.asked[1].partition(' ')[2]}", *["POST turns"] * 2
    ]  # fmt: skip


async def test_a_session_that_is_resumed_is_known(
    store: EverturnSessionStore, other: EverturnSessionStore, wire: WatchedTransport
) -> None:
    await other.append(KEY, numbered(1, 2))
    assert names(await store.load(KEY)) == [1, 2]
    await store.append(KEY, numbered(3))
    assert wire.asked == ["GET turns", "POST turns", GET, PUT]


async def test_a_thousand_entries_are_one_request_to_read_or_to_append(
    store: EverturnSessionStore, wire: WatchedTransport
) -> None:
    await store.append(KEY, numbered(*range(2_500)))
    assert wire.asked.count("POST turns") == 3
    wire.asked.clear()
    assert names(await store.load(KEY)) == list(range(2_500))
    assert wire.asked == ["GET turns"] * 3


async def test_what_overlaps_an_earlier_batch_is_appended_once(
    store: EverturnSessionStore, other: EverturnSessionStore
) -> None:
    await store.append(KEY, numbered(1, 2))
    await store.append(KEY, numbered(1, 2, 3))
    await other.append(KEY, numbered(2, 3, 4, 4))
    await store.append(KEY, numbered(4))
    assert names(await store.load(KEY)) == [1, 2, 3, 4]


async def test_entries_without_a_uuid_are_appended_each_time(store: EverturnSessionStore) -> None:
    for _ in range(2):
        await store.append(KEY, [entry(type="mode", n=1), entry(type="mode", n=1, uuid="")])
    assert names(await store.load(KEY)) == [1, 1, 1, 1]


async def test_a_deletion_leaves_nothing(
    store: EverturnSessionStore, client: AsyncEverturn
) -> None:
    await store.append(KEY, numbered(1))
    await store.append(SUB, numbered(2))
    await store.delete(KEY)
    assert [row async for row in client.all_conversations()] == []
    assert [row async for row in client.all_documents(space_of("proj"))] == []


async def test_a_list_shows_what_was_said(
    store: EverturnSessionStore, client: AsyncEverturn
) -> None:
    await store.append(KEY, talk("sess"))
    await store.append(SUB, [said(11, "Look it up.", isSidechain=True)])
    rows = {row.conversation_id: row async for row in client.all_conversations()}
    assert (rows[MAIN].title, rows[MAIN].preview) == ("My cat is called Nimbus.", "A fine name.")
    assert (rows[BELOW].title, rows[BELOW].preview) == ("subagents/agent-1", "")
    assert [row.archived for row in (rows[MAIN], rows[BELOW])] == [False, True]

    await store.append(KEY, [entry(type="custom-title", customTitle="The cat")])
    titles = {row.title async for row in client.all_conversations(archived=False)}
    assert titles == {"The cat"}


async def test_recall_finds_what_was_said_and_no_tool_output(
    store: EverturnSessionStore, client: AsyncEverturn
) -> None:
    result = {"type": "tool_result", "tool_use_id": "t", "content": "Nimbus is a cloud"}
    await store.append(KEY, [*talk("sess"), said(3, [result]), said(4, "What else?")])
    found = await client.recall("What is Nimbus?", conversation_id=MAIN)
    assert found.hits[0].text == "My cat is called Nimbus."
    assert not any("cloud" in hit.text for hit in found.hits)


@pytest.mark.parametrize("size", [1_100_000, 4_000_000])
async def test_an_entry_of_any_size_is_kept(
    store: EverturnSessionStore, other: EverturnSessionStore, size: int
) -> None:
    body = "".join(str(n * n) for n in range(size // 8))
    batch = [*numbered(1), entry(uuid="big", n=2, body=body), *numbered(3)]
    await store.append(KEY, batch)
    await other.append(KEY, batch)
    assert await other.load(KEY) == batch


async def test_a_batch_above_three_megabytes_is_split_in_order(
    store: EverturnSessionStore, wire: WatchedTransport
) -> None:
    batch = [entry(uuid=uuid_of(n), n=n, body="<" * 100_000) for n in range(10)]
    await store.append(KEY, batch)
    assert wire.asked.count("POST turns") == 3
    assert await store.load(KEY) == batch


async def test_a_redacted_entry_is_left_out(
    store: EverturnSessionStore, client: AsyncEverturn
) -> None:
    await store.append(KEY, numbered(1, 2, 3))
    await client.redact_turn(MAIN, 1)
    assert names(await store.load(KEY)) == [1, 3]


async def test_what_others_append_to_the_conversation_is_no_entry(
    store: EverturnSessionStore, client: AsyncEverturn
) -> None:
    await store.append(KEY, numbered(1))
    await client.append_user(MAIN, "Hello from elsewhere")
    await store.append(KEY, numbered(2))
    assert names(await store.load(KEY)) == [1, 2]


async def test_sessions_of_two_users_do_not_meet(tmp_path: Path) -> None:
    async with (
        AsyncEverturn.local(tmp_path, actor="ann") as ann,
        AsyncEverturn.local(tmp_path, actor="bob") as bob,
    ):
        await EverturnSessionStore(ann).append(KEY, numbered(1))
        assert await EverturnSessionStore(bob).load(KEY) is None
        assert await EverturnSessionStore(bob).list_sessions("proj") == []


@pytest.mark.parametrize("session_id", ["a/b", "..", "%2F", "é", "e\u0301", " ", "\n", "\ud800"])
async def test_a_session_may_have_any_name(store: EverturnSessionStore, session_id: str) -> None:
    await store.append({"project_key": "/", "session_id": session_id}, numbered(1))
    assert [one["session_id"] for one in await store.list_sessions("/")] == [session_id]
    summaries = await store.list_session_summaries("/")
    assert [one["session_id"] for one in summaries] == [session_id]
    sub = {"project_key": "/", "session_id": session_id, "subpath": session_id}
    await store.append(cast("Any", sub), numbered(2))
    assert await store.list_subkeys({"project_key": "/", "session_id": session_id}) == [session_id]


async def test_a_key_that_is_too_long_is_refused_whole(store: EverturnSessionStore) -> None:
    with pytest.raises(InvalidRequestError):
        await store.append({"project_key": "p" * 1_024, "session_id": "s"}, numbered(1))


async def test_a_summary_too_large_for_a_document_fails_no_append(
    store: EverturnSessionStore, tmp_path: Path
) -> None:
    key, session_id = key_in(tmp_path, 7)
    await store.append(key, talk(session_id))
    await asyncio.sleep(0.002)
    await store.append(key, [entry(type="last-prompt", lastPrompt="x" * 1_200_000)])
    await store.append(key, [entry(type="tag", tag="late")])
    (listed,) = await list_sessions_from_store(store, str(tmp_path))
    assert listed.tag == "late"
