"""By what a turn is known again in a file that another program wrote."""

import pytest
from hypothesis import given

from conversations.model.sealed_values import at, turn
from everturn.conversations.model.encoded_turns import redacted
from everturn.conversations.model.turn_identity import Follower, SaidTurn, said_turns
from everturn.values.go_json import JsonValue
from strategies.json_values import texts


def said(value: JsonValue) -> SaidTurn:
    [one] = said_turns([value])
    return one


def test_role_text_and_time_are_what_a_turn_is_known_by() -> None:
    same = {**turn(1), "ts": "2026-03-01T11:00:01.000+01:00", "intent_id": "i"}
    assert said(turn(1)).is_also(said(same))
    for other in (turn(1, "other"), turn(1, role="assistant"), turn(2, "turn 1")):
        assert not said(turn(1)).is_also(said(other))


def test_a_redacted_turn_is_the_one_that_it_was_and_not_the_other_way_round() -> None:
    after = said(redacted(turn(1), text="").value)
    assert after.is_also(said(turn(1)))
    assert not said(turn(1)).is_also(after)
    assert after.is_there(said(turn(1)))
    assert said(turn(1)).is_there(after)
    assert not after.is_there(said(turn(2)))


@pytest.mark.parametrize("value", [5, None, [], {}, {"role": 5, "text": None, "ts": 7}])
def test_what_is_no_turn_is_none_that_could_be_known(value: JsonValue) -> None:
    assert not said(value).is_also(said(turn(1)))
    assert not Follower.of(turn(1)).is_at(said(value))


def test_a_follower_knows_its_turn_from_another_of_the_same_time() -> None:
    follower = Follower.of(turn(1, "yes"))
    assert follower.is_at(said(turn(1, "no")))
    assert not follower.is_at(said(turn(2, "yes")))
    assert follower.is_other(said(turn(1, "no")))
    assert not follower.is_other(said({**turn(1, "yes"), "ts": "2026-03-01T11:00:01+01:00"}))


def test_of_a_redacted_turn_and_of_an_old_segment_nobody_knows() -> None:
    blank = said(redacted(turn(1), text="").value)
    assert not Follower.of(turn(1)).is_other(blank)
    assert not Follower(at(1)).is_other(said(turn(1)))


@given(texts)
def test_a_check_is_four_digits_whatever_was_said(text: str) -> None:
    assert len(Follower.of(turn(1, text)).check) == 4
