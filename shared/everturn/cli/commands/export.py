"""The command export: one conversation as its JSON file, or all that a user has as JSON lines.

All that a user has is read page by page.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer

from everturn.cli.output.console import note, printable, stderr
from everturn.cli.output.errors import ApiError, CliError
from everturn.cli.target.api import CONVERSATION, RECORD, Api, conversation_path, encoded
from everturn.cli.target.options import on_store
from everturn.cli.target.session import open_api, open_data, scope_of
from everturn.cli.target.store_choice import StoreChoice, Target
from everturn.values.keys import valid_id

_OPTIONAL = ("folder", "archived", "metadata")


@on_store
def export(
    choice: StoreChoice,
    target: Target,
    conversation_id: Annotated[
        str | None, typer.Argument(metavar="ID", help="The conversation's id.")
    ] = None,
    *,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write here, not to stdout.")
    ] = None,
    everything: Annotated[
        Path | None,
        typer.Option("--all", metavar="FILE", help="All that the user has, as JSON lines."),
    ] = None,
) -> None:
    """Print the stored file of a conversation, byte for byte; or write all that the user has."""
    if everything is not None and conversation_id is None and output is None:
        with open_api(choice, target) as api:
            export_all(api, everything)
    elif conversation_id is not None and everything is None:
        _export(choice, target, conversation_id, output)
    else:
        raise typer.BadParameter("give the id of a conversation, or --all FILE alone")


def _export(choice: StoreChoice, target: Target, conversation_id: str, output: Path | None) -> None:
    if choice.is_url:
        with open_api(choice, target) as api:
            document = _document(api, conversation_id)
    else:
        document = _stored(choice, target, conversation_id)
    if output is None:
        _print(document)
    else:
        output.write_bytes(document)


def _print(document: bytes) -> None:
    """Write the bytes as they are; only a terminal's prompt goes to a line of its own."""
    sys.stdout.buffer.write(document)
    if sys.stdout.isatty() and not document.endswith(b"\n"):
        sys.stdout.buffer.write(b"\n")
    sys.stdout.flush()


def _stored(choice: StoreChoice, target: Target, conversation_id: str) -> bytes:
    """Read the file from the store itself: the API's answers end at 3 MiB."""
    from everturn.conversations.read_record import read_live_record

    found = read_live_record(
        store=open_data(choice),
        scope=scope_of(target),
        conversation_id=valid_id(conversation_id, field="conversation_id"),
    )
    return found.body


def _document(api: Api, conversation_id: str) -> bytes:
    try:
        path = f"{conversation_path(conversation_id)}/export"
        return api.call("GET", path, shape=RECORD).content
    except ApiError as error:
        if error.fault.status != HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
            raise
        note("too large for one answer: put together from pages, these are not the stored bytes")
        return encoded(_assembled(api, conversation_id))


def _assembled(api: Api, conversation_id: str) -> dict[str, Any]:
    """Put a document above 3 MiB together from its pages: its content, if not its bytes."""
    head = api.read(conversation_path(conversation_id), {"limit": 1}, shape=CONVERSATION)
    turns = [
        {name: value for name, value in turn.items() if name != "index"}
        for page in api.turn_pages(conversation_id)
        for turn in page["turns"]
    ]
    return {
        "conversation_id": head["conversation_id"],
        "title": head["title"],
        "turns": turns,
        "updated": head["updated"],
        **{name: head[name] for name in _OPTIONAL if name in head},
    }


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
