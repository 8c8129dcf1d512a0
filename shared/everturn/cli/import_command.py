"""The command import: conversation files verbatim, turns of other files by the API.

Not here: the forms of files (conversation_files.py), appending (import_turns.py).
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from everturn.cli.api import Api
from everturn.cli.console import complain, note, printable, say, stderr
from everturn.cli.conversation_files import FoundConversation, find_files, read_conversations
from everturn.cli.export_files import (
    Found,
    FoundDocument,
    FoundMemory,
    FoundSkipped,
    is_export,
    read_export,
)
from everturn.cli.failures import CliError, line_of
from everturn.cli.import_document import import_document
from everturn.cli.import_memories import Placing, memories_into
from everturn.cli.import_turns import ImportCounts, import_turns
from everturn.cli.options import on_store
from everturn.cli.session import open_api
from everturn.cli.store_choice import StoreChoice, Target
from everturn.cli.stored_files import open_data, scope_of
from everturn.errors import ConflictError, EverturnError

Verbatim = Callable[[bytes, str], ImportCounts | None]
"""Stores a plain conversation file as it is; None where the conversation has other turns."""


@dataclass(frozen=True, slots=True)
class _Store:
    """What goes into a store itself, past the API."""

    record: Verbatim
    memory: Placing


@on_store
def import_(
    choice: StoreChoice,
    target: Target,
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A file, or a directory of them.")],
    *,
    conversation_id: Annotated[
        str | None, typer.Option("--id", help="The id where the file names none.")
    ] = None,
) -> None:
    """Import conversations: the same file twice doubles nothing."""
    note(f"store: {choice}")
    files = find_files(path)
    failed = 0
    with open_api(choice, target) as api:
        store = None if choice.is_url else _store_of(choice, target)
        for file in files:
            try:
                _import_file(api, file, conversation_id, store)
            except (CliError, EverturnError, OSError) as error:
                complain(f"{file}: {line_of(error)}")
                failed += 1
    if failed:
        raise CliError(f"some files were not imported failed={failed} files={len(files)}")


def _import_file(api: Api, file: Path, conversation_id: str | None, store: _Store | None) -> None:
    if not is_export(file):
        for found in read_conversations(file, conversation_id):
            _import_one(api, found, file, store)
        return
    failed = 0
    for item in read_export(file):
        try:
            _import_line(api, item, file, store)
        except (CliError, EverturnError) as error:
            complain(f"{file}: {line_of(error)}")
            failed += 1
    if failed:
        raise CliError(f"all but some was imported failed={failed}")


def _import_line(api: Api, item: Found, file: Path, store: _Store | None) -> None:
    if isinstance(item, FoundSkipped):
        note(f"skipped: the export could not read it {item.what}")
    elif isinstance(item, FoundDocument):
        state = "added" if import_document(api, item) else "already there"
        say(f"document {printable(item.space)}/{printable(item.key)}: {state}")
    elif isinstance(item, FoundMemory):
        if store is None:
            raise CliError("memories go into a store itself, give --dir or --store, not a server")
        say(store.memory(item))
    else:
        _import_one(api, item, file, store)


def _import_one(api: Api, found: FoundConversation, file: Path, store: _Store | None) -> None:
    counts = None
    if store and found.record is not None:
        counts = store.record(found.record, str(file))
    if counts is None:
        with _progress(found) as progress:
            counts = import_turns(api, found, progress=progress)
    say(_summary(found, counts))


def _summary(found: FoundConversation, counts: ImportCounts) -> str:
    parts = (
        f"{counts.added} turns added",
        f"{counts.there} already there",
        f"{counts.clamped} clamped",
        f"{counts.ignored} ignored",
    )
    return f"{printable(found.conversation_id)}: {', '.join(parts)}"


def _store_of(choice: StoreChoice, target: Target) -> _Store:
    return _Store(_verbatim_into(choice, target), memories_into(choice, target))


def _verbatim_into(choice: StoreChoice, target: Target) -> Verbatim:
    """Return what stores a file's very bytes: the API cannot, so it needs the store itself."""
    from everturn.services.import_record import import_record

    data, scope = open_data(choice), scope_of(target)

    def store_record(body: bytes, name: str) -> ImportCounts | None:
        try:
            outcome = import_record(store=data, scope=scope, body=body, name=name)
        except ConflictError:
            # The file may have grown since: its new turns are appended, or the difference is named.
            return None
        if outcome.status == "imported":
            return ImportCounts(added=outcome.turn_count)
        return ImportCounts(there=outcome.turn_count)

    return store_record


@contextmanager
def _progress(found: FoundConversation) -> Iterator[Callable[[int], None]]:
    """Show how far it is, on a terminal only."""
    console = stderr()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    shown = console.is_terminal and not os.environ.get("NO_COLOR")
    with Progress(*columns, console=console, transient=True, disable=not shown) as progress:
        task = progress.add_task("turns", total=len(found.turns))
        yield lambda done: progress.update(task, completed=done)
