"""Numbers beyond any machine's: clamped or beyond the end, never a fault."""

import pytest

from functions.house import CONVERSATIONS, House, fault

HUGE = "9" * 30


@pytest.mark.parametrize("digits", [18, 19, 30, 1_000])
def test_a_limit_is_clamped_however_many_digits_it_has(directory_house: House, digits: int) -> None:
    directory_house.append("c1", "a")
    assert len(directory_house.read(CONVERSATIONS, limit="9" * digits)["conversations"]) == 1
    assert len(directory_house.turns("c1", last="9" * digits)) == 1


def test_a_limit_longer_than_any_number_is_refused(directory_house: House) -> None:
    error = fault(directory_house.client.get(CONVERSATIONS, params={"limit": "9" * 1_001}), 422)
    assert error["field"] == "limit"


def test_turns_from_a_huge_number_on_are_none(directory_house: House) -> None:
    directory_house.append("c1", "a")
    assert directory_house.turns("c1", **{"from": HUGE}) == []


def test_a_turn_of_a_huge_number_is_not_there(directory_house: House) -> None:
    directory_house.append("c1", "a")
    fault(directory_house.send("PATCH", "c1", f"/turns/{HUGE}", json={"text": "x"}), 404)


def test_a_huge_expected_count_is_a_conflict(directory_house: House) -> None:
    directory_house.append("c1", "a")
    path = f"/turns/last?expected_turn_count={HUGE}"
    fault(directory_house.send("DELETE", "c1", path), 409)
