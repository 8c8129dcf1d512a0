"""Pages that an integration reads one by one: those that do not go on are an error, everywhere."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from everturn.client import Everturn
from everturn.errors import MisconfiguredError
from everturn.integrations.adk.memory import Known, add_events, delete_event
from everturn.integrations.adk.names import UserName
from everturn.integrations.claude.transcript import Transcript
from everturn.integrations.openai_agents.session import EverturnSession
from everturn.integrations.plans import run
from everturn.integrations.strands.documents import Documents
from everturn.integrations.strands.repository import Messages
from everturn.integrations.turn_pages import next_of
from everturn.wire.conversations import TurnPage
from integrations.watched_transport import WatchedTransport

TURN = {
    "index": 1,
    "role": "user",
    "ts": "2026-01-01T00:00:00Z",
    "text": "Hi.",
    "content": "Hi.",
    "token_count": 1,
}
STANDING = {"conversation_id": "c", "turns": [TURN], "next": 0, "turn_count": 9}
ANN = UserName("shop", "ann")

Reading = Callable[[WatchedTransport], object]


def blocking(read: Callable[[Everturn], object], wire: WatchedTransport) -> None:
    with wire.blocking_client() as client:
        read(client)


def awaited(read: Callable[[Any], Awaitable[object]], wire: WatchedTransport) -> None:
    async def reading() -> None:
        async with wire.client() as client:
            await read(client)

    asyncio.run(reading())


def strands_messages(client: Everturn) -> object:
    return Messages(client, Documents(client)).read("s", "default", offset=0, limit=None)


READINGS: dict[str, Reading] = {
    "adk, adding": partial(blocking, lambda client: run(client, add_events(ANN, [], Known()))),
    "adk, deleting": partial(blocking, lambda client: run(client, delete_event(ANN, "e"))),
    "strands": partial(blocking, strands_messages),
    "openai": partial(awaited, lambda client: EverturnSession("s", client).get_items(5)),
    "claude": partial(awaited, lambda client: Transcript(client, "s", None).read()),
    "claude, a run": partial(
        awaited, lambda client: Transcript(client, "s", None).read_between(0, 5)
    ),
}


@pytest.mark.parametrize("reading", READINGS.values(), ids=READINGS)
def test_pages_that_do_not_go_on_are_an_error(tmp_path: Path, reading: Reading) -> None:
    """One that names itself as the next one would be read for ever."""
    wire = WatchedTransport(tmp_path)

    def standing(asked: str) -> httpx.Response | None:
        assert wire.asked.count("GET turns") < 10, "it is read for ever"
        return httpx.Response(200, json=STANDING) if asked == "GET turns" else None

    wire.instead = standing
    with pytest.raises(MisconfiguredError, match="do not go on"):
        reading(wire)


@pytest.mark.parametrize("following", [0, 3, 4])
def test_the_next_page_begins_after_this_one(following: int) -> None:
    page = TurnPage(turns=(), next=following, turn_count=9)
    with pytest.raises(MisconfiguredError, match="do not go on"):
        next_of(page, 4)


@pytest.mark.parametrize("following", [5, None])
def test_a_page_may_be_the_last_one(following: int | None) -> None:
    assert next_of(TurnPage(turns=(), next=following, turn_count=9), 4) == following
