"""Windows of time: half-open, with any offset."""

import pytest

from everturn.errors import InvalidRequestError
from everturn.values.timestamps import EVER, TimeWindow, parse_window


def test_a_window_holds_its_beginning_and_not_its_end() -> None:
    window = TimeWindow(10, 20)
    assert [window.holds(time) for time in (9, 10, 19, 20)] == [False, True, True, False]


def test_a_missing_bound_is_none() -> None:
    assert parse_window(None, None) == EVER
    assert all(EVER.holds(time) for time in (-(2**80), 0, 2**80))
    assert TimeWindow(since_ns=5).holds(2**80)
    assert TimeWindow(until_ns=5).holds(-(2**80))


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2026-03-01T12:00:00+02:00", "2026-03-01T10:00:00Z"),
        ("2026-03-01T10:00:00-05:30", "2026-03-01T15:30:00Z"),
        ("2026-03-01T10:00:00", "2026-03-01T10:00:00Z"),
        ("2026-03-01t10:00:00.000000001z", "2026-03-01T10:00:00.000000001Z"),
    ],
)
def test_bounds_take_any_offset_and_are_utc_without_one(text: str, same: str) -> None:
    assert parse_window(text, None) == parse_window(same, None)
    assert parse_window(None, text) == parse_window(None, same)


@pytest.mark.parametrize(
    "text", ["", " ", "yesterday", "2026-03-01", "1767225600", "2026-13-01T00:00:00Z"]
)
@pytest.mark.parametrize("field", ["since", "until"])
def test_a_bound_that_is_no_time_is_refused(text: str, field: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        parse_window(**{"since": None, "until": None, field: text})
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("since", "until"),
    [
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00"),
        ("2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z"),
    ],
)
def test_a_window_in_which_nothing_lies_is_refused(since: str, until: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        parse_window(since, until)
    assert caught.value.field == "since"
