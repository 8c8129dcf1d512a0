"""The commands append, list, show and delete."""

import sys
from typing import Annotated, Any

import typer

from everturn.cli.output.console import local_time, note, printable, say, say_table
from everturn.cli.output.errors import CliError
from everturn.cli.output.receipts import receipt_line
from everturn.cli.target.api import (
    APPENDED,
    LISTING,
    RECEIPT,
    TURNS,
    Api,
    conversation_path,
    encoded,
)
from everturn.cli.target.options import on_store
from everturn.cli.target.session import open_api
from everturn.cli.target.store_choice import StoreChoice, Target
from everturn.values.visible_text import one_line

Id = Annotated[str, typer.Argument(metavar="ID", help="The conversation's id.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the API's JSON.")]
All = Annotated[bool, typer.Option("--all", help="All of them, page by page.")]


@on_store
def append(
    choice: StoreChoice,
    target: Target,
    conversation_id: Id,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The turn; `-` reads stdin.")],
    *,
    role: Annotated[str, typer.Option(help="Who says it.")] = "user",
    name: Annotated[str | None, typer.Option(help="The speaker's name.")] = None,
    key: Annotated[str | None, typer.Option(help="Idempotency key: a retry adds nothing.")] = None,
    ts: Annotated[
        str | None, typer.Option(help="When it was said: 2026-03-01T09:00:00Z (RFC 3339).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Append one turn; the conversation begins with its first."""
    said = sys.stdin.read().removesuffix("\n") if text == "-" else text
    turn = {"role": role, "text": said, "ts": ts, "name": name}
    body = {"turns": [{field: value for field, value in turn.items() if value is not None}]}
    headers = {} if key is None else {"idempotency-key": key}
    with open_api(choice, target) as api:
        path = f"{conversation_path(conversation_id)}/turns"
        response = api.call("POST", path, body=body, headers=headers, shape=APPENDED)
    say(response.text if as_json else _appended(response.json()))


def _appended(answer: dict[str, Any]) -> str:
    if not answer["appended"]:
        return "nothing appended: the turn is blank"
    verb = "already there" if answer["replayed"] else "appended"
    turn = f"turn {answer['first_turn']} of {printable(answer['conversation_id'])}"
    return f"{verb}: {turn} ({answer['turn_count']} in all)"


@on_store
def list_(
    choice: StoreChoice,
    target: Target,
    *,
    limit: Annotated[int, typer.Option(min=1, max=1_000, help="Rows of one page.")] = 50,
    folder: Annotated[str | None, typer.Option(help="Only this folder.")] = None,
    archived: Annotated[bool, typer.Option("--archived", help="Only archived ones.")] = False,
    everything: All = False,
    as_json: AsJson = False,
) -> None:
    """List conversations, newest first."""
    params: dict[str, str | int] = {"limit": limit}
    if folder is not None:
        params["folder"] = folder
    if archived:
        params["archived"] = "true"
    with open_api(choice, target) as api:
        if as_json and not everything:
            say(api.call("GET", "/v1/conversations", params=params, shape=LISTING).text)
            return
        listing = _list_pages(api, params, everything=everything)
    if as_json:
        say(encoded(listing).decode())
        return
    _say_listing(listing, choice)


def _list_pages(api: Api, params: dict[str, str | int], *, everything: bool) -> dict[str, Any]:
    """Read one page, or all of them as if they were one."""
    listing = api.read("/v1/conversations", params, shape=LISTING)
    while everything and "next_cursor" in listing:
        next_page = params | {"cursor": listing["next_cursor"]}
        page = api.read("/v1/conversations", next_page, shape=LISTING)
        rows = listing["conversations"] + page["conversations"]
        listing = {**page, "conversations": rows}
    return listing


def _say_listing(listing: dict[str, Any], choice: StoreChoice) -> None:
    rows = [
        (
            row["conversation_id"],
            row["title"],
            str(row["turn_count"]),
            local_time(row["updated"]),
            row["preview"],
        )
        for row in listing["conversations"]
    ]
    if rows:
        say_table(("ID", "TITLE", "TURNS", "UPDATED", "PREVIEW"), rows)
    else:
        note(f"no conversations in {choice}")
    if "next_cursor" in listing:
        note("there are more: --all shows them")
    if listing.get("skipped"):
        note(f"skipped: {listing['skipped']} unreadable")


@on_store
def show(
    choice: StoreChoice,
    target: Target,
    conversation_id: Id,
    *,
    last: Annotated[int, typer.Option(min=1, max=1_000, help="How many of the newest.")] = 16,
    everything: All = False,
    as_json: AsJson = False,
) -> None:
    """Show turns of a conversation, oldest first: the newest 16, or all."""
    with open_api(choice, target) as api:
        if everything and as_json:
            say(encoded(_all_turns(api, conversation_id)).decode())
        elif everything:
            for page in api.turn_pages(conversation_id):
                _say_turns(page["turns"])
        else:
            path = f"{conversation_path(conversation_id)}/turns"
            response = api.call("GET", path, params={"last": last}, shape=TURNS)
            turns = response.json()["turns"]
            if as_json:
                say(response.text)
            else:
                _say_turns(turns)
            if len(turns) < last and _has_older(api, path, turns):
                note(
                    f"older turns did not fit into one answer, --all shows them shown={len(turns)}"
                )


def _has_older(api: Api, path: str, turns: list[dict[str, Any]]) -> bool:
    """Say whether readable turns stand before these, which the size of an answer left out."""
    if not turns or turns[0]["index"] == 0:
        return False
    oldest = api.read(path, {"from": 0, "limit": 1}, shape=TURNS)["turns"]
    return bool(oldest) and oldest[0]["index"] < turns[0]["index"]


def _all_turns(api: Api, conversation_id: str) -> dict[str, Any]:
    """Read every page as if they were one."""
    turns: list[dict[str, Any]] = []
    count = 0
    for page in api.turn_pages(conversation_id):
        turns += page["turns"]
        count = page["turn_count"]
    return {"turns": turns, "turn_count": count}


def _say_turns(turns: list[dict[str, Any]]) -> None:
    for turn in turns:
        speaker = f"{turn['role']} ({turn['name']})" if turn.get("name") else turn["role"]
        time = local_time(turn["ts"]) if turn.get("ts") else ""
        # A line break in it would let one turn pass for two.
        say(f"#{turn['index']} {one_line(speaker)}  {time}".rstrip())
        say(f"{printable(turn['text'])}\n")


@on_store
def delete(
    choice: StoreChoice,
    target: Target,
    conversation_id: Id,
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete a conversation for good, and print the receipt."""
    if not yes:
        if not sys.stdin.isatty():
            raise CliError("nobody is here to ask: give --yes to delete")
        typer.confirm(f"Delete {printable(conversation_id)} for good?", abort=True, err=True)
    with open_api(choice, target) as api:
        response = api.call("DELETE", conversation_path(conversation_id), shape=RECEIPT)
    line = f"deleted {printable(conversation_id)}: {receipt_line(response.json())}"
    say(response.text if as_json else line)
