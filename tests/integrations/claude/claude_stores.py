"""Session stores of both kinds, for one contract."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from claude_agent_sdk import (
    InMemorySessionStore,
    SessionStore,
    SessionStoreEntry,
    fold_session_summary,
)
from claude_agent_sdk.types import SessionSummaryEntry

from client.hand_time import AsyncSkippingClock
from everturn.client import AsyncEverturn
from everturn.integrations.claude.sessions import EverturnSessionStore
from everturn.integrations.claude.summary import conversation_of, fold_of, space_of
from everturn.wire.deployment import DocumentRow
from integrations.claude.claude_entries import KEY
from integrations.watched_transport import WatchedTransport

MAIN: Final = conversation_of(KEY)
"""The conversation of the session that most tests write."""

KINDS = ("theirs", "ours")

StoreMaker = Callable[[], SessionStore]


@asynccontextmanager
async def store_of(kind: str, folder: Path) -> AsyncIterator[SessionStore]:
    """Open an empty store."""
    if kind == "theirs":
        yield InMemorySessionStore()
        return
    async with AsyncEverturn.local(folder / "memory") as client:
        yield EverturnSessionStore(client)


@asynccontextmanager
async def stores_of(*clients: AsyncEverturn) -> AsyncIterator[StoreMaker]:
    """Give a maker of a store for each client, in turn; close them all at the end."""
    left = iter(clients)
    try:
        yield lambda: EverturnSessionStore(next(left))
    finally:
        for client in clients:
            await client.aclose()


def client_without_waits(wire: WatchedTransport, *, best_effort: bool = False) -> AsyncEverturn:
    """Return a client that gives up at once where there is no answer, and else waits a minute."""
    return AsyncEverturn(
        "http://localhost",
        transport=wire,
        timeout_s=60,
        best_effort=best_effort,
        clock=AsyncSkippingClock(),
    )


async def refolded(store: EverturnSessionStore) -> dict[str, Any]:
    """What a summary of everything stored says."""
    loaded = await store.load(KEY)
    return fold_session_summary(None, KEY, loaded or [])["data"]


async def unfolded(
    client: AsyncEverturn, one: SessionStoreEntry, conversation_id: str = MAIN
) -> None:
    """Append an entry, and no more."""
    await client.append(conversation_id, [{"role": "system", "content": one, "text": ""}])


async def kept(store: EverturnSessionStore) -> SessionSummaryEntry:
    """The one summary of the project, as it is kept."""
    (row,) = await documents(store._client)
    return fold_of(row.value).entry(KEY["session_id"])


async def documents(client: AsyncEverturn) -> list[DocumentRow]:
    """All that is kept of summaries."""
    return [row async for row in client.all_documents(space_of(KEY["project_key"]), values=True)]
