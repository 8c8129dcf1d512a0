"""The command remember: one statement or one pattern into long-term memory."""

import os
import re
from typing import Any

import typer

from everturn.cli.commands.conversations import AsJson
from everturn.cli.output.console import say
from everturn.cli.output.memory_lines import counted, named
from everturn.cli.output.time_zones import choose_zone
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
    Statement,
    Steps,
    Subject,
    Trigger,
    given,
    said_in,
)
from everturn.cli.target.memory_shapes import REMEMBERED
from everturn.cli.target.options import on_store
from everturn.cli.target.session import open_api
from everturn.cli.target.store_choice import StoreChoice, Target
from everturn.cli.target.window_options import Zone, ask_day

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
