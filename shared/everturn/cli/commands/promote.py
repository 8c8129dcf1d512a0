"""The command promote: a proven pattern becomes a folder with an Agent Skill."""

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from everturn.cli.commands.conversations import AsJson
from everturn.cli.output.console import say
from everturn.cli.output.errors import CliError
from everturn.cli.target.api import memory_path
from everturn.cli.target.memory_options import Rid
from everturn.cli.target.memory_shapes import PROMOTED
from everturn.cli.target.options import on_store
from everturn.cli.target.session import open_api
from everturn.cli.target.store_choice import StoreChoice, Target

_SKILL = "SKILL.md"
# https://agentskills.io/specification; whatever answers at a URL names no other place to write to.
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?", re.ASCII)


@on_store
def promote(
    choice: StoreChoice,
    target: Target,
    rid: Rid,
    *,
    to: Annotated[Path, typer.Option(metavar="DIR", help="Where its folder goes.")] = Path(),
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite a skill that is there.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Make an Agent Skill of a pattern that three sources or more have proven."""
    with open_api(choice, target) as api:
        response = api.call("POST", f"{memory_path(rid)}/promote", body={}, shape=PROMOTED)
    name, text = _skill(response.json())
    path = _write(to / name / _SKILL, text, force=force)
    say(response.text if as_json else f"promoted: {name} in {path}")


def _skill(answer: dict[str, Any]) -> tuple[str, str]:
    """Return the name of a skill, which is a folder's, and the text of its file."""
    name, text = answer["name"], answer["files"].get(_SKILL)
    if not _NAME.fullmatch(name) or not isinstance(text, str):
        raise CliError("this is no everturn: it answers with no skill")
    return name, text


def _write(path: Path, text: str, *, force: bool) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("w" if force else "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError as exc:
        raise CliError(f"a skill is there already, --force overwrites it file={path}") from exc
    return path
