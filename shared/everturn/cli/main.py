"""The console script `everturn`.

Not here: what its commands do, which is one module each.
"""

from typing import Annotated

import typer

from everturn.cli import conversation_commands
from everturn.cli.console import say
from everturn.cli.consolidate_command import consolidate
from everturn.cli.doctor_command import doctor
from everturn.cli.erase_command import erase
from everturn.cli.export_command import export
from everturn.cli.import_command import import_
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
    """Conversation memory for cloud-hosted agents, on S3 and Lambda or on this machine."""


app.command()(up)
app.command()(conversation_commands.append)
app.command("list")(conversation_commands.list_)
app.command()(conversation_commands.show)
app.command()(recent)
app.command()(recall)
app.command()(themes)
app.command()(remember)
app.command()(memories)
app.command()(retrieve)
app.command()(pinned)
app.command()(procedural)
app.command()(context)
app.command()(correct)
app.command()(forget)
app.command()(pin)
app.command()(promote)
app.command("import")(import_)
app.command()(export)
app.command()(conversation_commands.delete)
app.command()(redact)
app.command()(pop)
app.command()(erase)
app.command()(consolidate)
app.command()(redrive)
app.command()(sweep)
app.command()(status)
app.command()(doctor)
app.command()(openapi)
app.add_typer(model, name="model")


def main() -> None:
    """Run the command that the arguments name."""
    app()


if __name__ == "__main__":
    main()
