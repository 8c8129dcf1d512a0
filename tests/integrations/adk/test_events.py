"""Events of Google ADK as turns: equal when they come back, with a role and a text to find."""

import json
from typing import Any

import pytest
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st

from everturn.errors import CorruptRecordError
from everturn.integrations.adk.events import event_key, event_of_turn, said_in, turn_of_event
from everturn.wire.conversations import Turn
from integrations.adk.adk_services import changing, said

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)
OBJECTS = st.dictionaries(st.text(max_size=4), JSON, max_size=3)
PARTS = st.one_of(
    st.builds(types.Part, text=st.text(max_size=9), thought=st.sampled_from([None, True, False])),
    st.builds(
        types.Part,
        text=st.text(max_size=3),
        thought=st.just(value=True),
        thought_signature=st.binary(max_size=9),
    ),
    st.builds(
        types.Part,
        inline_data=st.builds(types.Blob, data=st.binary(max_size=9), mime_type=st.just("a/b")),
    ),
    st.builds(
        types.Part,
        function_call=st.builds(types.FunctionCall, id=st.text(), name=st.text(), args=OBJECTS),
    ),
    st.builds(
        types.Part,
        function_response=st.builds(
            types.FunctionResponse, id=st.text(), name=st.text(), response=OBJECTS
        ),
    ),
)
EVENTS = st.builds(
    Event,
    author=st.sampled_from(["", "user", "guide", "a b/c"]),
    invocation_id=st.text(max_size=4),
    content=st.none()
    | st.builds(types.Content, role=st.sampled_from(["user", "model"]), parts=st.lists(PARTS)),
    actions=st.builds(
        EventActions,
        state_delta=OBJECTS,
        artifact_delta=st.dictionaries(st.text(max_size=3), st.integers(0, 3), max_size=2),
        escalate=st.none() | st.booleans(),
        transfer_to_agent=st.none() | st.text(max_size=3),
    ),
    long_running_tool_ids=st.none() | st.sets(st.text(max_size=3), max_size=3),
    branch=st.none() | st.text(max_size=3),
    custom_metadata=st.none() | OBJECTS,
    turn_complete=st.none() | st.booleans(),
    error_code=st.none() | st.text(max_size=3),
    timestamp=st.floats(0, 4e9),
)


def stored(sent: dict[str, Any]) -> Turn:
    """The turn as the server gives it back."""
    return Turn.model_validate({"index": 3, **json.loads(json.dumps(sent))})


@given(event=EVENTS)
def test_an_event_comes_back_equal(event: Event) -> None:
    assert event_of_turn(stored(turn_of_event(event))) == event


@given(event=EVENTS)
def test_equal_events_have_one_key_and_others_another(event: Event) -> None:
    key = event_key(turn_of_event(event))
    assert key == event_key(turn_of_event(event.model_copy(deep=True)))
    assert key != event_key(turn_of_event(event.model_copy(update={"id": event.id + "x"})))
    assert len(key) == 64


def test_temporary_state_is_not_kept_and_the_event_is_left_as_it_is() -> None:
    event = changing(a=1, temp__b=2, app__c=None)
    kept = turn_of_event(event)["content"]["actions"]["state_delta"]
    assert kept == {"a": 1, "app:c": None}
    assert event.actions.state_delta == {"a": 1, "temp:b": 2, "app:c": None}


def part_of_tool() -> types.Part:
    return types.Part(function_response=types.FunctionResponse(name="f", response={"x": 1}))


@pytest.mark.parametrize(
    ("event", "role", "name", "text"),
    [
        (said("Hi."), "user", None, "Hi."),
        (said("Yes?", "guide"), "assistant", "guide", "Yes?"),
        (Event(author="guide"), "assistant", "guide", ""),
        (
            Event(author="guide", content=types.Content(parts=[part_of_tool()])),
            "tool",
            "guide",
            "",
        ),
        (
            Event(
                author="guide",
                content=types.Content(
                    parts=[
                        types.Part(text="Hm.", thought=True),
                        types.Part(text="One."),
                        types.Part(text="Two."),
                    ]
                ),
            ),
            "assistant",
            "guide",
            "One.\nTwo.",
        ),
    ],
)
def test_a_turn_says_who_said_what(event: Event, role: str, name: str | None, text: str) -> None:
    turn = turn_of_event(event)
    assert (turn["role"], turn.get("name"), turn["text"]) == (role, name, text)


def test_a_turn_has_the_time_of_its_event() -> None:
    assert turn_of_event(said("Hi.", timestamp=1_700_000_000.25))["ts"] == (
        "2023-11-14T22:13:20.250000+00:00"
    )


def test_a_turn_without_content_is_an_event_with_its_text() -> None:
    event = event_of_turn(Turn(index=3, role="user", text="gone", ts="2023-11-14T22:13:20Z"))
    assert (event.author, event.id, event.timestamp) == ("user", "turn-3", 1_700_000_000.0)
    assert said_in(event.content) == "gone"
    assert event_of_turn(Turn(index=3, role="assistant", text="x", ts=None)).author == "assistant"


@pytest.mark.parametrize("content", ["text", {"timestamp": "noon"}, [1]])
def test_a_turn_with_other_content_is_an_event_with_its_text(content: object) -> None:
    event = event_of_turn(Turn(index=3, role="user", text="Hi.", ts=None, content=content))
    assert (event.id, said_in(event.content)) == ("turn-3", "Hi.")


@pytest.mark.parametrize("change", [{"timestamp": "noon"}, {"actions": "none"}])
def test_an_event_that_cannot_be_read_is_told(change: dict[str, object]) -> None:
    content = {**turn_of_event(said("Hi."))["content"], **change}
    with pytest.raises(CorruptRecordError, match="index=3"):
        event_of_turn(Turn(index=3, role="user", text="", ts=None, content=content))
