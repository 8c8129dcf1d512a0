"""What a session of the OpenAI Agents SDK does: its own, and ours, on the same calls."""

from collections.abc import AsyncIterator
from copy import deepcopy
from pathlib import Path

import pytest
from agents.memory import Session, SessionSettings

from integrations.openai_agents.agents_items import ITEMS, item, texts, user
from integrations.openai_agents.agents_sessions import KINDS, SessionOf

pytestmark = pytest.mark.anyio


@pytest.fixture(params=KINDS)
async def session_of(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[SessionOf]:
    async with KINDS[request.param](tmp_path) as made:
        yield made


async def test_it_is_a_session_of_its_id(session_of: SessionOf) -> None:
    session = session_of("one")
    assert isinstance(session, Session)
    assert (session.session_id, session.session_settings) == ("one", SessionSettings())


async def test_an_unknown_session_is_empty(session_of: SessionOf) -> None:
    session = session_of("one")
    assert await session.get_items() == []
    assert await session.get_items(3) == []
    assert await session.pop_item() is None
    await session.clear_session()


async def test_items_come_back_in_order_and_deep_equal(session_of: SessionOf) -> None:
    session, given = session_of("one"), deepcopy(ITEMS)
    await session.add_items(given[:1])
    await session.add_items(given[1:])
    assert given == ITEMS
    assert await session.get_items() == ITEMS


async def test_to_add_nothing_changes_nothing(session_of: SessionOf) -> None:
    session = session_of("one")
    await session.add_items([])
    await session.add_items([user("a")])
    await session.add_items([])
    assert texts(await session.get_items()) == ["a"]


@pytest.mark.parametrize(
    ("limit", "expected"),
    [(None, "abc"), (0, ""), (1, "c"), (2, "bc"), (3, "abc"), (99, "abc"), (-1, "abc")],
)
async def test_a_limit_takes_the_newest_in_order(
    session_of: SessionOf, limit: int | None, expected: str
) -> None:
    session = session_of("one")
    await session.add_items([user(text) for text in "abc"])
    assert texts(await session.get_items(limit)) == list(expected)
    assert texts(await session.get_items(limit=limit)) == list(expected)


@pytest.mark.parametrize("settings", [SessionSettings(limit=2), {"limit": 2}])
async def test_the_settings_limit_holds_until_another_is_given(
    session_of: SessionOf, settings: SessionSettings | dict[str, int]
) -> None:
    session = session_of("one", session_settings=settings)
    await session.add_items([user(text) for text in "abc"])
    assert texts(await session.get_items()) == ["b", "c"]
    assert texts(await session.get_items(1)) == ["c"]
    assert texts(await session.get_items(3)) == ["a", "b", "c"]


async def test_unknown_settings_are_refused(session_of: SessionOf) -> None:
    with pytest.raises(TypeError, match="unknown"):
        session_of("one", session_settings={"unknown": 1})


async def test_pops_take_the_newest_one_by_one(session_of: SessionOf) -> None:
    session = session_of("one")
    await session.add_items(ITEMS)
    assert [await session.pop_item() for _ in ITEMS] == ITEMS[::-1]
    assert await session.pop_item() is None
    assert await session.get_items() == []


async def test_what_is_added_after_a_pop_takes_its_place(session_of: SessionOf) -> None:
    session = session_of("one")
    await session.add_items([user("a"), user("b")])
    assert await session.pop_item() == user("b")
    await session.add_items([user("c")])
    assert texts(await session.get_items()) == ["a", "c"]


async def test_a_cleared_session_is_empty_and_can_be_used_again(session_of: SessionOf) -> None:
    session = session_of("one")
    for text in "abc":
        await session.add_items([user(text), user(f"more of {text}")])
        await session.clear_session()
        assert await session.get_items() == []
        assert await session.pop_item() is None
        await session.clear_session()
    await session.add_items([user("d")])
    assert texts(await session.get_items()) == ["d"]


async def test_sessions_of_one_id_are_one_and_of_two_are_two(session_of: SessionOf) -> None:
    await session_of("one").add_items([user("a")])
    await session_of("two").add_items([user("b")])
    await session_of("one").add_items([user("c")])
    assert texts(await session_of("one").get_items()) == ["a", "c"]
    await session_of("one").clear_session()
    assert texts(await session_of("two").get_items()) == ["b"]


@pytest.mark.parametrize("session_id", ["../up", "a/b c?d#e%2F", "Übung", "user:7|chat"])
async def test_an_id_is_any_text(session_of: SessionOf, session_id: str) -> None:
    session = session_of(session_id)
    await session.add_items([user("a")])
    assert texts(await session.get_items()) == ["a"]
    assert await session.pop_item() == user("a")
    await session.clear_session()


async def test_text_of_any_script_comes_back(session_of: SessionOf) -> None:
    said = 'naïve \U0001f468\u200d\U0001f469 <b>&\u2028 "quoted" \'); DROP TABLE x; --\n\0'
    session = session_of("one")
    await session.add_items([user(said), item(role="user", content="")])
    assert texts(await session.get_items()) == [said, ""]
