"""The six commands of Claude's memory tool, and what the model is told of each.

The texts are those of the package's own tool for a local folder, since a model was trained on them.
https://docs.claude.com/en/docs/agents-and-tools/tool-use/memory-tool
"""

from collections.abc import Sequence
from typing import Final

from anthropic.lib.tools import ToolError

from everturn.client.calls.call import Plan
from everturn.errors import TooLargeError
from everturn.integrations.anthropic.files import MemoryFiles
from everturn.integrations.anthropic.paths import ROOT, MemoryPath, parse_path
from everturn.integrations.anthropic.texts import (
    directory,
    numbered,
    numbered_file,
    only_place,
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
