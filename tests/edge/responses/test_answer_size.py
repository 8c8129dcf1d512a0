"""Which items fit into one answer of 3 MiB."""

import json

from everturn.edge.responses.base import ANSWER_FULL, Room
from everturn.values.go_json import JsonObject

MEBIBYTE = 1_048_576


def _item(size: int) -> JsonObject:
    return {"text": "x" * size}


def test_what_fits_is_put_in_and_the_answer_lacks_nothing() -> None:
    room = Room()
    assert room.fit([1, 2], _item) == [{"text": "x"}, {"text": "xx"}]
    assert room.told(None, degraded=False) == {"degraded": False}
    assert room.told("late", degraded=True) == {"degraded": True, "reason": "late"}


def test_one_that_is_too_large_is_passed_over_for_the_next_and_the_answer_says_so() -> None:
    room = Room()
    taken = room.fit([1, 4 * MEBIBYTE, 2], _item)
    assert taken == [{"text": "x"}, {"text": "xx"}]
    assert room.told(None, degraded=False) == {"degraded": True, "reason": ANSWER_FULL}
    assert room.told("late", degraded=True) == {"degraded": True, "reason": "late"}


def test_a_page_ends_before_the_first_that_does_not_fit() -> None:
    assert Room().begin([1, 4 * MEBIBYTE, 2], _item) == [{"text": "x"}]


def test_all_that_is_put_in_shares_one_room() -> None:
    room = Room("x" * MEBIBYTE)
    first, second = room.fit([MEBIBYTE], _item), room.fit([MEBIBYTE], _item)
    assert (len(first), second, room.whole) == (1, [], False)
    assert len(json.dumps(first)) + MEBIBYTE < 3 * MEBIBYTE
