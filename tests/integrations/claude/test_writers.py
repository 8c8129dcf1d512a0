"""Two processes on one session, and deletions between their writes.

Nothing is lost or comes back.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from claude_agent_sdk import SessionStoreEntry, list_sessions_from_store

from everturn.client import AsyncEverturn
from everturn.errors import UnavailableError
from everturn.integrations.claude.sessions import EverturnSessionStore
from everturn.integrations.claude.summary import conversation_of
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
from integrations.claude.claude_stores import client_without_waits, kept, refolded, unfolded
from integrations.watched_transport import WatchedTransport

pytestmark = pytest.mark.anyio

MAIN = conversation_of(KEY)
PUT = f"PUT {KEY['session_id']}"


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


async def test_a_batch_that_is_sent_again_after_a_lost_answer_is_there_once(
    store: EverturnSessionStore, other: EverturnSessionStore, wire: WatchedTransport
) -> None:
    """The SDK sends a batch up to three times; here its first try fails behind the append."""
    await store.append(KEY, numbered(1))

    batch = [*numbered(2), entry(uuid="t", n=3, customTitle="Cats")]

    async def fail(asked: str) -> None:
        if asked.startswith("PATCH"):
            raise httpx.ConnectError("no way there")

    wire.before = fail
    with pytest.raises(UnavailableError):
        await store.append(KEY, batch)
    wire.before = None
    await store.append(KEY, batch)
    assert names(await other.load(KEY)) == [1, 2, 3]
    assert (await kept(store))["data"] == await refolded(other)
    assert (await kept(store))["data"]["custom_title"] == "Cats"


async def test_nothing_of_two_processes_at_once_is_lost_or_doubled(
    store: EverturnSessionStore, other: EverturnSessionStore
) -> None:
    """Both also send what the other one sends, as two imports of one session would."""
    own = [numbered(*range(at, at + 3)) for at in range(0, 24, 3)]
    foreign = [numbered(*range(at, at + 3)) for at in range(100, 124, 3)]
    shared = numbered(*range(200, 208))

    async def write(one: EverturnSessionStore, batches: list[list[SessionStoreEntry]]) -> None:
        for number, batch in enumerate(batches):
            await one.append(KEY, [*batch, shared[number], entry(n=-1)])

    await asyncio.gather(write(store, own), write(other, foreign))

    loaded = names(await store.load(KEY))
    assert loaded.count(-1) == 16
    assert sorted(n for n in loaded if n >= 0) == [*range(24), *range(100, 124), *range(200, 208)]
    assert [n for n in loaded if 0 <= n < 24] == list(range(24))
    assert [n for n in loaded if 100 <= n < 124] == list(range(100, 124))


async def test_a_summary_is_the_fold_of_all_writers_entries_in_their_order(
    store: EverturnSessionStore, other: EverturnSessionStore
) -> None:
    async def write(one: EverturnSessionStore, name: str) -> None:
        for n in range(8):
            await one.append(
                KEY, [entry(uuid=f"{name}{n}", customTitle=f"{name}{n}", cwd=f"/{name}")]
            )

    await asyncio.gather(write(store, "a"), write(other, "b"))
    summary = await kept(store)
    assert summary["data"] == await refolded(store)
    assert summary["mtime"] >= (await store.list_sessions("proj"))[0]["mtime"]


async def test_appends_of_one_process_keep_the_order_of_their_calls(
    store: EverturnSessionStore,
) -> None:
    await asyncio.gather(*(store.append(KEY, numbered(n)) for n in range(12)))
    assert names(await store.load(KEY)) == list(range(12))


@pytest.mark.parametrize("uuid", ["b", "c"], ids=["the same again", "another one"])
async def test_a_summary_that_was_not_written_is_made_up_for(
    store: EverturnSessionStore, client: AsyncEverturn, uuid: str
) -> None:
    """A process that died between the two writes leaves turns that nobody folded."""
    await store.append(KEY, [entry(uuid="a", cwd="/w")])
    await unfolded(client, entry(uuid="b", customTitle="Cats"))
    later = EverturnSessionStore(client)
    await later.append(KEY, [entry(uuid=uuid)])
    assert len(await later.load(KEY) or ()) == (2 if uuid == "b" else 3)
    assert (await kept(store))["data"] == await refolded(store)
    assert (await kept(store))["data"]["custom_title"] == "Cats"


async def test_a_stale_summary_does_not_hide_what_is_newer(
    store: EverturnSessionStore, client: AsyncEverturn, tmp_path: Path
) -> None:
    key, session_id = key_in(tmp_path, 7)
    await store.append(key, talk(session_id))
    await asyncio.sleep(0.002)
    renamed = entry(type="custom-title", customTitle="Renamed", sessionId=session_id, uuid="t")
    await unfolded(client, renamed, conversation_of(key))
    (listed,) = await list_sessions_from_store(store, str(tmp_path))
    assert listed.summary == "Renamed"


async def test_a_second_life_knows_nothing_of_the_first(
    store: EverturnSessionStore, other: EverturnSessionStore
) -> None:
    """Also in a process that had not heard of the deletion."""
    await store.append(KEY, [entry(uuid=uuid_of(n), customTitle=f"old {n}") for n in range(3)])
    await store.append(SUB, numbered(1))
    await other.delete(KEY)
    assert await store.list_sessions("proj") == []
    assert await store.list_subkeys(KEY) == []

    await store.append(KEY, [entry(uuid=uuid_of(1), n=1, cwd="/new")])
    await store.append(SUB, numbered(1))
    assert names(await other.load(KEY)) == names(await other.load(SUB)) == [1]
    assert (await kept(store))["data"] == await refolded(other)
    assert "custom_title" not in (await kept(store))["data"]


async def test_a_session_deleted_elsewhere_leaves_no_summary_that_counts(
    store: EverturnSessionStore, client: AsyncEverturn, tmp_path: Path
) -> None:
    """A front end deletes the conversation; its summary is dropped, and replaced by the next."""
    key, session_id = key_in(tmp_path, 7)
    await store.append(key, talk(session_id))
    await client.delete_conversation(conversation_of(key))
    assert await list_sessions_from_store(store, str(tmp_path)) == []

    await store.append(key, talk(session_id, "Another prompt"))
    (listed,) = await list_sessions_from_store(store, str(tmp_path))
    assert listed.summary == "Another prompt"


async def test_a_deletion_between_turns_and_summary_leaves_no_text(
    store: EverturnSessionStore, other: EverturnSessionStore, wire: WatchedTransport
) -> None:
    async def delete(asked: str) -> None:
        if asked == PUT:
            wire.before = None
            await other.delete(KEY)

    wire.before = delete
    await store.append(KEY, [said(1, "My cat is called Nimbus.")])
    assert await store.list_session_summaries("proj") == []
    assert await store.load(KEY) is None


async def test_a_split_batch_that_breaks_off_goes_on_where_it_was(
    store: EverturnSessionStore, client: AsyncEverturn, wire: WatchedTransport
) -> None:
    """Another process comes between its parts, and dies before it folds what it wrote."""
    posts = 0

    async def come_between(asked: str) -> None:
        nonlocal posts
        posts += asked == "POST turns"
        if asked == "POST turns" and posts == 2:
            await unfolded(client, entry(n=1_999, uuid=uuid_of(1_999), customTitle="Cats"))

    wire.before = come_between
    await store.append(KEY, [entry(n=-1), *numbered(*range(2_000))])
    loaded = names(await store.load(KEY))
    assert loaded == [-1, *range(999), 1_999, *range(999, 1_999)]
    assert (await kept(store))["data"] == await refolded(store)
    assert (await kept(store))["data"]["custom_title"] == "Cats"


async def test_turns_that_were_taken_back_are_noticed(
    store: EverturnSessionStore, client: AsyncEverturn
) -> None:
    await store.append(KEY, numbered(1, 2))
    await client.pop_turn(MAIN, expected_turn_count=2)
    await store.append(KEY, numbered(2, 3))
    assert names(await store.load(KEY)) == [1, 2, 3]


async def test_a_writer_that_is_always_forestalled_gives_up(
    store: EverturnSessionStore, client: AsyncEverturn, wire: WatchedTransport
) -> None:
    async def forestall(asked: str) -> None:
        if asked == "POST turns":
            await client.append_user(MAIN, "me first")

    wire.before = forestall
    with pytest.raises(UnavailableError, match="too many writers"):
        await store.append(KEY, numbered(1))
