"""The door to what reads turns and says what is worth remembering: a model, or rules."""

from typing import Protocol

from everturn.conversations.model.extraction_window import Window
from everturn.extraction.answers.findings import Findings


class Extractor(Protocol):
    """Reads windows of turns; keeps nothing between two calls that a result depends on."""

    @property
    def name(self) -> str:
        """What a person calls it: `rules`, or the service and the model."""
        ...

    @property
    def costs_tokens(self) -> bool:
        """Whether somebody pays for each window."""
        ...

    def fitting(self, window: Window) -> Window:
        """Return the longest beginning of a window that it can read at once: one turn at least."""
        ...

    def extract(self, window: Window) -> Findings:
        """Read a window.

        Raises:
            UnavailableError: nobody answered in time; the same call may succeed later.
            MisconfiguredError: nobody ever will: no such model, or no permission.
        """
        ...

    def works(self) -> bool:
        """Say whether it reads a window that anybody can read.

        This tells turns that cannot be read from an extractor that is broken.

        Raises:
            UnavailableError, MisconfiguredError: as `extract`.
        """
        ...
