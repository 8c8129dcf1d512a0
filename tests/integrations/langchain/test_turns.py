"""What a message of LangChain is as a turn, and back."""

import json
from collections.abc import Iterable
from inspect import getmembers, isclass
from typing import Any

import pytest
from langchain_core import messages as langchain_messages
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    ChatMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    message_to_dict,
)

from everturn.integrations.langchain.history import messages_of, turn_of_message
from everturn.wire.conversations import Turn
from integrations.langchain.langchain_messages import CALL, MESSAGES, RESULT, TABLE


def kept(messages: Iterable[BaseMessage]) -> list[Turn]:
    """Return turns as the server would keep them."""
    sent = [turn_of_message(message) for message in messages]
    stored = json.loads(json.dumps(sent))
    return [Turn(index=at, ts=None, **turn) for at, turn in enumerate(stored)]


def redacted(turn: Turn, text: str = "") -> Turn:
    return Turn(index=turn.index, role=turn.role, text=text, ts=None, redacted=True)


@pytest.mark.parametrize(("message", "role", "text"), TABLE)
def test_a_message_has_a_role_and_the_text_that_a_reader_sees(
    message: BaseMessage, role: str, text: str
) -> None:
    turn = turn_of_message(message)
    assert (turn["role"], turn["text"]) == (role, text)


def test_messages_come_back_equal_and_of_their_class() -> None:
    found = messages_of(kept(MESSAGES))
    assert found == MESSAGES
    assert list(map(type, found)) == list(map(type, MESSAGES))
    assert [message_to_dict(message) for message in found] == [
        message_to_dict(message) for message in MESSAGES
    ]


def test_every_class_of_messages_is_tried_here() -> None:
    classes = [kind for _, kind in getmembers(langchain_messages, isclass)]
    concrete = {
        kind for kind in classes if issubclass(kind, BaseMessage) and "type" in kind.__annotations__
    }
    assert concrete - {BaseMessage} == set(map(type, MESSAGES))


def test_a_speakers_name_is_the_turns_unless_the_server_would_refuse_it() -> None:
    assert turn_of_message(HumanMessage("Hi", name="Anna"))["name"] == "Anna"
    long = turn_of_message(HumanMessage("Hi", name="a" * 257))
    assert "name" not in long
    assert long["content"]["data"]["name"] == "a" * 257


def test_a_role_is_cut_where_the_server_would_refuse_it() -> None:
    assert turn_of_message(ChatMessage(content="Hi", role="a" * 65))["role"] == "a" * 64


def test_of_a_long_call_the_text_holds_the_beginning() -> None:
    call = AIMessage("", tool_calls=[{"name": "f", "args": {"x": "y" * 9_999}, "id": "1"}])
    assert len(turn_of_message(call)["text"]) == len("f ") + 1_000


def test_several_calls_are_several_lines() -> None:
    calls: Any = [{"name": name, "args": {}, "id": name} for name in "ab"]
    assert turn_of_message(AIMessage("", tool_calls=calls))["text"] == "a {}\nb {}"


def test_a_redacted_message_is_a_message_of_what_took_its_place() -> None:
    first, second = kept([HumanMessage("a"), AIMessage("b")])
    assert messages_of([redacted(first, "[gone]"), second]) == [
        HumanMessage("[gone]"),
        AIMessage("b"),
    ]


def test_a_redaction_without_words_leaves_no_message() -> None:
    first, second = kept([HumanMessage("a"), AIMessage("b")])
    assert messages_of([redacted(first), second]) == [AIMessage("b")]


def test_a_redacted_result_keeps_answering_its_call() -> None:
    """Models refuse a call that no result answers."""
    call, result, after = kept([CALL, RESULT, AIMessage("ok")])
    expected = [CALL, ToolMessage("", tool_call_id="call_1"), AIMessage("ok")]
    assert messages_of([call, redacted(result), after]) == expected


@pytest.mark.parametrize("gone", [1, 2])
def test_of_two_results_the_redacted_one_answers_the_call_that_the_other_does_not(
    gone: int,
) -> None:
    calls: Any = [{"name": "f", "args": {}, "id": id_} for id_ in ("one", "two")]
    results = [ToolMessage("r", tool_call_id=id_) for id_ in ("two", "one")]
    turns = kept([AIMessage("", tool_calls=calls), *results])
    turns[gone] = redacted(turns[gone], "[gone]")

    found = messages_of(turns)[gone]

    assert found == ToolMessage("[gone]", tool_call_id=results[gone - 1].tool_call_id)


@pytest.mark.parametrize("text", ["", "[gone]"])
def test_the_results_of_a_redacted_call_go_with_it(text: str) -> None:
    """Models refuse a result without its call."""
    call, result, question, after = kept([CALL, RESULT, HumanMessage("and?"), RESULT])
    found = messages_of([redacted(call, text), result, question, after])
    assert found == [*([AIMessage(text)] if text else []), HumanMessage("and?"), RESULT]


def test_a_redacted_result_that_no_call_waits_for_leaves_no_message() -> None:
    first, second = kept([RESULT, HumanMessage("a")])
    assert messages_of([redacted(first, "[gone]"), second]) == [HumanMessage("a")]


def test_a_turn_that_no_history_wrote_is_a_message_of_its_text() -> None:
    said = [
        ("user", "Hi", None), ("assistant", "Hello", ["Hello"]), ("system", "Be kind", {"a": 1}),
        ("Anna", "Hey", None), ("tool", "42", None),
    ]  # fmt: skip
    turns = [Turn(index=0, role=who, text=text, ts=None, content=kept) for who, text, kept in said]
    assert messages_of(turns) == [
        HumanMessage("Hi"),
        AIMessage("Hello"),
        SystemMessage("Be kind"),
        ChatMessage(content="Hey", role="Anna"),
    ]


@pytest.mark.parametrize(
    "content",
    [
        {"type": "web_page", "data": {"url": "x"}},
        {"type": "human", "data": {}},
        {"type": "human", "data": "Hi"},
        {"type": "chat", "data": {"content": "Hi"}},
        {"type": ["human"], "data": {"content": "Hi"}},
        {"data": {"content": "Hi"}},
        {"role": "user", "content": "Hi"},
    ],
)
def test_a_content_that_is_no_message_is_shown_by_its_text(content: object) -> None:
    """One such turn would else make its history unreadable."""
    foreign = Turn(index=0, role="user", text="Hi", ts=None, content=content)
    assert messages_of([foreign, *kept([AIMessage("Hello")])]) == [
        HumanMessage("Hi"),
        AIMessage("Hello"),
    ]
