"""The command import: bring conversations, documents and memories from files into a store.

Conversation files are stored verbatim, turns of other files through the API. A document goes
through the API too; importing it twice stores it once. Memories of an export are written into the
store itself: the API takes what is said now, not what was.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import quote

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from everturn.cli.importers.conversation_files import (
    FoundConversation,
    UnknownFormError,
    read_conversations,
)
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
from everturn.cli.importers.turns import ImportCounts, import_turns
from everturn.cli.output.console import complain, note, printable, say, stderr
from everturn.cli.output.errors import ApiError, CliError, line_of
from everturn.cli.output.memory_lines import named
from everturn.cli.target.api import DOCUMENT, Api
from everturn.cli.target.options import on_store
from everturn.cli.target.session import open_api, open_data, open_parts, scope_of
from everturn.cli.target.store_choice import StoreChoice, Target
from everturn.errors import ConflictError, EverturnError

Placing = Callable[[FoundMemory], str]
"""Stores one memory where none is; returns the line that says what became of it."""

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


@contextmanager
def _progress(found: FoundConversation) -> Iterator[Callable[[int], None]]:
    """Show how far it is, on a terminal only."""
    console = stderr()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    shown = console.is_terminal and not os.environ.get("NO_COLOR")
    with Progress(*columns, console=console, transient=True, disable=not shown) as progress:
        task = progress.add_task("turns", total=len(found.turns))
        yield lambda done: progress.update(task, completed=done)


def import_document(api: Api, found: FoundDocument) -> bool:
    """Write a document if none is there; say whether it was written.

    Raises:
        CliError: another value is there, which is kept; or the API cannot take it.
    """
    path = f"/v1/documents/{_segment(found.space)}/{_segment(found.key)}"
    try:
        api.call("PUT", path, body={"value": found.value}, headers={"if-none-match": "*"})
    except ApiError as exc:
        if exc.fault.status != HTTPStatus.PRECONDITION_FAILED:
            raise
        if api.read(path, shape=DOCUMENT)["value"] != found.value:
            raise CliError(
                f"another document is there space={found.space} key={found.key}"
            ) from exc
        return False
    return True


def _segment(name: str) -> str:
    """Return a name as one segment of a path."""
    try:
        segment = quote(name, safe="")
    except UnicodeEncodeError as exc:
        raise CliError("a name is no valid unicode text") from exc
    return segment.replace(".", "%2E") if segment in {".", ".."} else segment


def _store_of(choice: StoreChoice, target: Target) -> _Store:
    return _Store(_verbatim_into(choice, target), memories_into(choice, target))


def _verbatim_into(choice: StoreChoice, target: Target) -> Verbatim:
    """Return what stores a file's very bytes: the API cannot, so it needs the store itself."""
    from everturn.transfer.import_memory import import_record

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


_STATES: Final = {
    "imported": "added",
    "forgotten": "left out, it was forgotten here",
    "forgotten there": "forgotten, as it was there",
    "of deleted conversations": "left out, what said it was deleted here",
}


def memories_into(choice: StoreChoice, target: Target) -> Placing:
    """Return what stores memories of a user in a store.

    Raises:
        MisconfiguredError: the store cannot be opened.
        InvalidRequestError: there can be no such user.
    """
    from everturn.memory.index.record_cache import MemoryCache
    from everturn.transfer.import_memory import import_memory

    parts, scope, cache = open_parts(choice)[0], scope_of(target), MemoryCache()

    def place(found: FoundMemory) -> str:
        done = import_memory(
            store=parts.data,
            derived=parts.derived,
            clock=parts.clock,
            entropy=parts.entropy,
            scope=scope,
            memory=found.memory,
            memories=cache,
        )
        which = named({"kind": done.memory.kind, "id": done.memory.rid})
        return f"memory {which}: {_STATES.get(done.status, done.status)}"

    return place
