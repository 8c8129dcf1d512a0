"""The options that name a window of time, in words or in times, and the window they mean.

Words are times as people say them, in a time zone of theirs:

    now  today  yesterday  tomorrow
    this|last|next day|week|month|year
    90m  24h  7d  2w  6mo  1y    last 7 days    3 days ago    an hour ago
    2026  2026-03  2026-03-01  2026-03-01T09:30 (of the zone)  2026-03-01T09:30:00Z (RFC 3339)

A period is a span of the calendar: a day from midnight to midnight, a week from Monday on. As a
bound it means its beginning; `3 days ago` means this time of that day.

Days, weeks, months and years are counted on the calendar. So `1d` may be 23 or 25 hours where
clocks are changed. Hours and minutes are counted as they pass.
"""

import calendar
import os
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Annotated

import typer

from everturn.cli.output.console import note
from everturn.cli.output.errors import CliError
from everturn.cli.output.time_zones import choose_zone, shown_time
from everturn.errors import InvalidRequestError
from everturn.values.timestamps import EVER, TimeWindow, format_time, parse_time

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_MICROSECOND_NS = 1_000
_TIMES = "RFC 3339, 2026-03-01, yesterday, 'last week', 7d, '3 days ago'"

Since = Annotated[str | None, typer.Option(help=f"From here on: {_TIMES}.")]
Until = Annotated[str | None, typer.Option(help="Up to here, itself left out.")]
During = Annotated[str | None, typer.Option(help="All of it: 'last week', 2026-03, 7d.")]
Zone = Annotated[str | None, typer.Option(help="Time zone; default: TZ, or the system's.")]


@dataclass(frozen=True, slots=True)
class AskedWindow:
    """A window, and the zone that whoever asked for it lives in."""

    window: TimeWindow
    zone: tzinfo

    @property
    def bounds(self) -> dict[str, str]:
        """The ends that there are, as the API takes them."""
        ends = {"since": self.window.since_ns, "until": self.window.until_ns}
        return {name: format_time(time_ns) for name, time_ns in ends.items() if time_ns is not None}

    def say(self) -> None:
        """Say which window it is, if there is one."""
        if self.window != EVER:
            note(str(self))

    def __str__(self) -> str:
        """Return the line that tells a person."""
        ends = (("from", self.window.since_ns), ("to", self.window.until_ns))
        words = [
            f"{word} {shown_time(time_ns, self.zone, minutes=True)}"
            for word, time_ns in ends
            if time_ns is not None
        ]
        return f"{' '.join(words)} ({self.zone})"


def ask_window(
    *, since: str | None, until: str | None, during: str | None, tz: str | None
) -> AskedWindow:
    """Return the window that these options name.

    Raises:
        InvalidRequestError: a word is no time.
        CliError: nothing lies in the window, they contradict one another, or there is no such zone.
    """
    zone = choose_zone(tz, os.environ)
    now = Now(_now_ns(), zone)
    if during is not None:
        if (since, until) != (None, None):
            raise CliError("give either --during, or --since and --until")
        return AskedWindow(parse_period(during, now, field="during"), zone)
    window = TimeWindow(
        None if since is None else parse_bound(since, now, field="since"),
        None if until is None else parse_bound(until, now, field="until"),
    )
    asked, ends = AskedWindow(window, zone), (window.since_ns, window.until_ns)
    if None not in ends and not window.holds(ends[0] or 0):
        raise CliError(f"nothing lies in this window, {asked}")
    return asked


def ask_instant(text: str, zone: tzinfo, *, field: str) -> str:
    """Return the instant that a text says, as the API takes it.

    Raises:
        InvalidRequestError: nobody can tell.
    """
    return format_time(parse_bound(text, Now(_now_ns(), zone), field=field))


def ask_day(text: str, zone: tzinfo, *, field: str) -> str:
    """Return the same of a text that says when something begins to hold.

    A day is the same day everywhere, which the API writes as its midnight in UTC.

    Raises:
        InvalidRequestError: nobody can tell.
    """
    begin = Now(parse_bound(text, Now(_now_ns(), zone), field=field), zone).local
    is_day = begin.time() == time.min and parse_time(text.strip()) is None
    if not is_day:
        return ask_instant(text, zone, field=field)
    return begin.strftime("%Y-%m-%dT00:00:00Z")


def _now_ns() -> int:
    return _ns(datetime.now(UTC))


