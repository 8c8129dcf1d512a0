"""Times as people say them, in zones that change their clocks."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.cli.target.window_options import Now, parse_bound, parse_period
from everturn.errors import InvalidRequestError
from everturn.values.timestamps import format_time, parse_time

BERLIN, NEW_YORK = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")
# At the end of a Wednesday in Berlin, while it is still afternoon in New York.
WEDNESDAY = "2026-03-04T22:30:00Z"


def at(text: str, zone: object = UTC) -> Now:
    now_ns = parse_time(text)
    assert now_ns is not None
    return Now(now_ns, zone)  # type: ignore[arg-type]  # a zone


def bound(text: str, now: Now) -> str:
    return format_time(parse_bound(text, now, field="since"))


def period(text: str, now: Now) -> tuple[str, str]:
    window = parse_period(text, now, field="during")
    assert window.since_ns is not None
    assert window.until_ns is not None
    return format_time(window.since_ns), format_time(window.until_ns)


PERIODS = {
    "today": ("2026-03-03T23:00:00Z", "2026-03-04T23:00:00Z"),
    "yesterday": ("2026-03-02T23:00:00Z", "2026-03-03T23:00:00Z"),
    "tomorrow": ("2026-03-04T23:00:00Z", "2026-03-05T23:00:00Z"),
    "this week": ("2026-03-01T23:00:00Z", "2026-03-08T23:00:00Z"),
    "last week": ("2026-02-22T23:00:00Z", "2026-03-01T23:00:00Z"),
    "Last  Week": ("2026-02-22T23:00:00Z", "2026-03-01T23:00:00Z"),
    "this month": ("2026-02-28T23:00:00Z", "2026-03-31T22:00:00Z"),
    "last month": ("2026-01-31T23:00:00Z", "2026-02-28T23:00:00Z"),
    "last year": ("2024-12-31T23:00:00Z", "2025-12-31T23:00:00Z"),
    "3 days ago": ("2026-02-28T23:00:00Z", "2026-03-01T23:00:00Z"),
    "2 weeks ago": ("2026-02-15T23:00:00Z", "2026-02-22T23:00:00Z"),
    "a month ago": ("2026-01-31T23:00:00Z", "2026-02-28T23:00:00Z"),
    "2026-02-14": ("2026-02-13T23:00:00Z", "2026-02-14T23:00:00Z"),
    "2026-02": ("2026-01-31T23:00:00Z", "2026-02-28T23:00:00Z"),
    "2025": ("2024-12-31T23:00:00Z", "2025-12-31T23:00:00Z"),
    "7d": ("2026-02-25T22:30:00Z", WEDNESDAY),
    "last 7 days": ("2026-02-25T22:30:00Z", WEDNESDAY),
    "24h": ("2026-03-03T22:30:00Z", WEDNESDAY),
    "90m": ("2026-03-04T21:00:00Z", WEDNESDAY),
}


@pytest.mark.parametrize("text", PERIODS)
def test_a_period_is_a_span_of_the_calendar_of_the_zone(text: str) -> None:
    assert period(text, at(WEDNESDAY, BERLIN)) == PERIODS[text]


BOUNDS = {
    "now": WEDNESDAY,
    "today": "2026-03-03T23:00:00Z",
    "yesterday": "2026-03-02T23:00:00Z",
    "last week": "2026-02-22T23:00:00Z",
    "2026-02-14": "2026-02-13T23:00:00Z",
    "3 days ago": "2026-03-01T22:30:00Z",
    "an hour ago": "2026-03-04T21:30:00Z",
    "2w": "2026-02-18T22:30:00Z",
    "6mo": "2025-09-04T21:30:00Z",
    "1y": "2025-03-04T22:30:00Z",
    "2026-03-01T09:30": "2026-03-01T08:30:00Z",
    "2026-03-01 09:30:15": "2026-03-01T08:30:15Z",
    "2026-03-01T09:30:00Z": "2026-03-01T09:30:00Z",
    "2026-03-01T09:30:00-05:00": "2026-03-01T14:30:00Z",
}


@pytest.mark.parametrize("text", BOUNDS)
def test_a_bound_is_an_instant_or_the_beginning_of_a_period(text: str) -> None:
    assert bound(text, at(WEDNESDAY, BERLIN)) == BOUNDS[text]


def test_the_same_words_are_other_times_in_another_zone() -> None:
    assert period("today", at(WEDNESDAY, NEW_YORK)) == (
        "2026-03-04T05:00:00Z",
        "2026-03-05T05:00:00Z",
    )


def test_a_week_begins_on_monday_on_a_sunday_and_on_a_monday() -> None:
    week = ("2026-03-02T00:00:00Z", "2026-03-09T00:00:00Z")
    assert period("this week", at("2026-03-02T00:00:00Z")) == week
    assert period("this week", at("2026-03-08T23:59:59.999999999Z")) == week
    assert period("last week", at("2026-03-09T00:00:00Z")) == week


@pytest.mark.parametrize(
    ("today", "hours"), [("2026-03-29T12:00:00Z", 23), ("2026-10-25T12:00:00Z", 25)]
)
def test_a_day_on_which_clocks_change_has_its_own_length(today: str, hours: int) -> None:
    since, until = (datetime.fromisoformat(end) for end in period("today", at(today, BERLIN)))
    assert (until - since) == timedelta(hours=hours)
    now = at(today, BERLIN)
    assert bound("1d", now) == format_time(now.now_ns - hours * 3_600 * 10**9)
    assert bound("24h", now) == format_time(now.now_ns - 24 * 3_600 * 10**9)


def test_a_day_without_a_midnight_begins_at_its_first_instant() -> None:
    """Cairo's clocks went from 0:00 to 1:00 on the last Friday of April 2024."""
    cairo = ZoneInfo("Africa/Cairo")
    assert period("today", at("2024-04-26T12:00:00Z", cairo)) == (
        "2024-04-25T22:00:00Z",
        "2024-04-26T21:00:00Z",
    )


