"""Turns as one run of bytes, and their times."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.conversations.model.encoded_turns import (
    file_time,
    join_run,
    newest_time,
    oldest_time,
    split_run,
)
from everturn.conversations.model.turn import END_TIME_NS
from everturn.values.go_json import JsonValue
from everturn.values.timestamps import format_time, parse_time
from strategies.json_values import json_values, texts

WHITE = st.text(" \n\t\r", max_size=2)


@given(st.lists(st.tuples(json_values, WHITE, WHITE, st.booleans())))
def test_a_run_comes_apart_into_values_and_their_own_bytes(
    values: list[tuple[JsonValue, str, str, bool]],
) -> None:
    """White space between turns goes, what is inside of one stays."""
    parts = [json.dumps(value, indent=1, ensure_ascii=ascii_) for value, *_, ascii_ in values]
    spaced = [f"{one}{part}{two}" for part, (_, one, two, _) in zip(parts, values, strict=True)]
    turns = split_run(",".join(spaced).encode())
    assert [turn.encoded.decode() for turn in turns] == parts
    assert [turn.value for turn in turns] == json.loads(f"[{','.join(parts)}]")
    assert join_run(turns) == ",".join(parts).encode()


def test_an_empty_run_holds_no_turns() -> None:
    assert split_run(b"") == []
    assert join_run([]) == b""


@pytest.mark.parametrize("run", [b"{", b"{} {}", b",{}", b"{},,{}", b"\xff", b"nonsense"])
def test_what_is_no_run_is_refused(run: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        split_run(run)


TIMES = st.integers(-(10**18), END_TIME_NS + 10**18).map(format_time) | texts | st.none()


@given(st.lists(TIMES | st.just("2026-03-01T10:00:00+02:00"), max_size=6))
def test_the_newest_time_is_the_greatest_that_is_one(times: list[str | None]) -> None:
    read = [file_time(text) for text in times]
    wanted = max((time for time in read if time is not None), default=0)
    assert newest_time([{"ts": text} for text in times]) == wanted


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("2026-03-01T10:00:00Z", True),
        ("2100-12-31T23:59:59.999999999Z", True),
        ("2101-01-01T00:00:00Z", False),
        ("0001-01-01T00:00:00Z", True),
        ("soon", False),
        (5, False),
        (None, False),
    ],
)
def test_a_time_of_a_file_is_rfc_3339_up_to_the_year_2100(text: JsonValue, *, read: bool) -> None:
    wanted = parse_time(text) if isinstance(text, str) and read else None
    assert file_time(text) == wanted
    assert (file_time(text) is not None) is read


@given(st.lists(st.integers(0, END_TIME_NS - 1), min_size=1, max_size=20))
def test_the_least_time_of_plain_ones_is_found(times: list[int]) -> None:
    assert oldest_time([{"ts": format_time(time)} for time in times]) == min(times)


@pytest.mark.parametrize("ts", [None, 5, "", "soon", "0001-01-01T00:00:00Z", "2026-01-01T00:00:00"])
def test_nothing_is_known_of_the_least_time_beside_a_turn_without_a_plain_one(
    ts: JsonValue,
) -> None:
    assert oldest_time([{"ts": "2026-01-01T00:00:00Z"}, {"ts": ts}]) == 0
    assert oldest_time([]) == oldest_time([1]) == 0
