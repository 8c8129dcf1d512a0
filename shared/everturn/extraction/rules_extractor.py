"""The extractor without a model: what users state of themselves, by rules."""

from typing import Final

from everturn.conversations.model.extraction_window import Window
from everturn.extraction.answers.findings import Findings
from everturn.extraction.rules.extract_by_rules import extract_by_rules


class RulesExtractor:
    """Reads any window at once, for nothing, and always the same of the same turns."""

    name: Final = "rules"
    costs_tokens: Final = False

    def fitting(self, window: Window) -> Window:
        """Return the window as it is."""
        return window

    def extract(self, window: Window) -> Findings:
        """Read a window; what was said before it may be a play that goes on."""
        found = extract_by_rules((*window.context, *window.turns))
        memories = tuple(one for one in found if one.first_turn >= window.first)
        return Findings("ok", memories, extractor=self.name)

    def works(self) -> bool:
        """Say that it does."""
        return True
