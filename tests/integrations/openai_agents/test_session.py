"""What our sessions promise beyond those of the SDK: requests, limits, refusals."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from everturn.client import AsyncEverturn
from everturn.errors import (
    EverturnError,
    InvalidRequestError,
    OutcomeUnknownError,
    TooLargeError,
)
from everturn.integrations.openai_agents.session import EverturnSession
from integrations.openai_agents.agents_items import ITEMS, TABLE, item, texts, user
from integrations.watched_transport import WatchedTransport

pytestmark = pytest.mark.anyio


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[AsyncEverturn]:
    """Return the client of an operator."""
    async with AsyncEverturn.local(tmp_path) as made:
        yield made


@pytest.fixture
async def session(wire: WatchedTransport) -> AsyncIterator[EverturnSession]:
    async with wire.client() as made:
        yield EverturnSession("one", made)


async def test_the_text_of_a_turn_is_what_a_reader_sees(
    session: EverturnSession, client: AsyncEverturn
) -> None:
    await session.add_items(ITEMS)
    page = await client.get_turns("one", last=1_000)
    assert [(turn.role, turn.text) for turn in page.turns] == [row[1:] for row in TABLE]


async def test_a_batch_is_one_request_and_so_is_reading_a_thousand(
    session: EverturnSession, wire: WatchedTransport
) -> None:
    await session.add_items([])
    await session.add_items([user(str(n)) for n in range(1_000)])
    assert wire.asked == ["POST turns"]
    for n in range(1_000, 2_400, 200):
        await session.add_items([user(str(n)) for n in range(n, n + 200)])
    wire.asked.clear()

    assert texts(await session.get_items()) == [str(n) for n in range(2_400)]
    assert wire.asked == ["GET turns"] * 3
    assert texts(await session.get_items(16)) == [str(n) for n in range(2_384, 2_400)]
    assert texts(await session.get_items(1_000)) == [str(n) for n in range(1_400, 2_400)]
    assert wire.asked == ["GET turns"] * 5
    assert texts(await session.get_items(2_001)) == [str(n) for n in range(399, 2_400)]
    assert wire.asked == ["GET turns"] * 8


async def test_a_batch_of_more_than_a_thousand_is_refused_whole(session: EverturnSession) -> None:
    with pytest.raises(InvalidRequestError):
        await session.add_items([user("a")] * 1_001)
    assert await session.get_items() == []


async def test_an_item_above_a_mebibyte_takes_its_batch_with_it(session: EverturnSession) -> None:
    with pytest.raises(TooLargeError):
        await session.add_items([user("a"), item(role="user", content="x" * 1_048_576)])
    assert await session.get_items() == []


async def test_a_limit_goes_on_where_an_answer_is_full(
    session: EverturnSession, wire: WatchedTransport
) -> None:
    """An answer stops at 3 MiB, and these are 4."""
    picture = "data:image/png;base64," + "A" * 800_000
    for n in range(5):
        parts = [{"type": "input_image", "image_url": picture + str(n)}]
        await session.add_items([item(role="user", content=parts)])
    wire.asked.clear()

    newest = await session.get_items(4)
    assert newest == (await session.get_items())[1:]
    assert len(newest) == 4
    assert wire.asked[:2] == ["GET turns"] * 2


async def test_a_limit_counts_items_and_not_what_a_redaction_emptied(
    session: EverturnSession, client: AsyncEverturn
) -> None:
    await session.add_items([user(text) for text in "abcdef"])
    for number in (2, 4, 5):
        await client.redact_turn("one", number)

    assert texts(await session.get_items(2)) == ["b", "d"]
    assert texts(await session.get_items(99)) == ["a", "b", "d"]


async def test_a_pop_takes_what_a_redaction_emptied_with_it(
    session: EverturnSession, client: AsyncEverturn
) -> None:
    await session.add_items([user(str(n)) for n in range(40)])
    for number in range(4, 40):
        await client.redact_turn("one", number)

    assert await session.pop_item() == user("3")
    assert (await client.get_turns("one")).turn_count == 3


async def test_a_pop_without_a_clear_answer_is_not_tried_again(
    session: EverturnSession, wire: WatchedTransport
) -> None:
    await session.add_items([user("a"), user("b")])

    async def break_off(asked: str) -> None:
        if asked == "DELETE last":
            raise httpx.ReadTimeout(asked)

    wire.after = break_off
    with pytest.raises(OutcomeUnknownError):
        await session.pop_item()
    assert texts(await session.get_items()) == ["a"]


async def test_an_append_without_a_clear_answer_happens_once(
    session: EverturnSession, wire: WatchedTransport
) -> None:
    failures = iter([httpx.ReadTimeout("turns")])

    async def break_off(_asked: str) -> None:
        for failure in failures:
            raise failure

    wire.after = break_off
    await session.add_items([user("a")])
    assert texts(await session.get_items()) == ["a"]


async def test_with_best_effort_an_agent_goes_on_without_a_memory_that_loses_nothing(
    session: EverturnSession, wire: WatchedTransport
) -> None:
    """What is to go must not pass for gone."""
    await session.add_items([user("a")])

    async def fail(_asked: str) -> None:
        raise httpx.UnsupportedProtocol("down")

    wire.before = fail
    async with wire.client(best_effort=True) as client:
        without = EverturnSession("one", client)
        await without.add_items([user("b")])
        assert await without.get_items() == await without.get_items(3) == []
        for call in (without.pop_item, without.clear_session):
            with pytest.raises(EverturnError):
                await call()
    wire.before = None
    assert texts(await session.get_items()) == ["a"]


async def test_with_best_effort_a_pop_that_fails_is_told_and_not_tried_again(
    session: EverturnSession, wire: WatchedTransport
) -> None:
    await session.add_items([user("a"), user("b")])

    async def fail(asked: str) -> None:
        if asked == "DELETE last":
            raise httpx.UnsupportedProtocol("down")

    wire.before = fail
    wire.asked.clear()
    async with wire.client(best_effort=True) as client:
        with pytest.raises(EverturnError):
            await EverturnSession("one", client).pop_item()
    assert wire.asked == ["GET turns", "DELETE last"]


@pytest.mark.parametrize("limit", [None, 1_500])
async def test_with_best_effort_a_part_of_a_session_is_not_taken_for_all(
    session: EverturnSession, wire: WatchedTransport, limit: int | None
) -> None:
    for _ in range(2):
        await session.add_items([user("a")] * 700)
    asked_before = iter([True])

    async def fail(_asked: str) -> None:
        if not next(asked_before, False):
            raise httpx.UnsupportedProtocol("down")

    wire.before = fail
    async with wire.client(best_effort=True) as client:
        with pytest.raises(EverturnError):
            await EverturnSession("one", client).get_items(limit)


async def test_a_conversation_of_others_is_read_as_what_was_said(
    session: EverturnSession, client: AsyncEverturn
) -> None:
    chatgpt = {"id": "m", "author": {"role": "user"}, "content": {"parts": ["Hi"]}}
    langchain = {"type": "ai", "data": {"content": "Hello"}}
    turns = [
        {"role": "user", "text": "Hi", "content": chatgpt},
        {"role": "assistant", "text": "Hello", "content": langchain},
        {"role": "tool", "text": "42", "content": {"type": "tool", "data": {"content": "42"}}},
    ]
    await client.append("one", turns)
    await session.add_items([user("Bye")])
    assert await session.get_items() == [
        user("Hi"), item(role="assistant", content="Hello"), user("Bye"),
    ]  # fmt: skip
