"""What a summary says of a session that others changed: nothing that is there no more."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from claude_agent_sdk import fold_session_summary, list_sessions_from_store

from everturn.client import AsyncEverturn
from everturn.errors import UnavailableError
from everturn.integrations.claude.sessions import EverturnSessionStore
from everturn.integrations.claude.summary import conversation_of, space_of
from integrations.claude.claude_entries import KEY, entry, key_in, numbered, said, talk, uuid_of
from integrations.claude.claude_stores import MAIN, client_without_waits, documents, kept, refolded
from integrations.watched_transport import WatchedTransport

pytestmark = pytest.mark.anyio

SECRET = "My number is 4711."


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[AsyncEverturn]:
    """Return a front end's client."""
    async with AsyncEverturn.local(tmp_path) as made:
        yield made


@pytest.fixture
async def store(wire: WatchedTransport) -> AsyncIterator[EverturnSessionStore]:
    async with client_without_waits(wire) as made:
        yield EverturnSessionStore(made)


async def is_told(client: AsyncEverturn, text: str) -> bool:
    """Say whether anything that is kept has a text."""
    return text in json.dumps([row.value for row in await documents(client)])


async def redact(client: AsyncEverturn, conversation_id: str = MAIN) -> None:
    """Redact each turn that has the secret: the CLI repeats a prompt in entries of its own."""
    async for turn in client.all_turns(conversation_id):
        if SECRET in json.dumps(turn.content):
            await client.redact_turn(conversation_id, turn.index)


async def test_a_list_shows_no_redacted_prompt_and_leaves_none_behind(
    store: EverturnSessionStore, client: AsyncEverturn, tmp_path: Path
) -> None:
    key, session_id = key_in(tmp_path, 7)
    await store.append(key, talk(session_id, SECRET))
    await store.append(key, [said(3, "Plan a trip."), entry(type="x", lastPrompt="Plan a trip.")])
    await redact(client, conversation_of(key))
    (listed,) = await list_sessions_from_store(store, str(tmp_path))
    assert (listed.summary, listed.first_prompt) == ("Plan a trip.", "Plan a trip.")
    rows = client.all_documents(space_of(key["project_key"]), values=True)
    assert not [row.key async for row in rows if "4711" in json.dumps(row.value)]


async def test_a_session_that_is_resumed_quotes_no_redacted_prompt(
    store: EverturnSessionStore, client: AsyncEverturn
) -> None:
    """Also where nobody listed it, and where its writer went on before it was resumed."""
    await store.append(KEY, talk("sess", SECRET))
    await redact(client)
    await store.append(KEY, numbered(11))
    later = EverturnSessionStore(client)
    await later.load(KEY)
    await later.append(KEY, numbered(12))
    assert not await is_told(client, SECRET)
    assert (await kept(store))["data"] == await refolded(store)


async def test_a_writer_does_not_bring_back_what_a_list_removed(
    store: EverturnSessionStore, client: AsyncEverturn
) -> None:
    await store.append(KEY, talk("sess", SECRET))
    await redact(client)
    await EverturnSessionStore(client).list_session_summaries("proj")
    await store.append(KEY, [said(11, "Plan a trip.")])
    assert not await is_told(client, SECRET)
    assert (await kept(store))["data"] == await refolded(store)


async def test_a_summary_that_was_removed_is_made_anew_by_a_writer_who_knew_it(
    store: EverturnSessionStore, client: AsyncEverturn
) -> None:
    await store.append(KEY, talk("sess", SECRET))
    await redact(client)
    await store.append(KEY, numbered(11))
    await client.delete_document(space_of("proj"), "sess")
    await store.append(KEY, numbered(12))
    assert not await is_told(client, SECRET)
    assert (await kept(store))["data"] == await refolded(store)


async def test_a_session_that_a_front_end_deleted_leaves_no_summary_behind_a_list(
    store: EverturnSessionStore, client: AsyncEverturn
) -> None:
    await store.append(KEY, talk("sess", SECRET))
    await store.append({**KEY, "session_id": "other"}, numbered(1))
    await client.put_document(space_of("proj"), "another program's", {"n": 1})
    await client.delete_conversation(MAIN)
    listed = await store.list_session_summaries("proj")
    assert [one["session_id"] for one in listed] == ["other"]
    assert {row.key for row in await documents(client)} == {"other", "another program's"}


