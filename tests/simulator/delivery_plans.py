"""What kind of delivery run a seed gives: which queue, how bad the weather is, who takes part."""

from dataclasses import dataclass, replace

from everturn.values.keys import Scope
from simulator.deliveries import Thread
from simulator.dice import Dice
from simulator.fates import FAIR, Weather
from simulator.fickle_extractor import Mood
from simulator.job_queue import QueueKind

_ANN, _ROBIN = Scope("acme", "ann"), Scope("acme", "robin")
_SETS = (
    (Thread(_ANN, "c1"),),
    (Thread(_ANN, "c1"), Thread(_ANN, "c2")),
    (Thread(_ANN, "c1"), Thread(_ANN, "c2"), Thread(_ROBIN, "c1")),
)


@dataclass(frozen=True, slots=True)
class DeliveryPlan:
    """One kind of run."""

    threads: tuple[Thread, ...]
    weather: Weather
    mood: Mood
    kind: QueueKind = "sqs"
    settle_s: int = 60
    quiet_s: float | None = None
    """None: what the product chooses."""
    max_depth: int = 8
    oddity: float = 0.0
    lease_s: int = 300
    workers: int = 2
    appenders: int = 3
    editors: int = 0
    longest: int = 3
    """How many turns a model reads at once."""
    seals: bool = False
    away_s: float = 0.0
    """How long nobody can reach the queue."""
    rest_s: float = 40.0
    """How long an appender rests at most between two appends."""
    poison: float = 0.0


def draw_delivery_plan(dice: Dice) -> DeliveryPlan:
    """Draw one; in a third of them turns are taken back and conversations deleted."""
    faults, crashes = dice.pick((0.0, 0.02, 0.1)), dice.pick((0.0, 0.01, 0.04))
    kind: QueueKind = dice.pick(("sqs", "sqs", "folder"))
    settle_s = dice.pick((2, 2, 60)) if kind == "sqs" else 2
    return DeliveryPlan(
        dice.pick(_SETS),
        Weather(faults, crashes),
        Mood(dice.pick((0, 0.1)), dice.pick((0, 0.1)), crashes, dice.pick((0.5, 5, 40))),
        kind=kind,
        settle_s=settle_s,
        quiet_s=0.0 if kind == "folder" else None,
        max_depth=dice.pick((8, 8, 2, 1)),
        oddity=dice.pick((0.0, 0.1, 0.3)),
        lease_s=dice.pick((300, 60, 15)),
        workers=dice.pick((1, 2, 3)),
        appenders=dice.number(1, 3),
        editors=dice.pick((0, 0, 1)),
        longest=dice.number(1, 4),
        seals=dice.chance(0.15),
        away_s=dice.pick((0, 0, 30)),
        rest_s=settle_s * dice.pick((0.1, 0.5, 1.2)),
        poison=dice.pick((0.0, 0.0, 0.05)),
    )


CALM = DeliveryPlan(_SETS[1], FAIR, Mood())
"""Nothing goes wrong: each window is read once, by one delivery."""
MUTE = replace(CALM, mood=Mood(away=0.9), settle_s=2, quiet_s=0.0, lease_s=15)
"""The model is mostly away while turns go on: jobs die, and others of their conversation come."""
