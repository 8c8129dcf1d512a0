"""The command consolidate: a server is asked to, a store is consolidated at once.

A server does it by itself after each append.
"""

from collections.abc import Iterator
from typing import Annotated

import typer

from everturn.cli.output.console import complain, note, printable, say
from everturn.cli.output.consolidation_lines import counted
from everturn.cli.output.errors import ApiError, CliError, line_of
from everturn.cli.target.answer_shapes import LISTING, QUEUED
from everturn.cli.target.api import Api, conversation_path
from everturn.cli.target.options import on_store
from everturn.cli.target.session import open_api
from everturn.cli.target.store_choice import StoreChoice, Target

_PAGE = 1_000
_REASONS = {
    "queue_full": "the queue is full, it comes later by itself",
    "queue_unavailable": "the queue does not answer, it comes later by itself",
}


@on_store
def consolidate(
    choice: StoreChoice,
    target: Target,
    conversation_id: Annotated[
        str | None, typer.Argument(metavar="ID", help="The conversation's id.")
    ] = None,
    *,
    everything: Annotated[
        bool, typer.Option("--all", help="All conversations of the user.")
    ] = False,
) -> None:
    """Read turns that nobody read yet, and remember what is worth it."""
    if (conversation_id is None) is not everything:
        raise typer.BadParameter("give the ID of a conversation, or --all")
    if choice.is_url:
        with open_api(choice, target) as api:
            if conversation_id is None:
                offer_all(api)
            else:
                say(_counted(int(offer_one(api, conversation_id))))
        return
    # Heavy, and not needed where a server does the work.
    from everturn.cli.target.consolidate_store import consolidate_store

    consolidate_store(choice, target, conversation_id)


def offer_all(api: Api) -> None:
    """Ask for each; one that is refused is named, and the others are asked for all the same.

    Raises:
        CliError: some were refused, or the server has no queue.
    """
    queued = failed = 0
    for id_ in listed_ids(api):
        try:
            queued += offer_one(api, id_)
        except ApiError as error:
            complain(f"{printable(id_)}: {line_of(error)}")
            failed += 1
    say(_counted(queued))
    if failed:
        raise CliError(f"some could not be queued failed={failed}")


def offer_one(api: Api, id_: str) -> bool:
    """Ask for one; say why where it comes later.

    Raises:
        ApiError: it was refused.
        CliError: the server has no queue.
    """
    path = f"{conversation_path(id_)}/consolidate"
    answer = api.call("POST", path, body={}, shape=QUEUED).json()
    reason = str(answer.get("reason"))
    if reason == "no_queue":
        raise CliError("this server has no queue, run everturn consolidate where its store is")
    if not answer["queued"]:
        note(f"not queued: {id_}: {_REASONS.get(reason, reason)}")
    return bool(answer["queued"])


def _counted(queued: int) -> str:
    return f"queued: {counted(queued, 'conversation')}"


def listed_ids(api: Api) -> Iterator[str]:
    """Give the ids of all conversations of the user, newest first, page by page."""
    cursor: str | None = ""
    while cursor is not None:
        params: dict[str, str | int] = {"limit": _PAGE} | ({"cursor": cursor} if cursor else {})
        page = api.read("/v1/conversations", params, shape=LISTING)
        yield from (row["conversation_id"] for row in page["conversations"])
        cursor = page.get("next_cursor")
