"""The console script `everturn`."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from everturn.cli import conversation_commands
from everturn.cli.console import say
from everturn.cli.consolidate_command import consolidate
from everturn.cli.doctor_command import doctor
from everturn.cli.erase_command import erase
from everturn.cli.export_command import export
from everturn.cli.import_command import import_
from everturn.cli.mcp_command import mcp
from everturn.cli.memories_command import memories
from everturn.cli.memory_changes import correct, forget, pin
from everturn.cli.model_command import model
from everturn.cli.openapi_command import openapi
from everturn.cli.promote_command import promote
from everturn.cli.prompt_commands import context, pinned, procedural
from everturn.cli.recall_command import recall
from everturn.cli.recent_command import recent
from everturn.cli.redrive_command import redrive
from everturn.cli.remember_command import remember
from everturn.cli.retrieve_command import retrieve
from everturn.cli.status_command import status
from everturn.cli.sweep_command import sweep
from everturn.cli.themes_command import themes
from everturn.cli.turn_commands import pop, redact
from everturn.cli.up_command import up
from everturn.cli.version import version

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
app.command()(conversation_commands.append)
app.command("list")(conversation_commands.list_)
app.command(short_help="Show turns of a conversation: the newest, or all.")(
    conversation_commands.show
)
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
app.command(short_help="Delete a conversation for good.")(conversation_commands.delete)
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
