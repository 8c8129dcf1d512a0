"""The command import: conversation files verbatim, turns of other files by the API."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from everturn.cli.importers.conversation_files import (
    FoundConversation,
    UnknownFormError,
    read_conversations,
)
from everturn.cli.importers.document import import_document
from everturn.cli.importers.export_files import (
    Found,
    FoundDocument,
    FoundMemory,
    FoundSkipped,
    is_export,
    read_export,
)
from everturn.cli.importers.formats import (
    FORMATS,
    OWN,
    READINGS,
    FoundBroken,
    Wishes,
    format_of,
    sources_of,
)
from everturn.cli.importers.json_stream import refuse_special
from everturn.cli.importers.memories import Placing, memories_into
from everturn.cli.importers.turns import ImportCounts, import_turns
from everturn.cli.output.console import complain, note, printable, say, stderr
from everturn.cli.output.errors import CliError, line_of
from everturn.cli.target.api import Api
from everturn.cli.target.options import on_store
from everturn.cli.target.session import open_api
from everturn.cli.target.store_choice import StoreChoice, Target
from everturn.cli.target.stored_files import open_data, scope_of
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
    from_: Annotated[
        str | None,
        typer.Option("--from", help=f"What wrote it, if it is not known: {', '.join(FORMATS)}."),
    ] = None,
    conversation_id: Annotated[
        str | None, typer.Option("--id", help="The id where the file names none.")
    ] = None,
    from_actor: Annotated[
        str | None, typer.Option(help="Whose events, where AgentCore's are of several actors.")
    ] = None,
) -> None:
    """Import conversations, other programs' too: the same file twice doubles nothing."""
    if from_ is not None and from_ not in FORMATS:
        raise typer.BadParameter(f"--from is one of {', '.join(FORMATS)}")
    note(f"store: {choice}")
    sources = sources_of(path, from_)
    wishes = Wishes(conversation_id, from_actor)
    failed = 0
    with open_api(choice, target) as api:
        work = _Work(api, wishes, None if choice.is_url else _store_of(choice, target))
        for source in sources:
            try:
                work.import_source(source, from_)
            except (CliError, EverturnError, OSError) as error:
                complain(f"{source}: {line_of(error)}")
                failed += 1
    if failed:
        raise CliError(f"some files were not imported failed={failed} files={len(sources)}")


@dataclass(frozen=True, slots=True)
class _Work:
    """What a run works with."""

    api: Api
    wishes: Wishes
    store: _Store | None

    def import_source(self, source: Path, from_: str | None) -> None:
        """Import a file, or a folder of sessions.

        Of several things that it holds one that fails is named, and the others are imported; a
        plain file is one thing.
        """
        refuse_special(source)
        items = self._items(source, from_)
        if items is None:
            for found in self._read_own(source):
                _import_one(self.api, found, source, self.store)
            return
        failed = 0
        for item in items:
            try:
                _import_line(self.api, item, source, self.store)
            except (CliError, EverturnError) as error:
                complain(f"{source}: {line_of(error)}")
                failed += 1
        if failed:
            raise CliError(f"all but some was imported failed={failed}")

    def _read_own(self, source: Path) -> list[FoundConversation]:
        try:
            return read_conversations(source, self.wishes.conversation_id)
        except UnknownFormError as exc:
            raise CliError(f"{exc}, --from says what wrote it: {', '.join(FORMATS)}") from exc

    def _items(self, source: Path, from_: str | None) -> Iterable[Found | FoundBroken] | None:
        if from_ in {None, OWN} and source.is_file() and is_export(source):
            return read_export(source)
        format_ = from_ or format_of(source)
        if format_ == OWN:
            return None
        note(f"{source}: read as {format_}")
        return READINGS[format_](source, self.wishes)


def _import_line(api: Api, item: Found | FoundBroken, file: Path, store: _Store | None) -> None:
    if isinstance(item, FoundBroken):
        raise CliError(item.why)
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
    for left in found.notes:
        note(f"{printable(found.conversation_id)}: {left}")
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
    from everturn.transfer.import_record import import_record

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
