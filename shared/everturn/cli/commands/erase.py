"""The command erase: all that a user has is deleted for good."""

import sys
from collections import Counter
from typing import Annotated, Any

import typer

from everturn.cli.output.console import note, printable, say
from everturn.cli.output.errors import CliError
from everturn.cli.output.receipts import counts_line, state_line
from everturn.cli.target.answer_shapes import RECEIPT
from everturn.cli.target.api import Api
from everturn.cli.target.options import on_store
from everturn.cli.target.session import open_api
from everturn.cli.target.store_choice import StoreChoice, Target

# Calls that remove nothing one after the other: then something is in the way.
_MAX_IDLE_CALLS = 3


@on_store
def erase(
    choice: StoreChoice,
    target: Target,
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Erase all that a user has: conversations, documents, memories; print the receipt."""
    who = f"{target.tenant or 'the default tenant'}/{target.actor or 'the default user'}"
    whose = f"all that {printable(who)} has in {choice}"
    if not yes:
        if not sys.stdin.isatty():
            raise CliError("nobody is here to ask: give --yes to erase")
        typer.confirm(f"Erase {whose}, every conversation file of it?", abort=True, err=True)
    with open_api(choice, target) as api:
        deleted, answer = _erase(api)
    say(f"erased: {counts_line(deleted)}{state_line(answer)}")


def _erase(api: Api) -> tuple[Counter[str], dict[str, Any]]:
    """Call until all is gone; each call does as much as ten seconds allow."""
    deleted: Counter[str] = Counter()
    idle = 0
    while True:
        answer: dict[str, Any] = api.call("DELETE", "/v1/me", shape=RECEIPT).json()
        deleted.update(answer["deleted"])
        idle = 0 if any(answer["deleted"].values()) else idle + 1
        if answer["complete"]:
            return deleted, answer
        if idle == _MAX_IDLE_CALLS:
            raise CliError(f"not all is erased, look into the log {counts_line(deleted)}")
        note(f"erased so far: {counts_line(deleted)}")
