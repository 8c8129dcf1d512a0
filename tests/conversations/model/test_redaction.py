"""A redacted turn."""

import json

import pytest
from hypothesis import given

from conversations.model.sealed_values import turn
from everturn.conversations.model.encoded_turns import (
    is_redacted,
    redacted,
    split_run,
    with_replaced,
)
from everturn.conversations.model.turn import readable_turn
from everturn.values.go_json import JsonObject, JsonValue, dumps
from strategies.json_values import json_objects, json_values, texts


def test_role_and_time_stay_and_all_that_was_said_goes() -> None:
    value: JsonObject = {
        "role": "user", "text": "secret", "intent_id": "secret", "ts": "2026-03-01T10:00:00Z",
        "name": "secret", "content": ["secret"], "metadata": {"k": "secret"}, "x": "secret",
    }  # fmt: skip
    assert redacted(value, text="").encoded == (
        b'{"role":"user","text":"","ts":"2026-03-01T10:00:00Z","redacted":true}'
    )
    assert json.loads(redacted(value, text="[removed]").encoded)["text"] == "[removed]"


@given(json_objects, texts)
def test_redacting_twice_is_redacting_once(value: JsonObject, text: str) -> None:
    once = redacted(value, text=text)
    assert redacted(once.value, text=text) == once
    assert json.loads(once.encoded) == once.value
    assert dumps(once.value).encode() == once.encoded


@given(json_values, texts)
def test_whatever_another_program_left_nothing_of_it_stays(value: JsonValue, text: str) -> None:
    new = redacted(value, text=text).value
    assert isinstance(new, dict)
    assert set(new) <= {"role", "text", "ts", "redacted"}
    assert (new["text"], new["redacted"]) == (text, True)


@pytest.mark.parametrize("value", [None, 5, [], {"role": 1, "ts": 2}, {"text": "x"}])
def test_a_turn_that_could_not_be_read_cannot_be_read_then(value: JsonValue) -> None:
    assert readable_turn(0, redacted(value, text="").value) is None


def test_one_turn_takes_the_place_of_another() -> None:
    turns = split_run(",".join(dumps(turn(number)) for number in range(3)).encode())
    new = redacted(turns[1].value, text="")
    assert with_replaced(turns, 1, new) == [turns[0], new, turns[2]]


@given(json_values, texts)
def test_what_was_redacted_says_so(value: JsonValue, text: str) -> None:
    """As it is written, and as it is read."""
    turn_ = redacted(value, text=text)
    assert is_redacted(turn_.value)
    assert is_redacted(json.loads(turn_.encoded))


@pytest.mark.parametrize(
    "value",
    [None, True, "redacted", ["redacted"], {}, {"text": ""}, {"text": "[removed]"},
     {"redacted": False}, {"redacted": 1}, {"redacted": "true"}, {"metadata": {"redacted": True}}],
)  # fmt: skip
def test_anything_else_was_not(value: JsonValue) -> None:
    """Foreign turns may have any field: only what we write counts."""
    assert not is_redacted(value)
