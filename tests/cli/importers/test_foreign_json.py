from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.foreign_files import ANY_JSON
from everturn.cli.importers.foreign_json import (
    conversation,
    list_in,
    object_in,
    text_in,
    time_of,
    turn,
)
from everturn.cli.output.errors import CliError
from everturn.values.timestamps import parse_time


@pytest.mark.parametrize(
    ("value", "time"),
    [
        (1736209412, "2025-01-07T00:23:32Z"),
        (1736209412.345, "2025-01-07T00:23:32.345Z"),
        (1736209412.345678, "2025-01-07T00:23:32.345678Z"),
        (0, "1970-01-01T00:00:00Z"),
        ("2025-03-04T05:06:07.123456Z", "2025-03-04T05:06:07.123456Z"),
        ("2025-03-04T05:06:07+02:00", "2025-03-04T05:06:07+02:00"),
        (1736209412345, None),
        (-1, None),
        (float("nan"), None),
        (float("inf"), None),
        (10**400, None),
        (-(10**400), None),
        (True, None),
        ("yesterday", None),
        ("1969-12-31T23:59:59Z", None),
        ("2101-01-01T00:00:00Z", None),
        (None, None),
        ([], None),
    ],
)
def test_a_time_is_seconds_or_rfc_3339_of_our_age(value: object, time: str | None) -> None:
    assert time_of(value) == time


@given(st.floats(0, 4_000_000_000))
def test_seconds_are_kept_to_the_microsecond(seconds: float) -> None:
    time = time_of(seconds)
    assert time is not None
    assert abs((parse_time(time) or 0) / 1e9 - seconds) < 1e-6


@given(st.dictionaries(st.sampled_from("abc"), ANY_JSON))
def test_a_field_of_another_kind_is_an_empty_one(value: dict[str, Any]) -> None:
    assert isinstance(object_in(value, "a"), dict)
    assert isinstance(list_in(value, "a"), list)
    assert text_in(value, "a", "b") != ""


def test_a_name_that_is_too_long_for_a_turn_is_left_out() -> None:
    assert turn("user", text="t", name="n" * 257) == {"role": "user", "text": "t"}
    assert turn("user", text="t", name="n") == {"role": "user", "text": "t", "name": "n"}


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (
            turn("user", text="x" * 1_048_577),
            r"^a turn is too large max_bytes=1048576 at=1 turn=1$",
        ),
        (turn("r" * 65, text="x"), r"^a role is not blank .* field=role at=1 turn=1$"),
        (turn("user", content=[[[]]], text=None) | {"metadata": {"a": "x" * 20_000}}, "metadata"),
    ],
)
def test_a_conversation_with_a_turn_that_the_api_refuses_is_none(
    one: dict[str, Any], said: str
) -> None:
    with pytest.raises(CliError, match=said):
        conversation("c", [turn("user", text="fine"), one], position="at=1")


def test_a_title_is_as_long_as_the_api_takes() -> None:
    found = conversation("c", [], position="at=1", title="t" * 2_000)
    assert found.head == {"title": "t" * 1_000}
