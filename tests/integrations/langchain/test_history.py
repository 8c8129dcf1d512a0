"""What our histories promise beyond LangChain's own: requests, writers at once, windows."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from everturn.client import AsyncEverturn, Everturn
from everturn.errors import (
    EverturnError,
    InvalidRequestError,
    TooLargeError,
)
from everturn.integrations.langchain.history import EverturnChatMessageHistory
from integrations.langchain.langchain_histories import awaited
from integrations.langchain.langchain_messages import MESSAGES, TABLE, said, texts
from integrations.watched_transport import WatchedTransport, incomplete_once

CREATE = "POST conversations"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Everturn]:
    """Return another writer's client."""
    with Everturn.local(tmp_path) as made:
        yield made


@pytest.fixture
def history(wire: WatchedTransport) -> Iterator[EverturnChatMessageHistory]:
    with wire.blocking_client() as made:
        yield EverturnChatMessageHistory("one", made)


def test_the_text_of_a_turn_is_what_a_reader_sees(
    history: EverturnChatMessageHistory, client: Everturn
) -> None:
    history.add_messages(MESSAGES)
    turns = client.get_turns("one", last=1_000).turns
    assert [(turn.role, turn.text) for turn in turns] == [row[1:] for row in TABLE]
    assert turns[0].name == "Anna"


def test_a_batch_is_one_request_and_so_is_reading_a_thousand(
    history: EverturnChatMessageHistory, wire: WatchedTransport
) -> None:
    history.add_messages([])
    history.add_messages(said(" ".join(map(str, range(1_000)))))
    assert wire.asked == ["POST turns"]
    history.add_messages(said("1000"))
    wire.asked.clear()
    assert texts(history.messages) == [str(n) for n in range(1_001)]
    assert wire.asked == ["GET turns"] * 2


def test_natively_awaited_it_is_as_many_requests(tmp_path: Path) -> None:
    async def rule(history: EverturnChatMessageHistory) -> None:
        await history.aadd_messages([])
        await history.aadd_messages(said("a b"))
        assert texts(await history.aget_messages()) == ["a", "b"]
        await history.aclear()
        assert await history.aget_messages() == []

    asked = awaited(tmp_path, rule)
    assert asked == ["POST turns", "GET turns", "DELETE one", CREATE, "GET turns"]


def test_a_batch_of_more_than_a_thousand_is_refused_whole(
    history: EverturnChatMessageHistory,
) -> None:
    with pytest.raises(InvalidRequestError):
        history.add_messages(said("a " * 1_001))
    assert history.messages == []


def test_a_message_above_a_mebibyte_takes_its_batch_with_it(
    history: EverturnChatMessageHistory,
) -> None:
    with pytest.raises(TooLargeError):
        history.add_messages(said("a " + "x" * 1_048_576))
    assert history.messages == []


def test_nothing_of_writers_at_once_is_lost(tmp_path: Path) -> None:
    def write(name: str) -> None:
        with Everturn.local(tmp_path) as own:
            history = EverturnChatMessageHistory("one", own)
            for n in range(8):
                history.add_messages(said(f"{name}{n}x {name}{n}y"))

    with ThreadPoolExecutor() as threads:
        list(threads.map(write, "abc"))

    with Everturn.local(tmp_path) as own:
        found = texts(EverturnChatMessageHistory("one", own).messages)
    assert len(found) == 48
    for name in "abc":
        expected = [f"{name}{n}{part}" for n in range(8) for part in "xy"]
        assert [text for text in found if text[0] == name] == expected
    assert [text[2] for text in found] == list("xy") * 24


def test_a_clear_is_two_requests_and_the_next_append_one(
    history: EverturnChatMessageHistory, wire: WatchedTransport
) -> None:
    history.add_messages(said("a"))
    wire.asked.clear()
    history.clear()
    history.add_messages(said("b"))
    assert wire.asked == ["DELETE one", CREATE, "POST turns"]


def test_a_clear_goes_on_until_all_is_gone(
    history: EverturnChatMessageHistory, wire: WatchedTransport
) -> None:
    history.add_messages(said("a"))
    wire.instead, wire.asked[:] = incomplete_once(), []
    history.clear()
    assert wire.asked == ["DELETE one", "DELETE one", CREATE]
    assert history.messages == []


@pytest.mark.parametrize("failing", ["GET turns", "POST turns", "DELETE one"])
def test_with_best_effort_a_chain_goes_on_and_nothing_passes_for_deleted(
    history: EverturnChatMessageHistory, wire: WatchedTransport, failing: str
) -> None:
    history.add_messages(said("a"))

    def fail(asked: str) -> None:
        if asked == failing:
            raise httpx.UnsupportedProtocol("down")

    wire.before = fail
    with wire.blocking_client(best_effort=True) as client:
        without = EverturnChatMessageHistory("one", client)
        without.add_messages(said("b"))
        assert texts(without.messages) == {"GET turns": [], "POST turns": ["a"]}.get(
            failing, ["a", "b"]
        )
        if failing == "DELETE one":
            with pytest.raises(EverturnError):
                without.clear()


def test_what_another_adds_before_a_clear_is_done_stays(
    history: EverturnChatMessageHistory, client: Everturn, wire: WatchedTransport
) -> None:
    history.add_messages(said("a"))

    def add(asked: str) -> None:
        if asked == CREATE:
            EverturnChatMessageHistory("one", client).add_messages(said("b"))

    wire.before = add
    history.clear()
    assert texts(history.messages) == ["b"]


def test_a_history_whose_conversation_was_deleted_can_be_used_again(
    history: EverturnChatMessageHistory, client: Everturn, wire: WatchedTransport
) -> None:
    history.add_messages(said("a"))
    client.delete_conversation("one")
    wire.asked.clear()
    history.add_messages(said("b"))
    assert wire.asked == ["POST turns", CREATE, "POST turns"]
    assert texts(history.messages) == ["b"]


@pytest.mark.parametrize("call", ["messages", "add_messages", "clear"])
def test_a_client_of_tasks_has_no_blocking_methods(tmp_path: Path, call: str) -> None:
    async def rule(history: EverturnChatMessageHistory) -> None:
        calls: dict[str, Callable[[], object]] = {
            "messages": lambda: history.messages,
            "add_messages": lambda: history.add_messages(said("a")),
            "clear": history.clear,
        }
        with pytest.raises(InvalidRequestError, match="give an Everturn"):
            calls[call]()

    assert awaited(tmp_path, rule) == []


def test_a_redacted_message_is_not_given_back(
    history: EverturnChatMessageHistory, client: Everturn
) -> None:
    history.add_messages(said("a secret c"))
    client.redact_turn("one", 1, text="[gone]")
    assert texts(history.messages) == ["a", "[gone]", "c"]


def test_the_client_is_its_callers_to_close(tmp_path: Path) -> None:
    client = AsyncEverturn.local(tmp_path)

    async def main() -> None:
        async with client:
            await EverturnChatMessageHistory("one", client).aadd_messages(said("a"))
            await EverturnChatMessageHistory("two", client).aadd_messages(said("b"))

    asyncio.run(main())
