"""The six commands of Claude's memory tool, and the texts that they show the model.

The texts are those of the package's own tool for a local folder, since a model was trained on them.
Long text that is quoted back to the model is truncated.
https://docs.claude.com/en/docs/agents-and-tools/tool-use/memory-tool
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from anthropic.lib.tools import ToolError

from everturn.client.calls.call import Plan
from everturn.errors import TooLargeError
from everturn.integrations.anthropic.files import (
    ROOT,
    ListedFile,
    MemoryFiles,
    MemoryPath,
    parse_path,
)

# An edit shows so many lines before and after.
_SHOWN_LINES: Final = 2
_MAX_FILE: Final = "1 MiB"


def view(files: MemoryFiles, told: str, view_range: Sequence[int] | None) -> Plan[str]:
    """Show a file with line numbers, or a directory two levels deep."""
    path = parse_path(told)
    found = (yield from files.read(path)) if path.parts else None
    if found is not None:
        return numbered_file(told, found, view_range)
    listed = yield from files.below(path)
    if path.parts and not listed:
        raise _missing(told, hint=True)
    return directory(path, listed)


def create(files: MemoryFiles, told: str, text: str) -> Plan[str]:
    """Write a new file."""
    path = parse_path(told)
    yield from _check_parents(files, path)
    is_there = not path.parts or (yield from files.is_directory(path))
    if is_there or not (yield from files.create(path, text)):
        raise ToolError(f"File {told} already exists")
    return f"File created successfully at: {told}"


def str_replace(files: MemoryFiles, told: str, old: str, new: str) -> Plan[str]:
    """Replace a text that occurs once, and show the lines around it."""
    path = parse_path(told)
    line = 0

    def replaced(text: str) -> str:
        nonlocal line
        line = text[: only_place(told, text, old)].count("\n")
        return text.replace(old, new)

    text = yield from files.edit(path, replaced)
    if text is None:
        raise (yield from _no_file(files, path))
    lines = text.split("\n")
    first = max(0, line - _SHOWN_LINES)
    shown = numbered(lines[first : line + _SHOWN_LINES + 1], first + 1)
    return (
        "The memory file has been edited. "
        f"Here is the snippet showing the change (with line numbers):\n{shown}"
    )


def insert(files: MemoryFiles, told: str, after_line: int, text: str) -> Plan[str]:
    """Insert a text behind a line; 0 is before the first."""
    path = parse_path(told)

    def inserted(before: str) -> str:
        lines = before.removesuffix("\n").split("\n") if before else []
        if not isinstance(after_line, int) or not 0 <= after_line <= len(lines):
            raise ToolError(
                f"Invalid `insert_line` parameter: {after_line}. "
                f"It should be within the range [0, {len(lines)}]."
            )
        lines.insert(after_line, text.rstrip("\n"))
        return "\n".join(lines).removesuffix("\n") + "\n"

    if (yield from files.edit(path, inserted)) is None:
        raise (yield from _no_file(files, path))
    return f"The file {told} has been edited."


def delete(files: MemoryFiles, told: str) -> Plan[str]:
    """Remove a file, or a directory with all that is in it."""
    path = parse_path(told)
    if not path.parts:
        raise ToolError(f"Cannot delete the {ROOT} directory itself")
    if not (yield from files.delete(path)) and not (yield from _delete_below(files, path)):
        raise _missing(told)
    return f"Successfully deleted {told}"


def rename(files: MemoryFiles, told: str, new_told: str) -> Plan[str]:
    """Move a file, or a directory file by file, to where nothing is."""
    old, new = parse_path(told), parse_path(new_told)
    if not old.parts:
        raise ToolError(f"Cannot rename the {ROOT} directory itself")
    if (yield from _is_there(files, new)):
        raise ToolError(f"The destination {new_told} already exists")
    yield from _check_parents(files, new)
    if not (yield from files.move(old, new)):
        listed = yield from files.below(old)
        if not listed:
            raise _missing(told)
        if new.parts[: len(old.parts)] == old.parts:
            raise ToolError(f"Cannot rename {told} into itself")
        for file in listed:
            yield from files.move(file.path, old.under(new, file.path.parts))
    return f"Successfully renamed {told} to {new_told}"


def clear(files: MemoryFiles) -> Plan[str]:
    """Remove every file."""
    yield from _delete_below(files, parse_path(ROOT))
    return "All memory cleared"


def told_errors(plan: Plan[str], told: str) -> Plan[str]:
    """Carry out a command, and tell the model of a file that no document can be.

    Raises:
        ToolError: the text is for the model.
        EverturnError: anything else that went wrong, for who runs the tool.
    """
    try:
        return (yield from plan)
    except TooLargeError as exc:
        raise ToolError(f"The file {told} would be too large. At most {_MAX_FILE}.") from exc


def _delete_below(files: MemoryFiles, path: MemoryPath) -> Plan[bool]:
    listed = yield from files.below(path)
    for file in listed:
        yield from files.delete(file.path)
    return bool(listed)


def _is_there(files: MemoryFiles, path: MemoryPath) -> Plan[bool]:
    if not path.parts or (yield from files.read(path)) is not None:
        return True
    return (yield from files.is_directory(path))


def _check_parents(files: MemoryFiles, path: MemoryPath) -> Plan[None]:
    for parent in path.parents:
        if (yield from files.read(parent)) is not None:
            raise ToolError(f"The path {parent.told} is not a directory.")


def _no_file(files: MemoryFiles, path: MemoryPath) -> Plan[ToolError]:
    if not path.parts or (yield from files.is_directory(path)):
        return ToolError(f"The path {path.told} is not a file.")
    return _missing(path.told, hint=True)


def _missing(told: str, *, hint: bool = False) -> ToolError:
    advice = ". Please provide a valid path." if hint else ""
    return ToolError(f"The path {told} does not exist{advice}")


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
