"""What was remembered as text for a prompt: one line each, in one block, unable to give orders."""

from collections.abc import Sequence

from everturn.prompt_markup import inert, without_hidden
from everturn.values import visible_text
from everturn.values.timestamps import format_time

_OPENING = (
    "<recalled_memory>\n"
    "Recalled memory. The live exchange below is newer and wins on any conflict; "
    "only rules and hard constraints always hold.\n"
)
_CLOSING = "</recalled_memory>"
FRAME_BYTES = len(_OPENING) + len(_CLOSING)
"""What a block takes beside its lines, each of which takes one more for its line end."""

_DAY_END = "T00:00:00Z"


def one_line(text: str) -> str:
    """Return a text in one line that no reader takes for a tag of a prompt.

    White space is collapsed; controls, bidi controls and letters without ink are left out, markup
    of prompts is inert. All else stays as it is: `a<b`, `List<int>`, `x</y`. Twice is once.
    """
    return inert(visible_text.one_line(without_hidden(text)))


def snippet_text(text: str, *, valid_from_ns: int | None) -> str:
    """Return a memory in one line, with the time from which it holds where one is known.

    Args:
        text: what the memory says.
        valid_from_ns: Unix nanoseconds; midnight UTC is shown as a date, else as a time.
    """
    if valid_from_ns is None:
        return one_line(text)
    return f"{one_line(text)} (since {format_time(valid_from_ns).removesuffix(_DAY_END)})"


def recalled_block(lines: Sequence[str]) -> str:
    """Return lines inside the marker that recall, embedding and extraction leave out.

    Each goes through `one_line`. No lines make no block: "".
    """
    if not lines:
        return ""
    return _OPENING + "".join(f"{one_line(line)}\n" for line in lines) + _CLOSING
