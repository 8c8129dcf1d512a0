"""All that a user has as a file of JSON lines, page by page."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from everturn.cli.output.console import note, printable, stderr
from everturn.cli.output.errors import CliError
from everturn.cli.target.api import Api

_STDOUT = "-"
_JSON_LINES = "application/x-ndjson"


def export_all(api: Api, file: Path) -> None:
    """Write every line of an export; `-` is stdout. A file appears when it is whole.

    Raises:
        CliError: some could not be read; the others are in the file, and what is not is named.
        OSError: the file cannot be written.
    """
    with _opened(file) as output, _progress() as progress:
        lines, skipped = 0, 0
        for line in _lines(api):
            output.write(line + b"\n")
            lines += 1
            if line.startswith(b'{"skipped":'):
                skipped += 1
                note(f"not exported: {printable(line.decode())}")
            progress(lines)
    note(f"exported: {lines - skipped} lines")
    if skipped:
        raise CliError(f"some could not be read skipped={skipped}")


def _lines(api: Api) -> Iterator[bytes]:
    """Yield the lines of all pages, without those that only say where the next one begins."""
    cursor: str | None = ""
    while cursor is not None:
        params = {"cursor": cursor} if cursor else None
        answer = api.call("GET", "/v1/export", params=params)
        if answer.headers.get("content-type") != _JSON_LINES:
            raise CliError("this is no everturn: it answers otherwise")
        page = answer.content.split(b"\n")
        lines = [line for line in page if line]
        cursor = _cursor_of(lines[-1]) if lines else None
        yield from lines[:-1] if cursor is not None else lines


def _cursor_of(line: bytes) -> str | None:
    if not line.startswith(b'{"next_cursor":'):
        return None
    try:
        cursor = json.loads(line)["next_cursor"]
    except (ValueError, KeyError) as exc:
        raise CliError("this is no everturn: it answers otherwise") from exc
    return str(cursor)


@contextmanager
def _opened(file: Path) -> Iterator[BinaryIO]:
    """Open a file of which nobody sees half."""
    if str(file) == _STDOUT:
        yield sys.stdout.buffer
        sys.stdout.flush()
        return
    unfinished = file.with_name(f"{file.name}.part")
    with unfinished.open("wb") as output:
        yield output
    unfinished.replace(file)


@contextmanager
def _progress() -> Iterator[Callable[[int], None]]:
    """Show how far it is, on a terminal only."""
    console = stderr()
    if not console.is_terminal or os.environ.get("NO_COLOR"):
        yield lambda _: None
        return
    with console.status("exporting") as status:
        yield lambda lines: status.update(f"exporting: {lines} lines")
