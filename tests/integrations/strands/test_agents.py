"""Agents of Strands that are closed and opened again."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from strands import Agent
from strands.agent.conversation_manager import (
    SlidingWindowConversationManager,
    SummarizingConversationManager,
)
from strands.types.exceptions import SessionException

from everturn.client import Everturn
from everturn.errors import ConversationGoneError, TooLargeError
from everturn.integrations.strands.sessions import EverturnSessionManager, conversation_of
from integrations.strands.strands_model import Overflow, ScriptedModel, called, texts
from integrations.strands.strands_sessions import look_up, opened, said


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Everturn]:
    with Everturn.local(tmp_path) as made:
        yield made


def test_an_agent_that_is_opened_again_has_all_its_messages(client: Everturn) -> None:
    first = opened(client, ScriptedModel("Hello Ann."))
    first("I am Ann.")
    model = ScriptedModel("You are Ann.")
    second = opened(client, model)

    assert second.messages == first.messages
    second("Who am I?")

    assert texts(model.seen[0]) == ["I am Ann.", "Hello Ann.", "Who am I?"]


def test_a_conversation_shows_what_was_talked_about(client: Everturn) -> None:
    opened(client, ScriptedModel("It left on Friday."), session_id="order 4711")("Where is it?")

    [shown] = client.all_conversations()

    assert (shown.conversation_id, shown.title) == ("order 4711", "Where is it?")
    assert (shown.preview, shown.turn_count) == ("It left on Friday.", 2)
    assert client.recall("left Friday", conversation_id="order 4711").hits[0].role == "assistant"


def test_a_round_of_a_tool_is_restored(client: Everturn) -> None:
    model = ScriptedModel(called("look_up", "t1", order="4711"), "It left on Friday.")
    first = opened(client, model, tools=[look_up])
    first("Where is 4711?")

    second = opened(client, ScriptedModel(), tools=[look_up])

    assert second.messages == first.messages
    assert [next(iter(one["content"][0])) for one in second.messages] == [
        "text", "toolUse", "toolResult", "text"
    ]  # fmt: skip


def test_the_state_of_an_agent_is_restored(client: Everturn) -> None:
    first = opened(client, ScriptedModel(), state={"city": "Rome"})
    first("hi")
    first.state.set("visits", 3)
    first("hi")

    assert opened(client, ScriptedModel()).state.get() == {"city": "Rome", "visits": 3}


def test_what_a_conversation_manager_removed_stays_removed(client: Everturn) -> None:
    """The conversation keeps it, the agent does not get it back."""
    window = SlidingWindowConversationManager(window_size=4)
    first = opened(client, ScriptedModel(), conversation_manager=window)
    for n in range(5):
        first(f"question {n}")

    again = SlidingWindowConversationManager(window_size=4)
    second = opened(client, ScriptedModel(), conversation_manager=again)

    assert second.messages == first.messages
    assert len(second.messages) == 4
    assert again.removed_message_count == 6
    assert client.get_turns("s").turn_count == 10


def test_a_summary_takes_the_place_of_what_it_sums_up(client: Everturn) -> None:
    summing = SummarizingConversationManager(summary_ratio=0.5, preserve_recent_messages=2)
    model = ScriptedModel("one", "two", Overflow(), "They counted.", "three")
    first = opened(client, model, conversation_manager=summing)
    for n in range(3):
        first(f"question {n}")

    again = SummarizingConversationManager(summary_ratio=0.5, preserve_recent_messages=2)
    second = opened(client, ScriptedModel(), conversation_manager=again)

    assert second.messages == first.messages
    assert "They counted." in said(second)[0][1]
    assert client.get_turns("s").turn_count == 6


def test_two_agents_of_one_session_keep_their_own_messages(client: Everturn) -> None:
    manager = EverturnSessionManager("s", client)
    planner, booker = (
        Agent(
            model=ScriptedModel(name), agent_id=name, session_manager=manager, callback_handler=None
        )
        for name in ("planner", "booker")
    )
    planner("plan")
    booker("book")

    assert said(opened(client, ScriptedModel(), agent_id="planner")) == [
        ("user", "plan"), ("assistant", "planner")
    ]  # fmt: skip
    assert {row.conversation_id for row in client.all_conversations()} == {
        conversation_of("s", "planner"), conversation_of("s", "booker")
    }  # fmt: skip


@pytest.mark.parametrize("session_id", ["a/b", "../x", "a b?c#d%2F", "日本", ".", "x" * 1_000])
def test_a_session_has_any_id(client: Everturn, session_id: str) -> None:
    opened(client, ScriptedModel(), session_id=session_id)("hi")

    second = opened(client, ScriptedModel(), session_id=session_id)

    assert said(second) == [("user", "hi"), ("assistant", "Yes.")]
    assert opened(client, ScriptedModel(), session_id="other").messages == []


def test_a_message_above_a_mebibyte_is_refused_clearly(client: Everturn) -> None:
    """An image counts as its base64; nothing of it is kept, and the agent can go on."""
    agent = opened(client, ScriptedModel())
    image: Any = {"image": {"format": "png", "source": {"bytes": b"\x89" * 800_000}}}

    with pytest.raises(SessionException, match="a turn is too large max_bytes=1048576") as refused:
        agent([image])

    assert isinstance(refused.value.__cause__, TooLargeError)
    assert client.get_turns("s").turn_count == 0
    agent.messages.clear()
    agent("hi")
    assert client.get_turns("s").turn_count == 2


def test_an_image_of_half_a_mebibyte_is_kept(client: Everturn) -> None:
    image: Any = {"image": {"format": "png", "source": {"bytes": bytes(range(256)) * 2_048}}}
    first = opened(client, ScriptedModel())
    first([image, {"text": "what is it?"}])

    assert opened(client, ScriptedModel()).messages == first.messages


def test_a_session_that_was_deleted_takes_no_more_messages(client: Everturn) -> None:
    agent = opened(client, ScriptedModel())
    agent("hi")
    EverturnSessionManager("s", client).delete_session("s")

    with pytest.raises(SessionException, match="deleted") as refused:
        agent("still there?")

    assert isinstance(refused.value.__cause__, ConversationGoneError)
    assert opened(client, ScriptedModel()).messages == []


def test_a_turn_of_a_front_end_is_part_of_the_session(client: Everturn) -> None:
    opened(client, ScriptedModel())("hi")
    client.append_user("s", "I am Ann.")

    assert said(opened(client, ScriptedModel()))[-1] == ("user", "I am Ann.")
