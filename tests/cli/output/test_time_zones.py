"""Whose time zone it is."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from everturn.cli.output.errors import CliError
from everturn.cli.output.time_zones import SystemZone, choose_zone, shown_time

HOUR = timedelta(hours=1)
SUMMER, WINTER = 1_782_907_200 * 10**9, 1_767_225_600 * 10**9


@pytest.fixture
def _berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the operating system be in Berlin."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
        time.tzset()
        yield
    time.tzset()


def test_an_option_goes_before_the_variable_and_this_before_the_system() -> None:
    assert str(choose_zone("Asia/Tokyo", {"TZ": "America/New_York"})) == "Asia/Tokyo"
    assert str(choose_zone(None, {"TZ": ":America/New_York"})) == "America/New_York"
    assert isinstance(choose_zone(None, {}), SystemZone)


@pytest.mark.parametrize("rule", ["CET-1CEST,M3.5.0,M10.5.0/3", "/etc/localtime", "nowhere"])
def test_a_variable_that_is_no_name_is_left_to_the_system(rule: str) -> None:
    assert isinstance(choose_zone(None, {"TZ": rule}), SystemZone)


@pytest.mark.parametrize("name", ["Mars/Olympus", "", "../etc/passwd", "Europe", "a\nb", "é"])
def test_a_name_that_is_no_zone_is_refused_in_one_line(name: str) -> None:
    with pytest.raises(CliError) as caught:
        choose_zone(name, {})
    assert "\n" not in str(caught.value)
    assert "tzdata" in str(caught.value)


@pytest.mark.parametrize("name", ["UTC", "Z", "GMT"])
def test_utc_needs_no_list_of_zones(name: str) -> None:
    assert choose_zone(name, {}) is UTC


@pytest.mark.usefixtures("_berlin")
def test_the_zone_of_the_system_changes_its_clocks() -> None:
    zone = SystemZone()
    assert shown_time(WINTER, zone) == "2026-01-01 01:00:00"
    assert shown_time(SUMMER, zone, minutes=True) == "2026-07-01 14:00"
    offsets = [datetime(2026, month, 1, tzinfo=zone).utcoffset() for month in (1, 7)]
    assert offsets == [HOUR, 2 * HOUR]
    hour = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    both = [(hour + step * HOUR).astimezone(zone) for step in range(2)]
    assert [moment.astimezone(UTC) for moment in both] == [hour, hour + HOUR]


def test_a_time_at_the_end_of_the_calendar_is_shown_all_the_same() -> None:
    assert shown_time(-62_135_596_800 * 10**9, choose_zone("America/New_York", {}))
