"""The command recent: what was said last in all conversations, in a window of time.

Not here: what words for times mean (domain/periods.py), whose time zone it is (zones.py).
"""

import os
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Annotated, Any

import typer

from everturn.cli.answer_shapes import PAIRS, RECENT, Shape
from everturn.cli.api import Api, encoded
from everturn.cli.console import note, printable, say
from everturn.cli.failures import CliError
from everturn.cli.options import on_store
from everturn.cli.session import open_api
from everturn.cli.store_choice import StoreChoice, Target
from everturn.cli.zones import choose_zone, shown_time
from everturn.domain.periods import Now, parse_bound, parse_period
from everturn.domain.time_window import EVER, TimeWindow
from everturn.domain.timestamps import format_time, parse_time
from everturn.domain.visible_text import one_line

_PATH = "/v1/turns/recent"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TIMES = "RFC 3339, 2026-03-01, yesterday, 'last week', 7d, '3 days ago'"

Params = dict[str, str | int]


@dataclass(frozen=True, slots=True)
class _Answer:
    """Where items stand in the API's answer, and the shape of it."""

    field: str
    shape: Shape


_TURNS, _PAIRS = _Answer("turns", RECENT), _Answer("pairs", PAIRS)


@on_store
def recent(
    choice: StoreChoice,
    target: Target,
    *,
    since: Annotated[str | None, typer.Option(help=f"From here on: {_TIMES}.")] = None,
    until: Annotated[str | None, typer.Option(help="Up to here, itself left out.")] = None,
    during: Annotated[str | None, typer.Option(help="All of it: 'last week', 2026-03, 7d.")] = None,
    roles: Annotated[str | None, typer.Option(help="Only these roles: user,assistant.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1_000, help="Turns or pairs of one page.")] = 20,
    pairs: Annotated[bool, typer.Option("--pairs", help="Questions with their answers.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="All of them, page by page.")] = False,
    tz: Annotated[str | None, typer.Option(help="Time zone; default: TZ, or the system's.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the API's JSON.")] = False,
) -> None:
    """Show the newest turns of all conversations, newest first."""
    zone = choose_zone(tz, os.environ)
    window = _window(since, until, during, Now(_now_ns(), zone))
    wanted = _PAIRS if pairs else _TURNS
    params: Params = {"limit": limit, "as": wanted.field, **_bounds(window)}
    if roles is not None:
        params["roles"] = roles
    if window != EVER:
        note(_named(window, zone))
    with open_api(choice, target) as api:
        if as_json and not everything:
            say(api.call("GET", _PATH, params=params, shape=wanted.shape).text)
            return
        page = _pages(api, params, wanted, everything=everything)
    if as_json:
        say(encoded(page).decode())
        return
    _say_page(page, wanted, zone)


def _now_ns() -> int:
    return (datetime.now(UTC) - _EPOCH) // timedelta(microseconds=1) * 1_000


def _window(since: str | None, until: str | None, during: str | None, now: Now) -> TimeWindow:
    if during is not None:
        if (since, until) != (None, None):
            raise CliError("give either --during, or --since and --until")
        return parse_period(during, now, field="during")
    window = TimeWindow(
        None if since is None else parse_bound(since, now, field="since"),
        None if until is None else parse_bound(until, now, field="until"),
    )
    ends = (window.since_ns, window.until_ns)
    if None not in ends and not window.holds(ends[0] or 0):
        raise CliError(f"nothing lies in this window, {_named(window, now.zone)}")
    return window


def _bounds(window: TimeWindow) -> dict[str, str]:
    ends = {"since": window.since_ns, "until": window.until_ns}
    return {name: format_time(time_ns) for name, time_ns in ends.items() if time_ns is not None}


def _named(window: TimeWindow, zone: tzinfo) -> str:
    ends = (("from", window.since_ns), ("to", window.until_ns))
    words = [f"{word} {shown_time(ns, zone, minutes=True)}" for word, ns in ends if ns is not None]
    return f"{' '.join(words)} ({zone})"


def _pages(api: Api, params: Params, wanted: _Answer, *, everything: bool) -> dict[str, Any]:
    """Read one page, or all of them as if they were one."""
    whole = api.read(_PATH, params, shape=wanted.shape)
    while everything and "next_cursor" in whole:
        page = api.read(_PATH, params | {"cursor": whole["next_cursor"]}, shape=wanted.shape)
        whole = {**page, wanted.field: whole[wanted.field] + page[wanted.field]}
    return whole


def _say_page(page: dict[str, Any], wanted: _Answer, zone: tzinfo) -> None:
    items = page[wanted.field]
    for item in items:
        if wanted is _PAIRS:
            for turn in (item["question"], *item["answers"]):
                _say_turn(turn, item, zone)
        else:
            _say_turn(item, item, zone)
    if not items:
        note("nothing was said")
    if "next_cursor" in page:
        note("there are more: --all shows them")
    if page["skipped"]:
        note(f"skipped: {page['skipped']} unreadable")


def _say_turn(turn: dict[str, Any], of: dict[str, Any], zone: tzinfo) -> None:
    time_ns = parse_time(turn.get("ts") or "")
    time = "" if time_ns is None else f"{shown_time(time_ns, zone)}  "
    title, id_ = one_line(of["title"]), one_line(of["conversation_id"])
    # A line break in any of these would let one turn pass for two.
    say(f"{time}{title}  ({id_} #{turn['index']})  {one_line(turn['role'])}")
    say(f"{printable(turn['text'])}\n")
