"""What becomes of a request to S3, and how long it takes."""

from dataclasses import dataclass
from enum import Enum

from simulator.dice import Dice
from simulator.timeline import NS

# A client gives up here; the product's own limit is near it.
TIMEOUT_NS = 2 * NS
# What arrives late arrives up to half a minute late.
_LATEST = 15
# A process may stand still that long between two of its steps: the sandbox was frozen.
_LONGEST_STALL_NS = 20 * NS


class Fate(Enum):
    """One way of a request."""

    FINE = "is done and answered"
    LOST = "never arrives; no clear answer"
    ANSWER_LOST = "is done; no clear answer"
    LATE = "no clear answer in time; done later, if its condition holds then"
    FAILED_BEFORE = "500, not done"
    FAILED_AFTER = "500, done"
    REFUSED = "409 or 412 without a cause; a write is not done"
    BUSY = "503; not done"
    STALLED = "is sent late by a process that stood still"
    CRASH_BEFORE = "its process ends before it is sent"
    CRASH_AFTER = "its process ends after it was sent"


FAULTS = tuple(fate for fate in Fate if fate is not Fate.FINE and "CRASH" not in fate.name)
CRASHES = (Fate.CRASH_BEFORE, Fate.CRASH_AFTER)


@dataclass(frozen=True, slots=True)
class Weather:
    """Shares of all requests that go wrong: at the store or on the way, and by a crash."""

    faults: float
    crashes: float

    def fate(self, dice: Dice) -> Fate:
        """Draw what becomes of a request."""
        if dice.chance(self.crashes):
            return dice.pick(CRASHES)
        return dice.pick(FAULTS) if dice.chance(self.faults) else Fate.FINE


FAIR = Weather(faults=0, crashes=0)


@dataclass(frozen=True, slots=True)
class Times:
    """Of one request, in nanoseconds from now: sent, done by the store, answered."""

    sent: int
    done: int
    answered: int


def draw_times(fate: Fate, dice: Dice) -> Times:
    """Draw how long a request takes: 10 to 80 ms, and what its fate adds."""
    sent = round(dice.between(0, _LONGEST_STALL_NS)) if fate is Fate.STALLED else 0
    takes = round(dice.between(0.01, 0.08) * NS)
    done = sent + round(takes * dice.between(0.3, 0.9))
    if fate is Fate.LATE or (fate is Fate.CRASH_AFTER and dice.chance(0.5)):
        done = round(TIMEOUT_NS * dice.pick([1.0, 1.0, _LATEST]) * dice.between(0.1, 2))
    slow = fate in {Fate.LOST, Fate.ANSWER_LOST, Fate.LATE}
    return Times(sent, done, TIMEOUT_NS if slow else sent + takes)