def test_a_month_back_from_its_last_day_is_the_last_day_there() -> None:
    assert bound("1mo", at("2026-03-31T10:00:00Z")) == "2026-02-28T10:00:00Z"
    assert bound("1y", at("2028-02-29T10:00:00Z")) == "2027-02-28T10:00:00Z"


UNKNOWN = [
    "", " ", "soon", "last", "last fortnight", "2026-13-01", "2026-02-30", "2026-1-1", "12", "7",
    "7 parsecs", "-7d", "s", "2026-03-01T25:00", "days ago", "0000-01-01", "³d", "\uff11d",
    "2026-03-01T09:30:00+99:00", "last week please", "0000", "999999y", "next 3 days",
]  # fmt: skip


@pytest.mark.parametrize("text", UNKNOWN)
def test_what_is_no_time_is_refused_in_one_line(text: str) -> None:
    for read in (bound, period):
        with pytest.raises(InvalidRequestError):
            read(text, at(WEDNESDAY, BERLIN))


@pytest.mark.parametrize("text", ["now", "2026-03-01T09:30:00Z", "2026-03-01T09:30", "an hour ago"])
def test_an_instant_is_no_period(text: str) -> None:
    with pytest.raises(InvalidRequestError):
        period(text, at(WEDNESDAY))


zones = st.sampled_from(["Europe/Berlin", "America/Sao_Paulo", "Asia/Kathmandu", "Pacific/Apia"])


@given(
    st.integers(0, 4_000_000_000),
    zones.map(ZoneInfo) | st.integers(-14, 14).map(lambda h: timezone(timedelta(hours=h))),
    st.sampled_from(["day", "week", "month", "year"]),
)
def test_periods_tile_and_hold_now(second: int, zone: object, unit: str) -> None:
    now = Now(second * 10**9, zone)  # type: ignore[arg-type]  # a zone
    last, this, following = (
        parse_period(f"{word} {unit}", now, field="during") for word in ("last", "this", "next")
    )
    assert this.holds(now.now_ns)
    assert (last.until_ns, this.until_ns) == (this.since_ns, following.since_ns)


@given(st.text(), st.integers(0, 4_000_000_000))
def test_any_text_is_a_time_or_is_refused(text: str, second: int) -> None:
    for read in (parse_bound, parse_period):
        try:
            read(text, Now(second * 10**9, BERLIN), field="since")
        except InvalidRequestError:
            continue
