"""What happens to a job in a run: each delivery of it, and each reading of turns by a model."""

from dataclasses import dataclass, field
from typing import NamedTuple

from everturn.extraction.answers.findings import Extracted
from everturn.values.keys import Scope
from simulator.calls import Call


class Thread(NamedTuple):
    """A conversation of a scope."""

    scope: Scope
    id: str


@dataclass(eq=False)
class Delivery(Call):
    """One job in the hands of one worker; times in virtual nanoseconds."""

    thread: Thread = Thread(Scope("", ""), "")  # noqa: RUF009  # a value
    began_ns: int = 0
    ended_ns: int | None = None
    staged: list[tuple[int, int]] = field(default_factory=list)
    moved: list[tuple[int, int]] = field(default_factory=list)
    """Its writes: when each was done, and where what is staged begins or the watermark is then."""

    def overlaps(self, other: "Delivery") -> bool:
        """Say whether both were at work at some instant."""
        ends = [one.ended_ns for one in (self, other)]
        return (ends[1] is None or self.began_ns <= ends[1]) and (
            ends[0] is None or other.began_ns <= ends[0]
        )


@dataclass(frozen=True, eq=False)
class Reading:
    """One answer of a model: what it found in which turns, if the answer can be used."""

    number: int
    delivery: Delivery
    first: int
    texts: dict[int, str]
    began_ns: int
    found: tuple[Extracted, ...]
    usable: bool

    @property
    def thread(self) -> Thread:
        """Whose turns they are."""
        return self.delivery.thread

    @property
    def window(self) -> tuple[Thread, int, str]:
        """What it began with: the same for each reading that stands for this one."""
        return self.thread, self.first, next(iter(self.texts.values()), "")

    def found_in(self, number: int) -> frozenset[str]:
        """Return what it found in one turn."""
        return frozenset(
            one.draft.statement or "" for one in self.found if one.first_turn == number
        )
