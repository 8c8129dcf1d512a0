"""The command sweep: what the scheduled function does in AWS, for any store."""

from typing import Annotated

import typer

from everturn.cli.output.console import say
from everturn.cli.output.errors import CliError
from everturn.cli.output.receipts import counts_line
from everturn.cli.target.options import on_store
from everturn.cli.target.store_choice import StoreChoice, Target
from everturn.cli.target.stored_files import open_parts

_SECONDS = 600.0


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
    from everturn.upkeep.swept import Swept

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
