"""Write to the terminal: data to stdout, everything else to stderr.

Text of users reaches a terminal without control characters.
"""

import importlib.metadata
import re
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from everturn.values.visible_text import one_line, well_formed

# C0 and C1 controls but tab and newline: a turn must not move the cursor or change a title bar.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# Wide enough that nothing is cut or wrapped where nobody looks at a screen.
_PIPE_WIDTH = 10_000


def stderr() -> Console:
    """Return a console for notes and errors."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)


def note(text: str) -> None:
    """Say something that is not data."""
    stderr().print(Text(printable(text), style="dim"))


def complain(text: str) -> None:
    """Say why something failed."""
    stderr().print(Text(f"error: {printable(text)}"))


def say(text: str) -> None:
    """Print data."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def printable(text: str) -> str:
    """Return a text that is safe to print: control characters shown as U+FFFD."""
    return _CONTROLS.sub("\ufffd", well_formed(text))


def local_time(rfc3339: str) -> str:
    """Return a time of the API in the local zone, to the second; as it is if it is none."""
    try:
        return datetime.fromisoformat(rfc3339).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError):
        return one_line(rfc3339)


def say_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table: fitted to a terminal; through a pipe aligned, whole, and without lines."""
    terminal = sys.stdout.isatty()
    table = Table(box=box.SIMPLE_HEAD if terminal else None, pad_edge=False, padding=(0, 2, 0, 0))
    for number, column in enumerate(columns):
        # The id is what one copies: it is wrapped where others are cut.
        if number == 0:
            table.add_column(column, overflow="fold")
        else:
            table.add_column(column, no_wrap=True, overflow="ellipsis")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    if terminal:
        Console(highlight=False).print(table)
        return
    console = Console(width=_PIPE_WIDTH, highlight=False, color_system=None, force_terminal=False)
    with console.capture() as captured:
        console.print(table)
    say("\n".join(line.rstrip() for line in captured.get().splitlines()))


def version(distribution: str = "everturn") -> str | None:
    """Return the version of an installed distribution, or None where it is not installed."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None
