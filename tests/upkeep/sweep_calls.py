"""Sweeps of a world whose clock moves on, and what is left then."""

from everturn.consolidation.enqueue_job import JobOffers
from everturn.ports.object_store import ObjectStore
from everturn.storage.budget import Budget
from everturn.upkeep.sweep import SweepOutcome, sweep
from everturn.upkeep.sweep_tasks import Swept
from everturn.values.keys import Scope, heads_prefix
from scenarios.process import SCOPE
from scenarios.world import World

HOUR_S = 3_600.0
DAY_S = 24 * HOUR_S


def sweep_call(
    world: World,
    *,
    reads: int | None = None,
    idle_days: int = 0,
    data: ObjectStore | None = None,
    derived: ObjectStore | None = None,
    seconds: float = 600,
    offers: JobOffers | None = None,
) -> SweepOutcome:
    """Make one call, on the stores of a world or on others in front of them."""
    return sweep(
        data=data or world.data,
        derived=derived or world.derived,
        clock=world.clock,
        entropy=world.entropy,
        budget=Budget(clock=world.clock, seconds=seconds, reads=reads),
        idle_days=idle_days,
        offers=offers,
    )


def swept_after(world: World, seconds: float, *, idle_days: int = 0) -> Swept:
    """Let time pass, and return what a whole pass does then."""
    world.clock.sleep(seconds)
    outcome = sweep_call(world, idle_days=idle_days)
    assert outcome.complete
    return outcome.swept


def heads_there(world: World, scope: Scope = SCOPE) -> list[str]:
    """Return the conversations that have a head."""
    prefix = heads_prefix(scope)
    keys = world.data.list(prefix).keys
    return [key.removeprefix(prefix).removesuffix(".json") for key in keys]
