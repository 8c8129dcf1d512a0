"""The commands redact, pop and recent: take back one turn, or show the newest of all conversations.

recent shows the turns of a window of time.
"""

from dataclasses import dataclass
from datetime import tzinfo
from typing import Annotated, Any

import typer

from everturn.cli.commands.conversations import AsJson, Id
from everturn.cli.output.console import note, printable, say
from everturn.cli.output.receipts import popped_line, state_line
from everturn.cli.output.time_zones import shown_time
from everturn.cli.target.api import (
    EDITED,
    PAIRS,
    RECENT,
    TURNS,
    Api,
    Shape,
    conversation_path,
    encoded,
)
from everturn.cli.target.options import on_store
from everturn.cli.target.session import open_api
from everturn.cli.target.store_choice import StoreChoice, Target
from everturn.cli.target.window_options import During, Since, Until, Zone, ask_window
from everturn.values.timestamps import parse_time
from everturn.values.visible_text import one_line


@on_store
def redact(
    choice: StoreChoice,
    target: Target,
    conversation_id: Id,
    number: Annotated[int, typer.Argument(metavar="N", min=0, help="The turn's number.")],
    *,
    text: Annotated[str, typer.Option(help="What stands there instead.")] = "",
    as_json: AsJson = False,
) -> None:
    """Take back what one turn said; it keeps its number, role and time."""
    with open_api(choice, target) as api:
        path = f"{conversation_path(conversation_id)}/turns/{number}"
        response = api.call("PATCH", path, body={"text": text}, shape=EDITED)
    answer = response.json()
    name = printable(answer["conversation_id"])
    line = f"redacted: turn {number} of {name}{state_line(answer)}"
    say(response.text if as_json else line)


@on_store
def pop(
    choice: StoreChoice,
    target: Target,
    conversation_id: Id,
    *,
    expected: Annotated[
        int | None, typer.Option(min=1, help="The turn count before [default: what it is now].")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Take back the newest turn."""
    path = f"{conversation_path(conversation_id)}/turns"
    with open_api(choice, target) as api:
        if expected is None:
            expected = api.read(path, {"last": 1}, shape=TURNS)["turn_count"]
            note(f"turns: {expected}")
        params = {"expected_turn_count": expected}
        response = api.call("DELETE", f"{path}/last", params=params, shape=EDITED)
    answer = response.json()
    say(response.text if as_json else popped_line(answer))


_PATH = "/v1/turns/recent"

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
    since: Since = None,
    until: Until = None,
    during: During = None,
    roles: Annotated[str | None, typer.Option(help="Only these roles: user,assistant.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1_000, help="Turns or pairs of one page.")] = 20,
    pairs: Annotated[bool, typer.Option("--pairs", help="Questions with their answers.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="All of them, page by page.")] = False,
    tz: Zone = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the API's JSON.")] = False,
) -> None:
    """Show the newest turns of all conversations, newest first."""
    asked = ask_window(since=since, until=until, during=during, tz=tz)
    wanted = _PAIRS if pairs else _TURNS
    params: Params = {"limit": limit, "as": wanted.field, **asked.bounds}
    if roles is not None:
        params["roles"] = roles
    asked.say()
    with open_api(choice, target) as api:
        if as_json and not everything:
            say(api.call("GET", _PATH, params=params, shape=wanted.shape).text)
            return
        page = _pages(api, params, wanted, everything=everything)
    if as_json:
        say(encoded(page).decode())
        return
    _say_page(page, wanted, asked.zone)


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
