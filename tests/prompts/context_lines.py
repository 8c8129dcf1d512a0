"""The lines of a context: many to put into one, and those that are in it."""

from everturn.prompts.context_block import ContextBlock, ContextParts
from everturn.values.prompt_text import one_line

PARTS = ("memories", "patterns", "recalled", "recent")
HEADINGS = (
    "Long-term memory:", "Proven patterns:", "Relevant earlier turns:", "Recent turns:",
)  # fmt: skip


def lines_of(parts: ContextParts, block: ContextBlock, part: str) -> list[str]:
    """The lines of a part that are in the text."""
    given_lines: tuple[str, ...] = getattr(parts, part)
    return [one_line(given_lines[index]) for index in block.shown[part]]


def many(prefix: str, count: int = 200, size: int = 60) -> tuple[str, ...]:
    """So many lines of so many characters."""
    return tuple(f"{prefix} {number} ".ljust(size, ".") for number in range(count))
