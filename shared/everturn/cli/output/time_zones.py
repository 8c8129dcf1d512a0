"""The time zone of whoever sits at the terminal, and what a time looks like in it."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from everturn.cli.output.errors import CliError
from everturn.values.timestamps import NANOSECONDS
from everturn.values.visible_text import one_line

_UTC_NAMES = frozenset({"UTC", "Z", "GMT"})
# What ZoneInfo raises for a name it does not know, one that is no name, and a folder of zones.
_NO_ZONE = (ZoneInfoNotFoundError, ValueError, OSError)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class SystemZone(tzinfo):
    """The zone that the operating system is set to, with its changes of clocks."""

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        """Return the offset at a local time."""
        return None if moment is None else _on_system(moment).utcoffset()

    def dst(self, moment: datetime | None) -> timedelta | None:
        """Return nothing: the system does not say which part of an offset is summer time."""
        del moment
        return None

    def tzname(self, moment: datetime | None) -> str | None:
        """Return the abbreviation at a local time."""
        return None if moment is None else _on_system(moment).tzname()

    def fromutc(self, moment: datetime) -> datetime:
        """Return an instant on the system's clock."""
        there = moment.replace(tzinfo=UTC).astimezone()
        # An hour that comes twice is the second one where the first has another offset.
        is_second = _on_system(there).utcoffset() != there.utcoffset()
        return there.replace(tzinfo=self, fold=int(is_second))

    def __str__(self) -> str:
        """Say what a person would call it."""
        return "local time"


def choose_zone(name: str | None, environment: Mapping[str, str]) -> tzinfo:
    """Return the zone that an option names, else the variable TZ, else the system's.

    Raises:
        CliError: there is no zone of this name, or the system keeps no list of zones.
    """
    if name is not None:
        return _named(name)
    variable = environment.get("TZ", "").removeprefix(":")
    try:
        # TZ may also hold a path or a rule, which the system itself reads.
        return _zone(variable) if variable else SystemZone()
    except _NO_ZONE:
        return SystemZone()


def shown_time(time_ns: int, zone: tzinfo, *, minutes: bool = False) -> str:
    """Return an instant on a clock of the zone, to the second, or to the minute."""
    moment = _EPOCH + timedelta(seconds=time_ns // NANOSECONDS)
    # At the very ends of the calendar an offset leads out of it.
    with suppress(OverflowError):
        moment = moment.astimezone(zone)
    return moment.strftime("%Y-%m-%d %H:%M" if minutes else "%Y-%m-%d %H:%M:%S")


def _on_system(local: datetime) -> datetime:
    return local.replace(tzinfo=None).astimezone()


def _named(name: str) -> tzinfo:
    try:
        return _zone(name)
    except _NO_ZONE as exc:
        known = "such as Europe/Lisbon; where the system has no list, pip install tzdata"
        raise CliError(f"there is no such time zone, {known} zone={one_line(name)}") from exc


def _zone(name: str) -> tzinfo:
    return UTC if name in _UTC_NAMES else ZoneInfo(name)
