"""An extractor whose answers are counted as they come.

Tokens are paid for even if the job fails.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from everturn.conversations.model.extraction_window import Window
from everturn.errors import MisconfiguredError, UnavailableError
from everturn.extraction.answers.findings import Findings
from everturn.extraction.extractor import Extractor

Result = TypeVar("Result")


class Count(Protocol):
    """Adds numbers to the metrics of an event, each by a word of edge/metrics.py."""

    def __call__(self, **counts: int | None) -> None:
        """Add them."""
        ...


@dataclass(frozen=True, slots=True)
class WatchedExtractor:
    """Does what `inner` does, and counts it."""

    inner: Extractor
    count: Count

    @property
    def name(self) -> str:
        """What a person calls it."""
        return self.inner.name

    @property
    def costs_tokens(self) -> bool:
        """Whether somebody pays for each window."""
        return self.inner.costs_tokens

    def fitting(self, window: Window) -> Window:
        """Return the longest beginning of a window that it can read at once."""
        return self.inner.fitting(window)

    def extract(self, window: Window) -> Findings:
        """Read a window; raises as the extractor does."""
        found = self._heard(lambda: self.inner.extract(window))
        self.count(tokens=found.tokens, extractor_failures=int(found.unheard is not None))
        return found

    def works(self) -> bool:
        """Say whether it reads a window that anybody can read; raises as the extractor does."""
        works = self._heard(self.inner.works)
        self.count(extractor_failures=int(not works))
        return works

    def _heard(self, ask: Callable[[], Result]) -> Result:
        try:
            return ask()
        except (UnavailableError, MisconfiguredError):
            self.count(extractor_failures=1)
            raise
