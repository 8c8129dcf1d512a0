"""The window of turns that one extraction reads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversations.model.sealed_values import turn
from everturn.conversations.model.encoded_turns import is_redacted, redacted
from everturn.conversations.model.extraction_window import MAX_TURNS, Window, window_of
from everturn.conversations.model.turn import Turn, readable_turn
from everturn.values.go_json import JsonValue
from strategies.json_values import json_values

TURNS: list[JsonValue] = [turn(number) for number in range(20)]


def _window(values: list[JsonValue], *, first: int = 0, begin: int, end: int) -> Window:
    return window_of("c1", values, first=first, begin=begin, end=end)


def _numbers(turns: tuple[Turn, ...]) -> list[int]:
    return [one.index for one in turns]


def test_it_has_the_turns_that_may_be_cited_and_those_before_them() -> None:
    window = _window(TURNS, begin=10, end=15)
    assert _numbers(window.turns) == [10, 11, 12, 13, 14]
    assert _numbers(window.context) == list(range(10))
    assert (window.conversation_id, window.first, window.end, window.size) == ("c1", 10, 15, 5)


def test_turns_keep_their_numbers_wherever_the_values_begin() -> None:
    window = _window(TURNS[7:], first=7, begin=10, end=12)
    assert _numbers(window.turns) == [10, 11]
    assert [one.text for one in window.turns] == ["turn 10", "turn 11"]
    assert _numbers(window.context) == [7, 8, 9]


def test_at_the_beginning_nothing_went_before() -> None:
    assert _window(TURNS, begin=0, end=3).context == ()


def test_redacted_turns_and_those_that_nobody_can_read_are_left_out_and_gone_over() -> None:
    """The window ends where it did, so they are not looked at again."""
    values = list(TURNS)
    for number in (3, 8):
        values[number] = redacted(values[number], text="[removed]").value
    values[4] = {"role": "user"}
    values[9] = "no turn"
    window = _window(values, begin=5, end=10)
    assert _numbers(window.turns) == [5, 6, 7]
    assert _numbers(window.context) == [0, 1, 2]
    assert window.size == 5


def test_a_window_of_redacted_turns_has_none() -> None:
    values = [redacted(value, text="").value for value in TURNS]
    window = _window(values, begin=5, end=10)
    assert (window.turns, window.context, window.size) == ((), (), 5)


@given(st.lists(json_values | st.sampled_from(TURNS), max_size=20), st.data())
def test_all_of_its_turns_can_be_read_and_lie_within(
    values: list[JsonValue], data: st.DataObject
) -> None:
    begin = data.draw(st.integers(0, len(values)))
    end = data.draw(st.integers(begin, len(values)))
    window = _window(values, begin=begin, end=end)
    readable = [
        number
        for number, value in enumerate(values)
        if readable_turn(number, value) is not None and not is_redacted(value)
    ]
    assert _numbers(window.turns) == [n for n in readable if begin <= n < end]
    assert _numbers(window.context) == [n for n in readable if n < begin][-MAX_TURNS:]


@pytest.mark.parametrize("end", [10, 11, 13, 15])
def test_its_beginning_is_a_window_with_the_same_context(end: int) -> None:
    whole = _window(TURNS, begin=10, end=15)
    assert whole.until(end) == _window(TURNS, begin=10, end=end)
