"""The command memories: what long-term memory holds, and all that is known of one of them."""

import os
from datetime import tzinfo
from typing import Annotated, Any

import typer

from everturn.cli.commands.conversations import All, AsJson
from everturn.cli.output.console import local_time, note, say, say_table
from everturn.cli.output.memory_lines import said, say_history, say_memory, state
from everturn.cli.output.time_zones import choose_zone
from everturn.cli.target.api import HISTORY, MEMORIES, Api, encoded, memory_path
from everturn.cli.target.options import on_store
from everturn.cli.target.session import open_api
from everturn.cli.target.store_choice import StoreChoice, Target
from everturn.cli.target.window_options import Zone

_PATH = "/v1/memories"

Params = dict[str, str | int]


@on_store
def memories(
    choice: StoreChoice,
    target: Target,
    rid: Annotated[
        str | None, typer.Argument(metavar="RID", help="Show this one, with its history.")
    ] = None,
    *,
    kind: Annotated[str | None, typer.Option(help="Only this kind.")] = None,
    superseded: Annotated[
        bool, typer.Option("--superseded", help="Also what another one replaced.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, max=1_000, help="Rows of one page.")] = 50,
    everything: All = False,
    tz: Zone = None,
    as_json: AsJson = False,
) -> None:
    """List what is remembered, in the order of ids; with RID, show one and its history."""
    zone = choose_zone(tz, os.environ)
    if rid is not None:
        with open_api(choice, target) as api:
            response = api.call("GET", memory_path(rid), shape=HISTORY)
        if as_json:
            say(response.text)
        else:
            _say_one(response.json(), zone, asked=rid)
        return
    params: Params = {"limit": limit}
    if kind is not None:
        params["kind"] = kind
    if superseded:
        params["superseded"] = "true"
    with open_api(choice, target) as api:
        page = _pages(api, params, everything=everything)
    if as_json:
        say(encoded(page).decode())
    else:
        _say_page(page, choice)


def _pages(api: Api, params: Params, *, everything: bool) -> dict[str, Any]:
    """Read one page, or all of them as if they were one."""
    whole = api.read(_PATH, params, shape=MEMORIES)
    while everything and "next_cursor" in whole:
        page = api.read(_PATH, params | {"cursor": whole["next_cursor"]}, shape=MEMORIES)
        whole = {
            **page,
            "memories": whole["memories"] + page["memories"],
            "skipped": whole["skipped"] + page["skipped"],
        }
    return whole


def _say_page(page: dict[str, Any], choice: StoreChoice) -> None:
    rows = [
        (
            memory["id"],
            memory["kind"],
            str(memory["count"]),
            local_time(memory["last_seen"]),
            state(memory),
            said(memory),
        )
        for memory in page["memories"]
    ]
    if rows:
        say_table(("ID", "KIND", "SOURCES", "LAST SEEN", "STATE", "SAYS"), rows)
    else:
        note(f"nothing is remembered in {choice}")
    if "next_cursor" in page:
        note("there are more: --all shows them")
    if page["skipped"]:
        note(f"skipped: {page['skipped']} unreadable")
    if page.get("pending"):
        note(f"pending: there was no time to look at {page['pending']}, ask again")


def _say_one(answer: dict[str, Any], zone: tzinfo, *, asked: str) -> None:
    memory = answer["memory"]
    if memory["id"] not in asked:
        note("replaced: this is what holds now")
    say_memory(memory, zone)
    say_history(answer["history"], zone)
