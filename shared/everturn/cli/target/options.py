"""The options that most commands share, given to each by one decorator.

It is also where a failure becomes exit 1.
"""

import functools
import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Concatenate, ParamSpec

import typer

from everturn.cli.output.console import complain
from everturn.cli.output.errors import CliError, line_of
from everturn.cli.target.store_choice import StoreChoice, Target, choose_store
from everturn.errors import EverturnError

P = ParamSpec("P")

_SHARED: dict[str, tuple[Any, Any]] = {
    "url": (
        Annotated[str | None, typer.Option(help="Work on a server: that of `up`, or one in AWS.")],
        None,
    ),
    "directory": (
        Annotated[Path | None, typer.Option("--dir", help="Work here [default: ./.everturn].")],
        None,
    ),
    "store": (
        Annotated[str | None, typer.Option(help="Work in s3://bucket/prefix, or a directory.")],
        None,
    ),
    "tenant": (Annotated[str | None, typer.Option(help="Act for a user of this tenant.")], None),
    "actor": (Annotated[str | None, typer.Option(help="Act for this user.")], None),
    "aws_region": (
        Annotated[
            str | None, typer.Option(help="Sign for the --url's region; known for an API in AWS.")
        ],
        None,
    ),
    "verbose": (
        Annotated[bool, typer.Option("--verbose", "-v", help="Say which store and why.")],
        False,
    ),
}


def reporting(command: Callable[P, None]) -> Callable[P, None]:
    """Make a command say its failure in one line and end with exit 1."""

    @functools.wraps(command)
    def reported(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except (CliError, EverturnError, OSError) as error:
            complain(line_of(error))
            raise typer.Exit(1) from error

    return reported


def on_store(
    command: Callable[Concatenate[StoreChoice, Target, P], None],
) -> Callable[..., None]:
    """Give a command the shared options; it gets the store they choose, and what they say."""

    def opened(**options: Any) -> None:  # noqa: ANN401 - whatever the command's own options are
        target = Target(**{name: options.pop(name) for name in _SHARED})
        command(choose_store(target, os.environ), target, **options)  # type: ignore[call-arg]  # ParamSpec cannot say keyword-only

    own = list(inspect.signature(command).parameters.values())[2:]
    shared = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in _SHARED.items()
    ]
    opened.__name__, opened.__doc__ = command.__name__, command.__doc__
    opened.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined]  # PEP 362
    opened.__annotations__ = {p.name: p.annotation for p in [*own, *shared]}
    return reporting(opened)
