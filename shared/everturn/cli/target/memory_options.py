"""The arguments and options that say which memory, and what it says."""

import sys
from typing import Annotated, Any

import typer

Rid = Annotated[
    str, typer.Argument(metavar="RID", help="The memory's id, or its URI as `retrieve` shows it.")
]
Statement = Annotated[
    str | None, typer.Argument(metavar="STATEMENT", help="What it says; `-` reads stdin.")
]
Importance = Annotated[
    int | None, typer.Option(min=0, max=10, help="0 to 10 [default: by the kind].")
]
HoldsFrom = Annotated[
    str | None,
    typer.Option("--since", help="When it began to hold: 2026-03-01, yesterday, RFC 3339."),
]

Kind = Annotated[
    str | None,
    typer.Option(
        help="fact, event, pattern, preference, goal or constraint [default: fact, or pattern]."
    ),
]
Subject = Annotated[str | None, typer.Option(help="Whom it is about; `user` is the user.")]
Hard = Annotated[bool, typer.Option("--hard", help="A constraint that stands in every prompt.")]
Pin = Annotated[bool, typer.Option("--pin", help="It does not fade with time.")]
FromConversation = Annotated[
    str | None,
    typer.Option(metavar="ID[:FROM[-TO]]", help="The conversation that it comes from."),
]
Quote = Annotated[str | None, typer.Option(help="The words there; needs --source.")]
Key = Annotated[str | None, typer.Option(help="Idempotency key: a retry adds nothing.")]

Name = Annotated[str | None, typer.Option(help="Of a pattern: what it is called.")]
Trigger = Annotated[str | None, typer.Option(help="When one needs it.")]
Steps = Annotated[list[str] | None, typer.Option("--step", help="What to do; repeatable.")]
Preconditions = Annotated[
    list[str] | None, typer.Option("--precondition", help="What has to be there; repeatable.")
]
Gotchas = Annotated[list[str] | None, typer.Option("--gotcha", help="What goes wrong; repeatable.")]
Criteria = Annotated[
    list[str] | None, typer.Option("--success", help="How one knows that it worked; repeatable.")
]


def given(**fields: object) -> dict[str, Any]:
    """Return the fields that were given, as the API takes them."""
    return {name: value for name, value in fields.items() if value is not None and value != []}


def said_in(statement: str | None, spec: dict[str, Any]) -> dict[str, Any]:
    """Return what a memory says as the API takes it: a statement, a spec, or nothing.

    Raises:
        typer.BadParameter: both are given.
    """
    if statement is not None and spec:
        raise typer.BadParameter("give a STATEMENT, or the options of a pattern")
    if spec:
        return {"spec": spec}
    if statement is None:
        return {}
    return {"statement": sys.stdin.read().removesuffix("\n") if statement == "-" else statement}
