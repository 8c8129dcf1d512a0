"""Turns whose writer died before it folded them, while another process writes the summary."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from everturn.client import AsyncEverturn
from everturn.integrations.claude.sessions import EverturnSessionStore
from integrations.claude.claude_entries import KEY, entry, said
from integrations.claude.claude_stores import MAIN, client_without_waits, kept, refolded, unfolded
from integrations.watched_transport import WatchedTransport

pytestmark = pytest.mark.anyio


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[AsyncEverturn]:
    """Return another process's client."""
    async with AsyncEverturn.local(tmp_path) as made:
        yield made


@pytest.fixture
async def store(wire: WatchedTransport) -> AsyncIterator[EverturnSessionStore]:
    async with client_without_waits(wire) as made:
        yield EverturnSessionStore(made)


async def test_a_title_that_was_given_later_does_not_hide_what_nobody_folded(
    store: EverturnSessionStore, client: AsyncEverturn, wire: WatchedTransport
) -> None:
    """Another process appends and dies, just before this one shows the title and folds."""

    async def come_between(asked: str) -> None:
        if asked.startswith("PATCH"):
            wire.before = None
            await unfolded(client, said(2, "Hello", cwd="/w"))

    wire.before = come_between
    await store.append(KEY, [entry(uuid="t", customTitle="Cats")])
    (summary,) = await EverturnSessionStore(client).list_session_summaries("proj")
    assert summary["data"] == await refolded(store) == (await kept(store))["data"]
    assert "/w" in summary["data"].values()


async def test_a_summary_that_is_made_up_for_holds_what_came_meanwhile(
    store: EverturnSessionStore, client: AsyncEverturn, wire: WatchedTransport
) -> None:
    """Both were appended by processes that died before they folded."""
    await store.append(KEY, [entry(uuid="a")])
    await unfolded(client, entry(uuid="b", customTitle="Cats"))

    async def come_between(asked: str) -> None:
        if asked == f"GET {MAIN}":
            wire.before = None
            await unfolded(client, said(2, "Hello", cwd="/w"))

    wire.before = come_between
    await store.append(KEY, [entry(uuid="b", customTitle="Cats")])
    assert (await kept(store))["data"] == await refolded(store)
    assert "/w" in (await kept(store))["data"].values()
