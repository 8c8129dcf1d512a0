"""Single times of the commands: instants, and days on which something begins to hold."""

from zoneinfo import ZoneInfo

import pytest

from everturn.cli.target import window_options
from everturn.cli.target.window_options import ask_day, ask_instant
from everturn.errors import InvalidRequestError
from everturn.values.timestamps import parse_time

LISBON, TOKYO = ZoneInfo("Europe/Lisbon"), ZoneInfo("Asia/Tokyo")


@pytest.fixture(autouse=True)
def _now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window_options, "_now_ns", lambda: parse_time("2026-07-04T22:00:00Z"))


@pytest.mark.parametrize(
    ("text", "zone", "instant"),
    [
        ("2026-03-01", TOKYO, "2026-02-28T15:00:00Z"),
        ("2026-03-01T09:30", LISBON, "2026-03-01T09:30:00Z"),
        ("2026-03-01T09:30:00+02:00", TOKYO, "2026-03-01T07:30:00Z"),
        ("an hour ago", TOKYO, "2026-07-04T21:00:00Z"),
    ],
)
def test_an_instant_is_that_of_the_zone(text: str, zone: ZoneInfo, instant: str) -> None:
    assert ask_instant(text, zone, field="as_of") == instant


@pytest.mark.parametrize(
    ("text", "zone", "begin"),
    [
        ("2026-03-01", TOKYO, "2026-03-01T00:00:00Z"),
        ("2026-07", LISBON, "2026-07-01T00:00:00Z"),
        ("today", TOKYO, "2026-07-05T00:00:00Z"),
        ("today", LISBON, "2026-07-04T00:00:00Z"),
        ("now", LISBON, "2026-07-04T22:00:00Z"),
        ("2026-03-01T09:30", TOKYO, "2026-03-01T00:30:00Z"),
        ("2026-03-01T00:00:00+09:00", TOKYO, "2026-02-28T15:00:00Z"),
    ],
)
def test_a_day_is_the_same_day_everywhere_and_a_time_is_a_time(
    text: str, zone: ZoneInfo, begin: str
) -> None:
    assert ask_day(text, zone, field="since") == begin


def test_what_nobody_can_tell_names_its_option() -> None:
    with pytest.raises(InvalidRequestError) as caught:
        ask_day("soon", LISBON, field="since")
    assert caught.value.field == "since"
