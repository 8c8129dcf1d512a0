"""The options that name a window of time, in words or in times, and the window they mean."""

import os
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from typing import Annotated

import typer

from everturn.cli.output.console import note
from everturn.cli.output.errors import CliError
from everturn.cli.output.time_zones import choose_zone, shown_time
from everturn.cli.target.periods import Now, parse_bound, parse_period
from everturn.values.time_window import EVER, TimeWindow
from everturn.values.timestamps import format_time, parse_time

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
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
    return (datetime.now(UTC) - _EPOCH) // timedelta(microseconds=1) * 1_000
