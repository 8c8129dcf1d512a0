"""What an item of the OpenAI Agents SDK is as a turn, and back.

Not here: storing turns (test_openai_agents.py).
"""

from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from agents.items import TResponseInputItem

from everturn.client.results import Turn
from everturn.integrations.openai_agents_turns import item_of_turn, items_of, turn_of_item
from integrations.agents_items import ITEMS, TABLE, item

SAID_BY = {"user", "assistant", "system", "tool"}


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
    assert fields["content"] is one
    assert item_of_turn(turn(fields["role"], content=fields["content"])) == one


def test_every_kind_of_item_has_a_role_and_answers_are_said_by_tools() -> None:
    answers = {"mcp_approval_response", *(kind for kind in kinds() if kind.endswith("_output"))}
    assert len(kinds()) > 25
    for kind in kinds():
        role = turn_of_item(item(type=kind))["role"]
        assert role == ("tool" if kind in answers else "assistant")


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
