"""An embedder whose vectors a test plans; it keeps what it was given and fails at chosen calls."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from emulation.word_vectors import word_vector
from everturn.adapters.http.remote_embedder import unit_rows
from everturn.errors import UnavailableError
from everturn.ports.embedder import Purpose, Vectors

Plan: TypeAlias = Callable[[str, Purpose], Sequence[float] | None]
"""Returns the vector of a text, of up to `dimensions` numbers; None where it has no opinion."""


def _no_opinion(text: str, purpose: Purpose) -> None:
    del text, purpose


@dataclass(slots=True)
class PlannedEmbedder:
    """Vectors as planned, else texts that share words are near each other.

    `inputs` are all passages and `queries` all queries it was ever given; `failing` are the calls
    that fail, counted from 1.
    """

    model: str = "planned"
    dimensions: int = 64
    semantic: bool = True
    max_batch: int = 32
    plan: Plan = _no_opinion
    failing: set[int] = field(default_factory=set)
    calls: int = 0
    inputs: list[str] = field(default_factory=list)
    queries: list[str] = field(default_factory=list)

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Vectors:
        """Embed texts in the order given."""
        assert len(texts) <= self.max_batch, "more texts than the embedder takes"
        self.calls += 1
        (self.inputs if purpose == "passage" else self.queries).extend(texts)
        if self.calls in self.failing:
            raise UnavailableError("it answered with an error status=503")
        answers: dict[int, object] = {
            number: self._vector(text, purpose) for number, text in enumerate(texts)
        }
        return unit_rows(answers, count=len(texts), dimensions=self.dimensions)

    def _vector(self, text: str, purpose: Purpose) -> Sequence[float]:
        planned = self.plan(text, purpose)
        if planned is None:
            return word_vector(text, self.dimensions)
        return [*planned, *[0.0] * (self.dimensions - len(planned))]
