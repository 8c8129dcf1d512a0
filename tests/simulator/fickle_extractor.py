"""A model that answers otherwise each time it is asked, or not at all, or nothing usable.

What it says of a turn names the reading, so that nobody can take two readings for one.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from everturn.conversations.model.extraction_window import Window
from everturn.conversations.model.turn import Turn
from everturn.errors import UnavailableError
from everturn.extraction.answers.findings import Extracted, Findings
from everturn.memory.model.draft import MemoryDraft
from everturn.ports.clock import Clock
from simulator.deliveries import Delivery, Reading
from simulator.dice import Dice
from simulator.virtual_store import Crash

POISON: Final = "poison"


@dataclass(frozen=True, slots=True)
class Mood:
    """Shares of all answers that fail, and how long one takes at most."""

    away: float = 0.0
    unusable: float = 0.0
    crashes: float = 0.0
    longest_s: float = 1.0


@dataclass
class FickleExtractor:
    """Reads at most `longest` turns at once; `note` is told of each answer.

    `now_ns` is the time of all machines, which the clock of one may not show.
    """

    clock: Clock
    now_ns: Callable[[], int]
    dice: Dice
    mood: Mood
    longest: int
    note: Callable[[Reading], None]
    count: Callable[[], int]
    delivery: Delivery

    name: Final = "fickle"
    costs_tokens: Final = True

    def fitting(self, window: Window) -> Window:
        """Return some turns of it at most."""
        return window.until(min(window.first + self.longest, window.end))

    def extract(self, window: Window) -> Findings:
        """Say some of what the turns say."""
        number, began_ns = self.count(), self.now_ns()
        self._wait()
        poisoned = any(POISON in turn.text for turn in window.turns)
        if poisoned or self.dice.chance(self.mood.unusable):
            findings = Findings(self.dice.pick(("fail", "salvaged")) if not poisoned else "fail")
        else:
            found = tuple(one for turn in window.turns for one in self._found(turn, number))
            findings = Findings("ok", found, extractor=self.name)
        usable = findings.result == "ok" or (findings.result == "salvaged" and window.size == 1)
        texts = {turn.index: turn.text for turn in window.turns}
        self.note(
            Reading(number, self.delivery, window.first, texts, began_ns, findings.memories, usable)
        )
        return findings

    def works(self) -> bool:
        """Say that it does, if it answers."""
        self._wait()
        return True

    def _wait(self) -> None:
        self.clock.sleep(self.dice.between(0, self.mood.longest_s))
        if self.dice.chance(self.mood.crashes):
            self.delivery.crashed = True
            raise Crash
        if self.dice.chance(self.mood.away):
            raise UnavailableError("the model is away")

    def _found(self, turn: Turn, number: int) -> Iterator[Extracted]:
        if turn.role != "user":
            return
        if self.dice.chance(0.7):
            yield said(turn, f"{turn.text.partition(',')[0]}.")
        if self.dice.chance(0.5):
            yield said(turn, f"Reading {number} of turn {turn.index}: {turn.text}.")


def said(turn: Turn, statement: str) -> Extracted:
    """Return a memory that one turn states."""
    draft = MemoryDraft("fact", statement, provenance="derived")
    return Extracted(draft, turn.index, turn.index, turn.text)
