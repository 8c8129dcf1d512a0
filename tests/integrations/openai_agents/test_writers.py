"""Several who write one of our sessions at once: nothing is lost, doubled, or comes back."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from everturn.client import AsyncEverturn
from everturn.errors import UnavailableError
from everturn.integrations.openai_agents.session import EverturnSession
from integrations.openai_agents.agents_items import texts, user
from integrations.watched_transport import WatchedTransport, incomplete_once

pytestmark = pytest.mark.anyio

CREATE = "POST conversations"


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[AsyncEverturn]:
    """Return another writer's client."""
    async with AsyncEverturn.local(tmp_path) as made:
        yield made


@pytest.fixture
async def session(wire: WatchedTransport) -> AsyncIterator[EverturnSession]:
    async with wire.client() as made:
        yield EverturnSession("one", made)


@pytest.fixture
def other(client: AsyncEverturn) -> EverturnSession:
    """Return the same session in another process."""
    return EverturnSession("one", client)


async def test_nothing_of_two_writers_at_once_is_lost(
    session: EverturnSession, other: EverturnSession
) -> None:
    async def write(own: EverturnSession, name: str) -> None:
        for n in range(8):
            await own.add_items([user(f"{name}{n}{part}") for part in "xyz"])

    await asyncio.gather(write(session, "a"), write(other, "b"))

    said = texts(await session.get_items())
    assert len(said) == 48
    for name in "ab":
        assert [text for text in said if text[0] == name] == [
            f"{name}{n}{part}" for n in range(8) for part in "xyz"
        ]
    batches = ["".join(text[2] for text in said[at : at + 3]) for at in range(0, 48, 3)]
    assert batches == ["xyz"] * 16


async def test_no_two_callers_pop_the_same_item_while_others_add(
    session: EverturnSession, other: EverturnSession, client: AsyncEverturn
) -> None:
    await session.add_items([user(str(n)) for n in range(12)])
    third = EverturnSession("one", client)

    async def pop(own: EverturnSession) -> list[str]:
        popped = [await own.pop_item() for _ in range(6)]
        return texts(one for one in popped if one is not None)

    async def add() -> None:
        for n in range(12, 16):
            await third.add_items([user(str(n))])

    mine, theirs, _ = await asyncio.gather(pop(session), pop(other), add())
    popped = [*mine, *theirs]

    left = texts(await session.get_items())
    assert len(popped) == 12
    assert sorted([*popped, *left], key=int) == [str(n) for n in range(16)]


async def test_a_pop_that_others_forestall_takes_what_is_newest_then(
    session: EverturnSession, other: EverturnSession, wire: WatchedTransport
) -> None:
    await session.add_items([user("a")])
    more = iter("bc")

    async def forestall(asked: str) -> None:
        text = next(more, None) if asked == "DELETE last" else None
        if text:
            await other.add_items([user(text)])

    wire.before = forestall
    assert await session.pop_item() == user("c")
    assert texts(await session.get_items()) == ["a", "b"]


async def test_a_pop_that_others_always_forestall_gives_up_and_takes_nothing(
    session: EverturnSession, other: EverturnSession, wire: WatchedTransport
) -> None:
    await session.add_items([user("a")])

    async def forestall(asked: str) -> None:
        if asked == "DELETE last":
            await other.add_items([user("b")])

    wire.before = forestall
    with pytest.raises(UnavailableError, match="tries=32"):
        await session.pop_item()
    assert len(await session.get_items()) == 33


async def test_a_clear_is_two_requests_and_the_next_append_one(
    session: EverturnSession, wire: WatchedTransport
) -> None:
    await session.add_items([user("a")])
    wire.asked.clear()
    await session.clear_session()
    await session.add_items([user("b")])
    assert wire.asked == ["DELETE one", CREATE, "POST turns"]


async def test_a_clear_goes_on_until_all_is_gone(
    session: EverturnSession, wire: WatchedTransport
) -> None:
    await session.add_items([user("a")])
    wire.instead, wire.asked[:] = incomplete_once(), []
    await session.clear_session()
    assert wire.asked == ["DELETE one", "DELETE one", CREATE]
    assert await session.get_items() == []


async def test_what_another_adds_before_a_clear_is_done_stays(
    session: EverturnSession, other: EverturnSession, wire: WatchedTransport
) -> None:
    await session.add_items([user("a")])

    async def add(asked: str) -> None:
        if asked == CREATE:
            await other.add_items([user("b")])

    wire.before = add
    await session.clear_session()
    assert texts(await session.get_items()) == ["b"]


async def test_a_session_whose_conversation_was_deleted_can_be_used_again(
    session: EverturnSession, client: AsyncEverturn, wire: WatchedTransport
) -> None:
    await session.add_items([user("a")])
    await client.delete_conversation("one")
    wire.asked.clear()
    await session.add_items([user("b")])
    assert wire.asked == ["POST turns", CREATE, "POST turns"]
    assert texts(await session.get_items()) == ["b"]


async def test_two_who_find_it_deleted_at_once_both_add(
    session: EverturnSession, other: EverturnSession, client: AsyncEverturn
) -> None:
    for n in range(5):
        await session.add_items([user("old")])
        await client.delete_conversation("one")
        await asyncio.gather(session.add_items([user("a")]), other.add_items([user("b")]))
        assert sorted(texts(await session.get_items())) == ["a", "b"], n


async def test_writers_and_clears_at_once_leave_whole_batches_and_nothing_old(
    session: EverturnSession, other: EverturnSession
) -> None:
    async def write(own: EverturnSession) -> None:
        for n in range(10):
            await own.add_items([user(str(n)), user(str(n))])

    async def clear() -> None:
        for _ in range(5):
            await other.clear_session()

    await asyncio.gather(write(session), clear())

    left = texts(await session.get_items())
    assert left == [str(n) for n in range(10 - len(left) // 2, 10) for _ in "ab"]
    await other.clear_session()
    assert await session.get_items() == []
