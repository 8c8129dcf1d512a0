"""The commands erase and sweep: delete all that a user has, or clean up the store for all users.

An erasure is for good. sweep does for any store what the scheduled function does in AWS.
"""

import sys
from collections import Counter
from typing import Annotated, Any

import typer

from everturn.cli.output.console import note, printable, say
from everturn.cli.output.errors import CliError
from everturn.cli.output.receipts import counts_line, state_line
from everturn.cli.target.api import RECEIPT, Api
from everturn.cli.target.options import on_store
from everturn.cli.target.session import open_api, open_parts
from everturn.cli.target.store_choice import StoreChoice, Target

# Calls that remove nothing one after the other: then something is in the way.
_MAX_IDLE_CALLS = 3

# So long one command sweeps; the next one goes on where it stopped.
_SECONDS = 600.0


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


@on_store
def sweep(
    choice: StoreChoice,
    target: Target,
    *,
    idle_days: Annotated[
        int | None,
        typer.Option(
            min=0, help="Delete what nobody wrote to for so long [default: EVERTURN_IDLE_DAYS]."
        ),
    ] = None,
) -> None:
    """Remove what was never used and what crashes left, of all users; finish deletions.

    Conversations that nobody consolidated to their end wait for `everturn up` then.
    """
    del target
    if choice.is_url:
        raise CliError("a server sweeps its own store: give --dir or --store")
    from everturn.bootstrap.components import open_offers
    from everturn.storage.budget import Budget
    from everturn.upkeep.sweep import SweepOutcome
    from everturn.upkeep.sweep import sweep as sweep_store
    from everturn.upkeep.sweep_tasks import Swept

    parts, settings = open_parts(choice)
    days = settings.idle_days if idle_days is None else idle_days
    outcome = SweepOutcome(Swept(), complete=False)
    while not outcome.complete and not outcome.swept.failed:
        done = sweep_store(
            data=parts.data,
            derived=parts.derived,
            clock=parts.clock,
            entropy=parts.entropy,
            budget=Budget(clock=parts.clock, seconds=_SECONDS),
            idle_days=days,
            offers=open_offers(settings) if settings.queue else None,
        )
        outcome = SweepOutcome(outcome.swept + done.swept, done.complete)
    counts = {name: int(count) for name, count in outcome.json().items() if name != "complete"}  # type: ignore[arg-type]  # counts
    say(f"swept: {counts_line(counts)}")
    if outcome.swept.failed:
        raise CliError(f"some could not be swept, run it again failed={outcome.swept.failed}")
