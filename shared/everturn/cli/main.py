"""The console script `everturn`."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from everturn.cli.commands import conversations
from everturn.cli.commands.consolidate import consolidate, redrive
from everturn.cli.commands.doctor import doctor, status
from everturn.cli.commands.erase import erase, sweep
from everturn.cli.commands.export import export
from everturn.cli.commands.import_files import import_
from everturn.cli.commands.mcp import mcp
from everturn.cli.commands.memories import memories
from everturn.cli.commands.memory_changes import correct, forget, pin, promote, remember
from everturn.cli.commands.model import model
from everturn.cli.commands.openapi import openapi
from everturn.cli.commands.prompts import context, pinned, procedural, retrieve
from everturn.cli.commands.recall import recall, themes
from everturn.cli.commands.turns import pop, recent, redact
from everturn.cli.commands.up import up
from everturn.cli.output.console import say, version

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _say_version(wanted: bool) -> None:  # noqa: FBT001 - typer's signature
    if wanted:
        say(f"everturn {version()}")
        raise typer.Exit


@app.callback()
def everturn(
    *,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_say_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Conversation memory for cloud-hosted agents, on S3 and Lambda or on this machine.

    Commands work in ./.everturn, where `up` keeps its data too. --dir, --store and --url name
    another place, and so do EVERTURN_STORE and EVERTURN_URL.
    """


app.command()(up)
app.command(short_help="Serve memory as tools to an MCP client such as Claude.")(mcp)
app.command()(conversations.append)
app.command("list")(conversations.list_)
app.command(short_help="Show turns of a conversation: the newest, or all.")(conversations.show)
app.command()(recent)
app.command(short_help="Find the turns that a query asks for.")(recall)
app.command(short_help="Say what the conversations are about.")(themes)
app.command(short_help="Remember one statement, or one pattern.")(remember)
app.command(short_help="List what is remembered; with RID, show one.")(memories)
app.command(short_help="Find what is remembered about a query.")(retrieve)
app.command(short_help="Print what opens every prompt.")(pinned)
app.command(short_help="Show proven patterns, strongest first.")(procedural)
app.command(short_help="Print one block for a prompt, of all that fits.")(context)
app.command(short_help="Say what holds instead of a memory.")(correct)
app.command(short_help="Forget a memory for good.")(forget)
app.command()(pin)
app.command(short_help="Make an Agent Skill of a proven pattern.")(promote)
app.command("import", short_help="Import conversations, other programs' too.")(import_)
app.command(short_help="Print a stored conversation, or write all that there is.")(export)
app.command(short_help="Delete a conversation for good.")(conversations.delete)
app.command(short_help="Take back what one turn said.")(redact)
app.command()(pop)
app.command(short_help="Erase all that a user has.")(erase)
app.command(short_help="Read what is new, and remember what is worth it.")(consolidate)
app.command(short_help="Put jobs back that failed too often.")(redrive)
app.command(short_help="Remove what is left over, of all users.")(sweep)
app.command(short_help="Say what is in use, and how far consolidation is.")(status)
app.command(short_help="Check the installation and the store.")(doctor)
app.command(short_help="Print the API's description (OpenAPI 3.1).")(openapi)
app.add_typer(model, name="model")


def main() -> None:
    """Run the command that the arguments name."""
    _open_closed()
    app()


def _open_closed() -> None:
    """Let what is printed go nowhere where a shell closed stdout or stderr (`>&-`).

    Python has None for them then, and the next file that is opened would take their place.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - open to the end


if __name__ == "__main__":
    main()
