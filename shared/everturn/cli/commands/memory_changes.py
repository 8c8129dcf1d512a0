"""The commands correct, forget and pin: changes of what is remembered."""

import os
import sys
from typing import Annotated, Any

import typer

from everturn.cli.commands.conversations import AsJson
from everturn.cli.output.console import printable, say
from everturn.cli.output.errors import CliError
from everturn.cli.output.memory_lines import named
from everturn.cli.output.receipts import counts_line, state_line
from everturn.cli.output.time_zones import choose_zone
from everturn.cli.target.answer_shapes import RECEIPT
from everturn.cli.target.api import memory_path
from everturn.cli.target.memory_options import (
    Criteria,
    Gotchas,
    HoldsFrom,
    Importance,
    Name,
    Preconditions,
    Rid,
    Statement,
    Steps,
    Trigger,
    given,
    said_in,
)
from everturn.cli.target.memory_shapes import CHANGED
from everturn.cli.target.options import on_store
from everturn.cli.target.session import open_api
from everturn.cli.target.store_choice import StoreChoice, Target
from everturn.cli.target.window_options import Zone, ask_day
from everturn.values.visible_text import one_line


@on_store
def correct(
    choice: StoreChoice,
    target: Target,
    rid: Rid,
    statement: Statement = None,
    *,
    since: HoldsFrom = None,
    importance: Importance = None,
    name: Name = None,
    trigger: Trigger = None,
    step: Steps = None,
    precondition: Preconditions = None,
    gotcha: Gotchas = None,
    success: Criteria = None,
    tz: Zone = None,
    as_json: AsJson = False,
) -> None:
    """Say what holds instead, or since when, or how much it matters."""
    spec = given(
        name=name,
        trigger=trigger,
        preconditions=precondition,
        steps=step,
        gotchas=gotcha,
        success_criteria=success,
    )
    zone = choose_zone(tz, os.environ)
    body = given(
        valid_from=since and ask_day(since, zone, field="since"),
        importance=importance,
        **said_in(statement, spec),
    )
    if not body:
        raise typer.BadParameter("give a STATEMENT, or an option that says what is different")
    with open_api(choice, target) as api:
        response = api.call("PATCH", memory_path(rid), body=body, shape=CHANGED)
    say(response.text if as_json else _corrected(response.json()))


def _corrected(answer: dict[str, Any]) -> str:
    old = answer.get("superseded")
    return f"corrected: {named(answer['memory'])}" + (f" replaces {one_line(old)}" if old else "")


@on_store
def forget(
    choice: StoreChoice,
    target: Target,
    rid: Rid,
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Forget a memory for good: its text, its quotes, and of a pattern its earlier specs.

    What it replaced is a memory of its own, which `memories --superseded` and `retrieve --as-of`
    show still: forget that one too.
    """
    if not yes:
        if not sys.stdin.isatty():
            raise CliError("nobody is here to ask: give --yes to forget")
        typer.confirm(f"Forget {printable(rid)} for good?", abort=True, err=True)
    with open_api(choice, target) as api:
        response = api.call("DELETE", memory_path(rid), shape=RECEIPT)
    receipt = response.json()
    line = f"forgotten: {counts_line(receipt['deleted'])}{state_line(receipt)}"
    say(response.text if as_json else line)


@on_store
def pin(
    choice: StoreChoice,
    target: Target,
    rid: Rid,
    *,
    off: Annotated[bool, typer.Option("--off", help="Take the pin out.")] = False,
    as_json: AsJson = False,
) -> None:
    """Keep a memory from fading with time."""
    with open_api(choice, target) as api:
        response = api.call("PATCH", memory_path(rid), body={"pinned": not off}, shape=CHANGED)
    memory = response.json()["memory"]
    verb = "pinned" if memory["pinned"] else "unpinned"
    say(response.text if as_json else f"{verb}: {named(memory)}")
