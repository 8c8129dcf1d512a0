"""What an item of the OpenAI Agents SDK is as a turn, and back."""

from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from agents.items import TResponseInputItem

from everturn.conversations.model.turn import is_empty_content
from everturn.integrations.openai_agents.turns import (
    is_item,
    item_of_turn,
    items_of,
    turn_of_item,
    turn_of_message,
)
from everturn.wire.conversations import Turn
from integrations.openai_agents.agents_items import ITEMS, TABLE, item


def turn(role: str, text: str = "", **fields: Any) -> Turn:  # noqa: ANN401  # fields of any kind
    return Turn(index=0, role=role, text=text, ts=None, **fields)


def kinds() -> set[str]:
    """Return every type that the SDK's items name."""
    hints = [get_type_hints(kind)["type"] for kind in get_args(TResponseInputItem)]
    plain = [hint if get_origin(hint) is Literal else get_args(hint)[0] for hint in hints]
    return {name for hint in plain for name in get_args(hint)}


@pytest.mark.parametrize(("one", "role", "_text"), TABLE)
def test_an_item_is_said_by_one_of_four(one: TResponseInputItem, role: str, _text: str) -> None:
    assert turn_of_item(one)["role"] == role


@pytest.mark.parametrize("one", ITEMS)
def test_an_item_is_the_content_of_its_turn(one: TResponseInputItem) -> None:
    fields = turn_of_item(one)
    assert fields["content"] is one or fields["content"] == {"openai_agents": one}
    assert (fields["content"] is one) == is_item(one)
    assert item_of_turn(turn(fields["role"], content=fields["content"])) == one


def test_every_kind_of_item_has_a_role_and_answers_are_said_by_tools() -> None:
    answers = {"mcp_approval_response", *(kind for kind in kinds() if kind.endswith("_output"))}
    assert len(kinds()) > 25
    for kind in kinds():
        role = turn_of_item(item(type=kind))["role"]
        assert role == ("tool" if kind in answers else "assistant")


def test_every_kind_of_item_comes_back_as_it_is() -> None:
    for kind in kinds() - {"message"}:
        one = item(type=kind, id="x")
        assert item_of_turn(turn("assistant", "text", content=one)) == one


# What ChatGPT's exports, LangChain, Claude's SDK, Chat Completions, Bedrock and others store.
FOREIGN: tuple[object, ...] = (
    {"id": "m", "author": {"role": "user"}, "content": {"parts": ["Hi"]}},
    {"type": "human", "data": {"content": "Hi"}},
    {"type": "user", "message": {"role": "user", "content": "Hi"}, "uuid": "u"},
    {"role": "user", "name": "dana", "content": "Hi"},
    {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
    {"role": "user", "content": [{"text": "Hi"}]},
    {"role": "user", "content": {"text": "Hi"}},
    {"role": ["user"], "content": "Hi"},
    {"role": "Anna", "content": "Hi"},
    {"type": "reasoner", "text": "Hi"},
    {"type": 7},
    {"type": "message", "content": "Hi"},
    {},
    "Hi",
    ["Hi"],
)


@pytest.mark.parametrize("content", FOREIGN)
def test_a_content_that_is_no_item_is_a_message_of_its_text(content: object) -> None:
    """Or a model would be sent what its API refuses."""
    found = item_of_turn(turn("user", "Hi", content=content))
    assert found == item(role="user", content="Hi")


@pytest.mark.parametrize("content", [one for one in FOREIGN if isinstance(one, dict)])
def test_what_a_session_is_given_comes_back_whatever_it_is(content: dict[str, Any]) -> None:
    """As with the SDK's own sessions; a later kind of item too."""
    fields = turn_of_item(item(**content))
    assert not is_empty_content(fields["content"])
    assert item_of_turn(turn(**{"text": "", **fields})) == content


def test_a_call_of_chat_completions_is_a_message_and_its_result_none() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "gate", "arguments": "{}"}}
    fields = turn_of_message({"role": "assistant", "content": None, "tool_calls": [call]})
    assert item_of_turn(turn(**fields)) == item(role="assistant", content="gate {}")
    answer = {"role": "tool", "tool_call_id": "c", "content": "B12"}
    assert item_of_turn(turn("tool", "B12", content=answer)) is None


def test_a_speakers_name_is_the_turns_unless_the_server_would_refuse_it() -> None:
    assert turn_of_message({"role": "user", "name": "dana", "content": "Hi"})["name"] == "dana"
    for name in ("", "a" * 257, 7):
        assert "name" not in turn_of_message({"role": "user", "name": name, "content": "Hi"})
    assert "name" not in turn_of_message({"type": "function_call", "name": "gate"})


def test_a_role_that_only_the_responses_api_knows_is_the_models() -> None:
    assert turn_of_item(item(role="critic", content="Hm"))["role"] == "assistant"


def test_of_a_long_call_the_text_holds_the_beginning() -> None:
    fields = turn_of_item(item(type="function_call", name="write", arguments="x" * 100_000))
    assert len(fields["text"]) == len("write ") + 1_000
    assert len(fields["content"]["arguments"]) == 100_000


def test_a_redacted_message_is_a_message_of_what_took_its_place() -> None:
    assert item_of_turn(turn("user", "[gone]", redacted=True)) == item(
        role="user", content="[gone]"
    )


@pytest.mark.parametrize("role", ["user", "assistant", "tool"])
def test_a_redaction_without_words_leaves_no_item(role: str) -> None:
    assert item_of_turn(turn(role, redacted=True)) is None


def test_a_redacted_result_of_a_tool_is_no_item_as_nobody_knows_its_call() -> None:
    assert item_of_turn(turn("tool", "[gone]", redacted=True)) is None


def test_a_turn_that_no_session_wrote_is_a_message_and_an_unknown_speaker_a_user() -> None:
    turns = [turn("assistant", "Hi"), turn("Anna", "Hello"), turn("user", content=["x"], text="x")]
    assert items_of(turns) == [
        item(role="assistant", content="Hi"),
        item(role="user", content="Hello"),
        item(role="user", content="x"),
    ]