_UNITS = {
    "m": "minute", "min": "minute", "minute": "minute", "h": "hour", "hour": "hour", "d": "day",
    "day": "day", "w": "week", "week": "week", "mo": "month", "month": "month", "y": "year",
    "year": "year",
}  # fmt: skip
_STEADY = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1)}
_DAYS = {"day": 1, "week": 7}
_MONTHS = {"month": 1, "year": 12}
_NAMED_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}
_SHIFTS = {"last": -1, "previous": -1, "this": 0, "next": 1}
_SHORT = re.compile(r"(\d{1,6})\s*([a-z]+)", re.ASCII)
_LAST = re.compile(r"(?:the )?(?:last|past) (\d{1,6}) ([a-z]+)", re.ASCII)
_AGO = re.compile(r"(\d{1,6}|an?|one) ([a-z]+) ago", re.ASCII)
_NAMED = re.compile(r"(last|previous|this|next) ([a-z]+)", re.ASCII)
_DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", re.ASCII)
_LOCAL = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Now:
    """An instant and the zone in which somebody speaks at it."""

    now_ns: int
    zone: tzinfo

    @property
    def local(self) -> datetime:
        """The instant on a clock of the zone, to the microsecond."""
        return (_EPOCH + self.now_ns // _MICROSECOND_NS * _MICROSECOND).astimezone(self.zone)


def parse_bound(text: str, now: Now, *, field: str) -> int:
    """Return the instant that a text says, in Unix nanoseconds; of a period its beginning.

    Raises:
        InvalidRequestError: nobody can tell.
    """
    words = _words(text)
    exact_ns = _exact(words, now)
    if exact_ns is not None:
        return exact_ns
    back = _back(words)
    if back is not None:
        return _ns(_minus(now, *back))
    span = _calendar_span(words, now)
    if span is None:
        raise _unknown(text, field)
    return _midnight(span[0], now.zone)


def parse_period(text: str, now: Now, *, field: str) -> TimeWindow:
    """Return the window that a text says: `last week` whole, `7d` up to now.

    Raises:
        InvalidRequestError: it says none.
    """
    words = _words(text)
    ago = _AGO.fullmatch(words)
    recent = None if ago else _back(words)
    if recent is not None:
        return TimeWindow(_ns(_minus(now, *recent)), now.now_ns)
    span = _calendar_span(words, now)
    if span is None:
        raise _unknown(text, field)
    return TimeWindow(_midnight(span[0], now.zone), _midnight(span[1], now.zone))


def _unknown(text: str, field: str) -> InvalidRequestError:
    return InvalidRequestError(
        f"this is no time, try 2026-03-01, yesterday, 'last week' or 7d text={text}", field=field
    )


def _words(text: str) -> str:
    return " ".join(text.casefold().split())


def _exact(words: str, now: Now) -> int | None:
    """Read `now` and full times; one without an offset is of the zone."""
    if words == "now":
        return now.now_ns
    if not _LOCAL.fullmatch(words):
        return parse_time(words)
    try:
        local = datetime.fromisoformat(words.upper()).replace(tzinfo=now.zone)
        return _ns(local)
    except (ValueError, OverflowError):
        return None


def _back(words: str) -> tuple[int, str] | None:
    """Read how far back from now: `7d`, `last 7 days`, `7 days ago`."""
    match = _SHORT.fullmatch(words) or _LAST.fullmatch(words) or _AGO.fullmatch(words)
    if match is None or (unit := _unit(match[2])) is None:
        return None
    return (int(match[1]) if match[1].isdigit() else 1), unit


def _unit(word: str) -> str | None:
    singular = word.removesuffix("s") if len(word) > 1 else word
    return _UNITS.get(word) or _UNITS.get(singular)


def _minus(now: Now, count: int, unit: str) -> datetime:
    """Return this time of the calendar so many units ago; hours and minutes as they pass."""
    try:
        if unit in _STEADY:
            return (now.local.astimezone(UTC) - count * _STEADY[unit]).astimezone(now.zone)
        day = _moved(now.local.date(), unit, -count)
        return datetime.combine(day, now.local.time(), tzinfo=now.zone)
    except (ValueError, OverflowError) as exc:
        raise InvalidRequestError("this is too long ago") from exc


def _moved(day: date, unit: str, count: int) -> date:
    """Move a day by units of the calendar; the last day of a month where it has no such day."""
    if unit in _DAYS:
        return day + timedelta(days=count * _DAYS[unit])
    months = day.year * 12 + day.month - 1 + count * _MONTHS[unit]
    year, month = months // 12, months % 12 + 1
    last = calendar.monthrange(year, month)[1]
    return date(year, month, min(day.day, last))


def _calendar_span(words: str, now: Now) -> tuple[date, date] | None:
    """Return the first day of a period and the first day after it."""
    today = now.local.date()
    try:
        if words in _NAMED_DAYS:
            return _span(today + timedelta(days=_NAMED_DAYS[words]), "day")
        if match := _NAMED.fullmatch(words):
            unit = _unit(match[2])
            return _shifted(today, unit, _SHIFTS[match[1]])
        if (match := _AGO.fullmatch(words)) and (back := _back(words)):
            return _shifted(today, back[1], -back[0])
        match = _DATE.fullmatch(words)
        return _dated(*match.groups()) if match else None
    except (ValueError, OverflowError):
        return None


def _shifted(today: date, unit: str | None, count: int) -> tuple[date, date] | None:
    if unit not in _DAYS and unit not in _MONTHS:
        return None
    return _span(_moved(_span(today, unit)[0], unit, count), unit)


def _dated(year: str, month: str | None, day: str | None) -> tuple[date, date]:
    first = date(int(year), int(month or 1), int(day or 1))
    return _span(first, "day" if day else "month" if month else "year")


def _span(day: date, unit: str) -> tuple[date, date]:
    first = {
        "day": day,
        # ISO 8601: a week begins on Monday.
        "week": day - timedelta(days=day.weekday()),
        "month": day.replace(day=1),
        "year": day.replace(month=1, day=1),
    }[unit]
    return first, _moved(first, unit, 1)


def _midnight(day: date, zone: tzinfo) -> int:
    """Return when a day begins; where its midnight is skipped, the first instant after it."""
    return _ns(datetime(day.year, day.month, day.day, tzinfo=zone))


def _ns(moment: datetime) -> int:
    return (moment - _EPOCH) // _MICROSECOND * _MICROSECOND_NS
