"""The command export: one conversation as its JSON file, or all of them as lines."""

import sys
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any

import typer

from everturn.cli.output.console import note
from everturn.cli.output.errors import ApiError
from everturn.cli.target.answer_shapes import CONVERSATION, RECORD
from everturn.cli.target.api import Api, conversation_path, encoded
from everturn.cli.target.export_all import export_all
from everturn.cli.target.options import on_store
from everturn.cli.target.session import open_api
from everturn.cli.target.store_choice import StoreChoice, Target
from everturn.cli.target.stored_files import open_data, scope_of
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
