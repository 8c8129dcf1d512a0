"""What a history of LangChain does: its own, and ours, on the same calls."""

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

import pytest
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import AIMessage, HumanMessage

from integrations.langchain.langchain_histories import KINDS, HistoryOf, histories
from integrations.langchain.langchain_messages import MESSAGES, texts

# LangChain recommends LangGraph in place of all histories, its own first.
pytestmark = pytest.mark.filterwarnings(
    "ignore:The class `InMemoryChatMessageHistory` was deprecated"
)


@pytest.fixture(params=KINDS)
def history_of(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[HistoryOf]:
    with histories(request.param, tmp_path) as made:
        yield made


def test_it_is_a_history(history_of: HistoryOf) -> None:
    assert isinstance(history_of("one").history, BaseChatMessageHistory)


def test_an_unknown_history_is_empty(history_of: HistoryOf) -> None:
    assert history_of("one").read() == []
    history_of("one").clear()


def test_messages_come_back_in_order_and_equal(history_of: HistoryOf) -> None:
    history, given = history_of("one"), deepcopy(MESSAGES)
    history.add(given[:1])
    history.add(tuple(given[1:]))
    assert given == MESSAGES
    assert history.read() == MESSAGES


def test_to_add_nothing_changes_nothing(history_of: HistoryOf) -> None:
    history = history_of("one")
    history.add([])
    history.add([HumanMessage("a")])
    history.add([])
    assert texts(history.read()) == ["a"]


def test_a_cleared_history_is_empty_and_can_be_used_again(history_of: HistoryOf) -> None:
    history = history_of("one")
    for text in "abc":
        history.add([HumanMessage(text), AIMessage(f"more of {text}")])
        history.clear()
        assert history.read() == []
        history.clear()
    history.add([HumanMessage("d")])
    assert texts(history.read()) == ["d"]


def test_histories_of_one_id_are_one_and_of_two_are_two(history_of: HistoryOf) -> None:
    history_of("one").add([HumanMessage("a")])
    history_of("two").add([HumanMessage("b")])
    history_of("one").add([HumanMessage("c")])
    assert texts(history_of("one").read()) == ["a", "c"]
    history_of("one").clear()
    assert texts(history_of("two").read()) == ["b"]


@pytest.mark.parametrize("session_id", ["../up", "a/b c?d#e%2F", "Übung", "user:7|chat"])
def test_an_id_is_any_text(history_of: HistoryOf, session_id: str) -> None:
    history = history_of(session_id)
    history.add([HumanMessage("a")])
    assert texts(history.read()) == ["a"]
    history.clear()


def test_what_a_reader_does_to_the_list_and_adds_is_his_own_copy(history_of: HistoryOf) -> None:
    """A chain copies the list and adds to it; LangChain's own must be copied, ours may."""
    history = history_of("one")
    history.add([HumanMessage("a")])
    history.read().copy().append(HumanMessage("b"))
    assert texts(history.read()) == ["a"]


@pytest.mark.parametrize("kind", ["langchain", "everturn"])
def test_the_conveniences_of_the_interface_work(kind: str, tmp_path: Path) -> None:
    with histories(kind, tmp_path) as history_of:
        history = history_of("one").history
        history.add_user_message("Hi")
        history.add_ai_message("Hello")
        history.add_message(HumanMessage("Bye"))
        history.add_user_message(HumanMessage([{"type": "text", "text": "!"}]))
        assert texts(history.messages) == ["Hi", "Hello", "Bye", [{"type": "text", "text": "!"}]]
        assert str(history) == "Human: Hi\nAI: Hello\nHuman: Bye\nHuman: !"
