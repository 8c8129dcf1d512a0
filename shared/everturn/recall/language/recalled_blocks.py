"""Where a text holds what was recalled into it, and what is outside: as spans."""

import re
from collections.abc import Iterator

_TAG = re.compile(r"<recalled_memory\b|</recalled_memory\s*>", re.IGNORECASE)

Span = tuple[int, int]
"""Where a part of a text begins and ends, as indices of code points."""


def outside_recalled(text: str) -> Iterator[Span]:
    """Yield the parts of a text that are in no recalled block, in order; none is empty.

    A block inside another ends with it, one that is left open with the text.
    """
    depth = begin = 0
    for tag in _TAG.finditer(text):
        if not tag[0].startswith("</"):
            if not depth and begin < tag.start():
                yield begin, tag.start()
            depth += 1
        elif depth:
            depth, begin = depth - 1, tag.end()
    if not depth and begin < len(text):
        yield begin, len(text)
