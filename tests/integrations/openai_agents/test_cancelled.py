"""A write of one of our sessions that is cancelled: it happened, and its caller can rely on it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import pytest

from everturn.integrations.openai_agents.session import EverturnSession
from integrations.openai_agents.agents_items import texts, user
from integrations.watched_transport import WatchedTransport

pytestmark = pytest.mark.anyio


@pytest.fixture
async def session(wire: WatchedTransport) -> AsyncIterator[EverturnSession]:
    async with wire.client() as made:
        yield EverturnSession("one", made)


@pytest.mark.parametrize(("call", "left"), [("add", ["a", "b"]), ("pop", []), ("clear", [])])
async def test_a_cancelled_write_has_happened_when_the_caller_hears_of_it(
    session: EverturnSession, wire: WatchedTransport, call: str, left: list[str]
) -> None:
    """The SDK's own sessions do so: a run that is stopped knows what is stored."""
    await session.add_items([user("a")])
    writes: dict[str, Callable[[], Coroutine[Any, Any, object]]] = {
        "add": lambda: session.add_items([user("b")]),
        "pop": session.pop_item,
        "clear": session.clear_session,
    }
    sent, go_on = asyncio.Event(), asyncio.Event()

    async def hold(_asked: str) -> None:
        sent.set()
        await go_on.wait()

    wire.before = hold
    writing = asyncio.create_task(writes[call]())
    await sent.wait()
    for _ in range(2):
        writing.cancel()
        await asyncio.sleep(0)
    assert not writing.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await writing
    assert texts(await session.get_items()) == left


async def test_a_cancelled_append_that_fails_is_cancelled_all_the_same(
    session: EverturnSession, wire: WatchedTransport
) -> None:
    sent, go_on = asyncio.Event(), asyncio.Event()

    async def hold(_asked: str) -> None:
        sent.set()
        await go_on.wait()

    wire.before = hold
    adding = asyncio.create_task(session.add_items([user("a")] * 1_001))
    await sent.wait()
    adding.cancel()
    await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await adding
