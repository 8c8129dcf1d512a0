"""The chances of one simulated run: the same for the same seed."""

from collections.abc import Mapping, MutableSequence, Sequence
from typing import TypeVar

from everturn.adapters.system_clock import SeededEntropy

Side = TypeVar("Side")


class Dice(SeededEntropy):
    """Draws from a seed."""

    def chance(self, share: float) -> bool:
        """Say yes in this share of all cases."""
        return self.share() < share

    def between(self, low: float, high: float) -> float:
        """Return a number of this range."""
        return low + (high - low) * self.share()

    def number(self, low: int, high: int) -> int:
        """Return a whole number of this range, both ends included."""
        return low + int(self.share() * (high - low + 1))

    def pick(self, sides: Sequence[Side]) -> Side:
        """Return one of these, each as likely."""
        return sides[int(self.share() * len(sides))]

    def weighted(self, weights: Mapping[Side, int]) -> Side:
        """Return one of these, each as likely as its weight says."""
        left = self.share() * sum(weights.values())
        for side, weight in weights.items():
            left -= weight
            if left < 0:
                return side
        return next(iter(weights))

    def shuffle(self, sides: MutableSequence[Side]) -> None:
        """Bring these into any order."""
        for at in range(len(sides) - 1, 0, -1):
            other = self.number(0, at)
            sides[at], sides[other] = sides[other], sides[at]
