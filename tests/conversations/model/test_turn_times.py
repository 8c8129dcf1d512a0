"""Which times an append takes, and what becomes of them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversations.model.turn_drafts import NOW, NOW_TEXT, encode, refused_field, said
from everturn.conversations.model.turn import TurnDraft
from everturn.values.timestamps import NANOSECONDS, format_time, parse_time
from strategies.json_values import times_ns


def test_a_missing_time_is_the_servers() -> None:
    turns = encode(said(None), now_ns=NOW + 120_000_000)
    assert json.loads(turns.encoded[0])["ts"] == "2026-03-01T10:00:00.12Z"
    assert (turns.newest_ns, turns.clamped) == (NOW + 120_000_000, 0)


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("2026-03-01T09:00:00", "2026-03-01T09:00:00Z"),
        ("2026-03-01T14:30:00.120+05:30", "2026-03-01T09:00:00.12Z"),
        ("2026-03-01t09:00:00z", "2026-03-01T09:00:00Z"),
        ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"),
        ("1970-01-01T05:30:00+05:30", "1970-01-01T00:00:00Z"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
        ("2026-03-01T10:05:00Z", "2026-03-01T10:05:00Z"),
    ],
)
def test_a_time_is_kept_in_utc(sent: str, kept: str) -> None:
    """The last is five minutes ahead to the nanosecond, which is not too far."""
    turns = encode(said(sent))
    assert json.loads(turns.encoded[0])["ts"] == kept
    assert turns.clamped == 0


@pytest.mark.parametrize(
    "ahead",
    [
        "2026-03-01T10:05:00.000000001Z", "2026-03-01T10:05:00.000000001", "2026-03-02T10:00:00Z",
        "2099-12-31T23:59:59Z", "2100-12-31T23:59:59.999999999Z", "2101-01-01T00:00:00+00:01",
    ],
)  # fmt: skip
def test_a_time_more_than_five_minutes_ahead_is_the_servers_and_counted(ahead: str) -> None:
    turns = encode(said(ahead), said(NOW_TEXT), said(ahead))
    assert [json.loads(turn)["ts"] for turn in turns.encoded] == [NOW_TEXT] * 3
    assert (turns.newest_ns, turns.clamped) == (NOW, 2)


@pytest.mark.parametrize(
    "ts",
    [
        "", "now", "1772359200", "1772359200.5", "1772359200000", "2026-03-01",
        "2026-02-30T10:00:00Z",
        "1969-12-31T23:59:59.999999999Z", "1970-01-01T00:00:00+00:01", "2101-01-01T00:00:00Z",
        "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2026-03-01T10:00:61Z",
    ],
)  # fmt: skip
def test_what_is_no_time_of_1970_to_2100_is_refused(ts: str) -> None:
    assert refused_field(said(None), said(ts)) == "turns.1.ts"


def test_a_blank_turn_with_a_wrong_time_is_refused_too() -> None:
    assert refused_field(TurnDraft("user", " ", ts="yesterday")) == "turns.0.ts"


@given(st.lists(st.none() | times_ns.map(format_time), max_size=6), times_ns)
def test_the_newest_time_is_that_of_the_stored_turns(sent: list[str | None], now_ns: int) -> None:
    turns = encode(*map(said, sent), now_ns=now_ns)
    kept = [json.loads(turn)["ts"] for turn in turns.encoded]
    assert turns.newest_ns == max((parse_time(ts) or 0 for ts in kept), default=0)
    assert turns.newest_ns <= now_ns + 300 * NANOSECONDS
    assert turns.clamped == sum(
        one is not None and one != two for one, two in zip(sent, kept, strict=True)
    )
