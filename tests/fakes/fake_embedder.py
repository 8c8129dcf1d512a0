"""An embedder without a model, which writes down what it is asked and fails when told to."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from emulation.word_vectors import word_vector
from everturn.adapters.http.remote_embedder import unit_rows
from everturn.errors import EverturnError
from everturn.ports.embedder import Purpose, Vectors

Fault = Literal["short", "wrong-sized", "zeros"]


@dataclass(slots=True)
class FakeEmbedder:
    """Texts that share words are near each other; `calls` holds the texts of each call.

    `failing` is raised by every call; `fault` spoils the answers, also in ways that no adapter may:
    `short` leaves out the last row, `wrong-sized` makes rows one longer than `dimensions`. A text
    of `unusable` has a row of zeros.
    """

    model: str = "fake"
    dimensions: int = 64
    semantic: bool = True
    max_batch: int = 16
    failing: EverturnError | None = None
    fault: Fault | None = None
    unusable: frozenset[str] = frozenset()
    calls: list[tuple[str, ...]] = field(default_factory=list)
    purposes: list[Purpose] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        """All texts of all calls, in order."""
        return [text for call in self.calls for text in call]

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Vectors:
        """Embed texts in the order given."""
        assert len(texts) <= self.max_batch, "more texts than the embedder takes"
        if texts:
            self.calls.append(tuple(texts))
            self.purposes.append(purpose)
        if self.failing is not None:
            raise self.failing
        size = self.dimensions + (self.fault == "wrong-sized")
        answers: dict[int, object] = {
            number: word_vector(f"{self.model} {text}", size)
            for number, text in enumerate(texts)
            if text not in self.unusable and self.fault != "zeros"
        }
        rows = unit_rows(answers, count=len(texts), dimensions=size)
        return rows[:-1] if self.fault == "short" else rows
