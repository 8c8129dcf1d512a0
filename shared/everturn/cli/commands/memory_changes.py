"""The commands remember, correct, forget, pin and promote: changes of long-term memory.

remember adds one statement or one pattern. promote makes a folder with an Agent Skill of a proven
pattern.
"""

import os
import re
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from everturn.cli.commands.conversations import AsJson
from everturn.cli.output.console import printable, say
from everturn.cli.output.errors import CliError
from everturn.cli.output.memory_lines import counted, named
from everturn.cli.output.receipts import counts_line, state_line
from everturn.cli.output.time_zones import choose_zone
from everturn.cli.target.api import CHANGED, PROMOTED, RECEIPT, REMEMBERED, memory_path
from everturn.cli.target.memory_options import (
    Criteria,
    FromConversation,
    Gotchas,
    Hard,
    HoldsFrom,
    Importance,
    Key,
    Kind,
    Name,
    Pin,
    Preconditions,
    Quote,
    Rid,
    Statement,
    Steps,
    Subject,
    Trigger,
    given,
    said_in,
)
from everturn.cli.target.options import on_store
from everturn.cli.target.session import open_api
from everturn.cli.target.store_choice import StoreChoice, Target
from everturn.cli.target.window_options import Zone, ask_day
from everturn.values.visible_text import one_line

_SOURCE = re.compile(r"(.+?)(?::(\d{1,12})(?:-(\d{1,12}))?)?", re.ASCII | re.DOTALL)


@on_store
def remember(
    choice: StoreChoice,
    target: Target,
    statement: Statement = None,
    *,
    kind: Kind = None,
    subject: Subject = None,
    importance: Importance = None,
    hard: Hard = False,
    pin: Pin = False,
    since: HoldsFrom = None,
    source: FromConversation = None,
    quote: Quote = None,
    key: Key = None,
    name: Name = None,
    trigger: Trigger = None,
    step: Steps = None,
    precondition: Preconditions = None,
    gotcha: Gotchas = None,
    success: Criteria = None,
    tz: Zone = None,
    as_json: AsJson = False,
) -> None:
    """Remember one statement, or one pattern: --name N --trigger T --step S."""
    spec = given(
        name=name, trigger=trigger, preconditions=precondition, steps=step, gotchas=gotcha,
        success_criteria=success,
    )  # fmt: skip
    zone = choose_zone(tz, os.environ)
    body = said_in(statement, spec) | given(
        kind=kind or ("pattern" if spec else "fact"), subject=subject, importance=importance,
        hard=hard or None, pinned=pin or None, source=_source(source, quote),
        valid_from=since and ask_day(since, zone, field="since"),
    )  # fmt: skip
    if not body.keys() & {"statement", "spec"}:
        raise typer.BadParameter("give a STATEMENT, or of a pattern --step and the like")
    headers = given(**{"idempotency-key": key})
    with open_api(choice, target) as api:
        response = api.call("POST", "/v1/memories", body=body, headers=headers, shape=REMEMBERED)
    say(response.text if as_json else _remembered(response.json()))


def _source(text: str | None, quote: str | None) -> dict[str, Any] | None:
    """Return the source that the options name, as the API takes it."""
    if text is None:
        if quote is not None:
            raise typer.BadParameter("a quote stands in a conversation: give --source")
        return None
    match = _SOURCE.fullmatch(text)
    if match is None:
        raise typer.BadParameter("a source is the id of a conversation", param_hint="--source")
    first, last = (number and int(number) for number in match.group(2, 3))
    return given(conversation_id=match[1], **{"from": first}, to=last, quote=quote)


def _remembered(answer: dict[str, Any]) -> str:
    verb = "remembered" if answer["created"] else "known already"
    return f"{verb}: {named(answer['memory'])} ({counted(answer['memory'])})"


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


_SKILL = "SKILL.md"
# https://agentskills.io/specification; whatever answers at a URL names no other place to write to.
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?", re.ASCII)


@on_store
def promote(
    choice: StoreChoice,
    target: Target,
    rid: Rid,
    *,
    to: Annotated[Path, typer.Option(metavar="DIR", help="Where its folder goes.")] = Path(),
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite a skill that is there.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Make an Agent Skill of a pattern that three sources or more have proven."""
    with open_api(choice, target) as api:
        response = api.call("POST", f"{memory_path(rid)}/promote", body={}, shape=PROMOTED)
    name, text = _skill(response.json())
    path = _write(to / name / _SKILL, text, force=force)
    say(response.text if as_json else f"promoted: {name} in {path}")


def _skill(answer: dict[str, Any]) -> tuple[str, str]:
    """Return the name of a skill, which is a folder's, and the text of its file."""
    name, text = answer["name"], answer["files"].get(_SKILL)
    if not _NAME.fullmatch(name) or not isinstance(text, str):
        raise CliError("this is no everturn: it answers with no skill")
    return name, text


def _write(path: Path, text: str, *, force: bool) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("w" if force else "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError as exc:
        raise CliError(f"a skill is there already, --force overwrites it file={path}") from exc
    return path
