"""What Claude's memory tool shows a model of a text or of a directory, and of a place in a text.

The texts are those of the package's own tool for a local folder; but what is quoted to the model
again is cut where it is long.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from anthropic.lib.tools import ToolError

from everturn.integrations.anthropic.files import ListedFile
from everturn.integrations.anthropic.paths import MemoryPath

_MAX_LINES: Final = 999_999
_NUMBER_WIDTH: Final = len(str(_MAX_LINES))
_LISTED_DEPTH: Final = 2
_RANGE_ENDS: Final = 2
# So much of what is sought is told again, and of the lines in which it stands so many.
_MAX_QUOTED_CHARS: Final = 2_000
_SHOWN_PLACES: Final = 20
_UNITS: Final = "BKMG"


def only_place(told: str, text: str, old: str) -> int:
    """Return where in a file a text begins that is there once.

    Raises:
        ToolError: it is not, and in which lines it is.
    """
    count = text.count(old)
    if not count:
        raise ToolError(
            f"No replacement was performed, old_str `{_quoted(old)}` did not appear verbatim in "
            f"{told}."
        )
    if count > 1:
        lines = [str(line) for line in islice(_lines_of(text, old), _SHOWN_PLACES + 1)]
        lines[_SHOWN_PLACES:] = ["..."] * (len(lines) > _SHOWN_PLACES)
        raise ToolError(
            f"No replacement was performed. Multiple occurrences of old_str `{_quoted(old)}` in "
            f"lines: {', '.join(lines)}. Please ensure it is unique"
        )
    return text.find(old)


def _lines_of(text: str, part: str) -> Iterator[int]:
    line, before, place = 1, 0, text.find(part)
    while place != -1:
        line += text.count("\n", before, place)
        yield line
        before, place = place, text.find(part, place + 1)


def _quoted(old: str) -> str:
    return old if len(old) <= _MAX_QUOTED_CHARS else f"{old[:_MAX_QUOTED_CHARS]}..."


def numbered_file(told: str, text: str, view_range: Sequence[int] | None) -> str:
    """Return a file's lines with their numbers: those of a range from 1 on, -1 is the last.

    Raises:
        ToolError: that is no range, or the lines are too many.
    """
    lines = text.split("\n")
    if len(lines) > _MAX_LINES:
        raise ToolError(f"File {told} exceeds maximum line limit of {_MAX_LINES:,} lines.")
    first, end = 0, len(lines)
    if not _are_lines(view_range):
        raise ToolError(f"Invalid `view_range` parameter: {view_range}. It takes two line numbers.")
    if view_range and len(view_range) == _RANGE_ENDS:
        first = max(1, view_range[0]) - 1
        end = end if view_range[1] == -1 else view_range[1]
    shown = numbered(lines[first:end], first + 1)
    return f"Here's the content of {told} with line numbers:\n{shown}"


def _are_lines(view_range: object) -> bool:
    """Say whether a range is one; the package does not look at what a model sends."""
    if isinstance(view_range, list):
        return all(isinstance(line, int) for line in view_range)
    return view_range is None


def numbered(lines: Sequence[str], first: int) -> str:
    """Return lines with their numbers, of which the first is given."""
    return "\n".join(f"{first + at:>{_NUMBER_WIDTH}}\t{line}" for at, line in enumerate(lines))


def directory(path: MemoryPath, files: Sequence[ListedFile]) -> str:
    """Show each directory with the size of all that is in it, then what is in it, by name."""
    sizes: dict[tuple[str, ...], int] = {}
    for file in files:
        below = file.path.parts[len(path.parts) :]
        for depth in range(min(len(below), _LISTED_DEPTH)):
            is_file = depth + 1 == len(below)
            shown = (*below[: depth + 1], *(() if is_file else ("",)))
            sizes[shown] = sizes.get(shown, 0) + file.size
    root = path.told.rstrip("/")
    rows = [
        f"{_size(size)}\t{root}/{'/'.join(shown)}"
        for shown, size in sorted(sizes.items())
        if not any(name.startswith(".") for name in shown)
    ]
    total = f"{_size(sum(file.size for file in files))}\t{path.told}"
    header = (
        f"Here're the files and directories up to {_LISTED_DEPTH} levels deep in {path.told}, "
        "excluding hidden items:"
    )
    return "\n".join([header, total, *rows])


def _size(size: int) -> str:
    unit = min(max(size.bit_length() - 1, 0) // 10, len(_UNITS) - 1)
    count = size / 1024**unit
    return f"{int(count) if count == int(count) else f'{count:.1f}'}{_UNITS[unit]}"
