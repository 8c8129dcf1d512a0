"""Times in and out."""

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases.public_cases import casekit
from everturn.values.timestamps import NANOSECONDS, format_time, parse_time
from golden_files import golden_rows
from strategies.json_values import times_ns

# 2026-03-01T10:00:00Z, as date(1) says it.
TEN = 1_772_359_200 * NANOSECONDS


@pytest.mark.parametrize(
    ("text", "after_ten_ns"),
    [
        ("2026-03-01T10:00:00Z", 0),
        ("2026-03-01T10:00:00", 0),
        ("2026-03-01t10:00:00z", 0),
        ("2026-03-01 10:00:00Z", 0),
        ("2026-03-01T10:00:00+00:00", 0),
        ("2026-03-01T10:00:00-00:00", 0),
        ("2026-03-01T15:30:00+05:30", 0),
        ("2026-03-01T04:15:00-05:45", 0),
        ("2026-03-02T09:59:00+23:59", 0),
        ("2026-02-28T10:01:00-23:59", 0),
        ("2026-03-01T10:00:00.000Z", 0),
        ("2026-03-01T10:00:00.1Z", 100_000_000),
        ("2026-03-01T10:00:00.000001", 1_000),
        ("2026-03-01T10:00:00.123456789Z", 123_456_789),
        ("2026-03-01T10:00:00.1234567899Z", 123_456_789),
        ("2026-03-01T10:00:00." + "9" * 5_000 + "Z", 999_999_999),
    ],
)
def test_every_spelling_of_an_instant_reads_as_it(text: str, after_ten_ns: int) -> None:
    assert parse_time(text) == TEN + after_ten_ns


@pytest.mark.parametrize(
    "text",
    [
        "", "now", "1772359200", "1772359200000", "1.7e9", "2026-03-01", "10:00:00Z",
        "2026-03-01T10:00Z", "2026-3-1T10:00:00Z", "2026-03-01T10:00:00.Z",
        "2026-03-01T10:00:00,5Z",
        "2026-03-01T10:00:00+0530", "2026-03-01T10:00:00+05", "2026-03-01T10:00:00+24:00",
        "2026-03-01T10:00:00+05:60", "2026-03-01T24:00:00Z", "2026-03-01T10:60:00Z",
        "2026-03-01T10:00:61Z", "2026-00-01T10:00:00Z", "2026-13-01T10:00:00Z",
        "2026-02-29T10:00:00Z", "2026-04-31T10:00:00Z", "2026-03-00T10:00:00Z",
        "2026-03-01T10:00:00Z ", " 2026-03-01T10:00:00Z", "2026-03-01T10:00:00Z\n",
        "2026-03-01T10:00:00 +05:30", "2026-03-01T10:00:00ZZ", "+2026-03-01T10:00:00Z",
        "12026-03-01T10:00:00Z", "0000-01-01T00:00:00Z", "-001-01-01T00:00:00Z",
        "٢٠٢٦-03-01T10:00:00Z", "2026-03-01T10:00:00\N{MINUS SIGN}05:30", "2026-W09-7T10:00:00Z",
    ],
)  # fmt: skip
def test_what_is_no_rfc_3339_time_reads_as_none(text: str) -> None:
    assert parse_time(text) is None


@pytest.mark.parametrize(
    ("leap", "after_it"),
    [
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
        ("2016-12-31T23:59:60.5Z", "2017-01-01T00:00:00.5Z"),
        ("2017-01-01T05:29:60+05:30", "2017-01-01T00:00:00Z"),
    ],
)
def test_a_leap_second_is_the_second_after_it(leap: str, after_it: str) -> None:
    assert parse_time(leap) == parse_time(after_it) is not None


@pytest.mark.parametrize(
    "text",
    [
        "0001-01-01T00:00:00Z", "0001-01-01T00:00:00.5Z", "0099-12-31T23:59:59.000000001Z",
        "1969-12-31T23:59:59.999999999Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z",
    ],
)  # fmt: skip
def test_the_years_1_to_9999_read_and_write(text: str) -> None:
    """The first is the zero time of Go, which its programs write where they have none."""
    time_ns = parse_time(text)
    assert time_ns is not None
    assert format_time(time_ns) == text


@pytest.mark.parametrize(
    "text",
    ["0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "9999-12-31T23:59:60Z"],
)
def test_an_instant_outside_these_years_reads_as_none(text: str) -> None:
    """It could not be written again."""
    assert parse_time(text) is None


@pytest.mark.parametrize("row", golden_rows("go_times.json"))
def test_a_time_is_written_as_go_writes_it(row: dict[str, Any]) -> None:
    time_ns = row["seconds"] * NANOSECONDS + row["nanoseconds"]
    assert format_time(time_ns) == row["text"]
    assert parse_time(row["text"]) == time_ns


@given(times_ns)
def test_a_written_time_reads_back_to_the_nanosecond(time_ns: int) -> None:
    assert parse_time(format_time(time_ns)) == time_ns


@given(times_ns | st.integers(0, 999).map(lambda step: TEN + step * 1_000_000))
def test_a_written_time_has_no_trailing_zeros(time_ns: int) -> None:
    text = format_time(time_ns)
    whole, _, fraction = text.removesuffix("Z").partition(".")
    assert len(whole) == len("2026-03-01T10:00:00")
    assert not fraction.endswith("0")
    assert ("." in text) is bool(time_ns % NANOSECONDS)


@given(times_ns, st.integers(-1_439, 1_439))
def test_one_instant_reads_the_same_at_any_offset(time_ns: int, minutes: int) -> None:
    sign, (hours, rest) = "-" if minutes < 0 else "+", divmod(abs(minutes), 60)
    local = format_time(time_ns + minutes * 60 * NANOSECONDS).removesuffix("Z")
    assert parse_time(f"{local}{sign}{hours:02d}:{rest:02d}") == time_ns


@given(st.datetimes(), st.integers(0, 999))
def test_the_standard_library_agrees_about_the_calendar(moment: datetime, rest_ns: int) -> None:
    epoch = datetime(1970, 1, 1)  # noqa: DTZ001  # both sides are naive UTC
    delta = moment - epoch
    micros = (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds
    text = f"{moment.isoformat(timespec='microseconds')}{rest_ns:03d}Z"
    assert parse_time(text) == micros * 1_000 + rest_ns


@given(st.text() | st.text("0123456789-+:.TZ "))
def test_reading_never_raises(text: str) -> None:
    time_ns = parse_time(text)
    assert time_ns is None or parse_time(format_time(time_ns)) == time_ns


def test_public_cases_of_time_comparison(public_cases: Path) -> None:
    cases = casekit(public_cases).load(op="time_compare")
    assert cases
    for case in cases:
        times = [parse_time(text) for text in case["input"]["values"]]
        assert None not in times
        equal, order = case["check"]["equal"], case["check"]["order"]
        assert len({times[index] for index in equal}) == 1
        assert [times[i] for i in order] == sorted({times[i] for i in order} - {None})