async def test_a_prompt_that_was_taken_back_is_not_folded(
    store: EverturnSessionStore, client: AsyncEverturn
) -> None:
    await store.append(KEY, [said(1, "Hello"), entry(uuid="p", lastPrompt=SECRET)])
    await client.pop_turn(MAIN, expected_turn_count=2)
    await store.append(KEY, numbered(11))
    assert not await is_told(client, SECRET)
    assert (await kept(store))["data"] == await refolded(store)


async def test_a_list_reads_a_session_once_that_a_front_end_changed(
    store: EverturnSessionStore, client: AsyncEverturn, wire: WatchedTransport
) -> None:
    await store.append(KEY, talk("sess"))
    await client.update_conversation(MAIN, archived=True)
    lists = ["GET claude-summaries:proj", "GET conversations"]
    for more in (["GET turns", "PUT sess"], []):
        wire.asked.clear()
        (summary,) = await store.list_session_summaries("proj")
        assert wire.asked == [*lists, *more]
        assert summary["mtime"] == (await store.list_sessions("proj"))[0]["mtime"]
        assert summary["data"] == await refolded(store)


async def test_a_title_that_the_user_gave_makes_no_summary_old(
    store: EverturnSessionStore, wire: WatchedTransport
) -> None:
    await store.append(KEY, [said(1, "Hello"), entry(customTitle="The cat")])
    wire.asked.clear()
    await store.list_session_summaries("proj")
    assert wire.asked == ["GET claude-summaries:proj", "GET conversations"]


async def test_a_list_and_a_writer_at_once_lose_nothing(
    store: EverturnSessionStore, client: AsyncEverturn, wire: WatchedTransport
) -> None:
    """The list finds turns that are not folded yet, and is there before the writer."""
    await store.append(KEY, numbered(1))

    async def look(asked: str) -> None:
        if asked == "PUT sess":
            wire.before = None
            await EverturnSessionStore(client).list_session_summaries("proj")

    wire.before = look
    await store.append(KEY, [said(2, "Hello", cwd="/w")])
    await store.append(KEY, [said(3, "again")])
    summary = fold_session_summary(None, KEY, await store.load(KEY) or [])
    assert (await kept(store))["data"] == summary["data"]


async def test_what_another_program_put_there_is_no_fold(
    store: EverturnSessionStore, client: AsyncEverturn
) -> None:
    await store.append(KEY, talk("sess"))
    await client.put_document(space_of("proj"), "sess", {"turns": "many"})
    (summary,) = await store.list_session_summaries("proj")
    assert summary["data"] == await refolded(store)


@pytest.mark.parametrize("method", ["list_sessions", "list_session_summaries"])
async def test_a_list_that_cannot_be_read_is_neither_empty_nor_a_reason_to_remove(
    store: EverturnSessionStore, client: AsyncEverturn, wire: WatchedTransport, method: str
) -> None:
    await store.append(KEY, numbered(1))

    async def fail(asked: str) -> None:
        if asked == "GET conversations":
            raise httpx.ConnectError("no way there")

    wire.before = fail
    async with client_without_waits(wire, best_effort=True) as heedless:
        with pytest.raises(UnavailableError):
            await getattr(EverturnSessionStore(heedless), method)("proj")
    assert len(await documents(client)) == 1


async def test_of_a_second_life_whose_batches_others_parted_nothing_old_is_folded(
    store: EverturnSessionStore, client: AsyncEverturn, wire: WatchedTransport
) -> None:
    await store.append(KEY, [said(1, SECRET), *numbered(*range(11, 31))])
    await client.delete_conversation(MAIN)
    await client.create_conversation(MAIN)
    posts = 0

    async def come_between(asked: str) -> None:
        nonlocal posts
        posts += asked == "POST turns"
        if asked == "POST turns" and posts == 2:
            await client.append_user(MAIN, "me first")

    wire.before = come_between
    later = EverturnSessionStore(store._client)
    batch = [entry(uuid=uuid_of(n), n=n) for n in range(1_001)]
    await later.append(KEY, batch)
    assert not await is_told(client, SECRET)
    assert (await kept(store))["data"] == await refolded(store)
