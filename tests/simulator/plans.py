"""What kind of run a seed gives: how small things are, how bad the weather is, who takes part."""

from dataclasses import dataclass

from everturn.conversations.model.sealing import SealLimits
from simulator.actors import DESTROYER, EDITOR, SWEEPER, WATCHER, WRITER, Role
from simulator.dice import Dice
from simulator.fates import Weather

# Some three turns; the head keeps one or two of them.
SMALL_LIMITS = SealLimits(
    above_bytes=240, tail_bytes=60, tail_turns=1, max_tail_bytes=200, segment_bytes=150
)


@dataclass(frozen=True, slots=True)
class Plan:
    """One kind of run."""

    conversation_ids: tuple[str, ...]
    weather: Weather
    roles: tuple[Role, ...]
    ring_entries: int | None = None
    """None: as many as the product keeps."""
    seals: bool = False
    """Whether a conversation of some turns is big already."""
    with_ids: bool = False
    """Whether each turn carries a number of its own, at which no rule of the product looks."""


def draw_plan(dice: Dice) -> Plan:
    """Draw one: a quarter of them are of writers alone."""
    faults, crashes = dice.pick((0, 0.02, 0.1, 0.3)), dice.pick((0, 0.02, 0.05))
    others = () if dice.chance(0.25) else (EDITOR, EDITOR, DESTROYER, WATCHER, SWEEPER)
    return Plan(
        dice.pick((("c1",), ("c1",), ("c1", "c2"))),
        Weather(faults, crashes),
        (WRITER, WRITER, *others),
        ring_entries=dice.pick((None, None, 4, 2)),
        seals=dice.chance(0.7),
        with_ids=dice.chance(0.5),
    )


CROWD_OF_WRITERS = Plan(("c1",), Weather(0.3, 0), (WRITER,), ring_entries=2, seals=True)
"""Where most read-backs go beyond what the ring remembers."""
SWEEPERS_AMONG_WRITERS = Plan(("c1",), Weather(0.3, 0), (WRITER, EDITOR, SWEEPER), seals=True)
"""Where most sweeps come while somebody writes; where nothing was taken back they remove less."""
