"""The commands doctor and status: what Everturn works with, if it works, and what is left to do.

doctor says what is installed, what is used, and why. Each problem is one line; any makes the exit
code 1.
"""

import platform
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import typer

from everturn.cli.commands.conversations import AsJson
from everturn.cli.output.console import complain, printable, say, version
from everturn.cli.output.consolidation_lines import consolidation_lines
from everturn.cli.output.errors import CliError, line_of
from everturn.cli.output.model_lines import embedder_line, extractor_line, told_line
from everturn.cli.target.api import LISTING, STATUS
from everturn.cli.target.options import on_store
from everturn.cli.target.session import open_api
from everturn.cli.target.store_choice import StoreChoice, Target
from everturn.errors import EverturnError, MisconfiguredError
from everturn.local.environment import environment_of
from everturn.settings.process import read_settings

# What `pip install 'everturn[local]'` brings.
_EXTRAS = ("aws-lambda-powertools", "boto3", "filelock", "moto", "numpy", "pydantic", "pyyaml")


@on_store
def doctor(choice: StoreChoice, target: Target) -> None:
    """Check the installation and the store; exit 1 if anything is wrong."""
    say(f"everturn   {version()}")
    say(f"python     {platform.python_version()} on {platform.system()}")
    say(f"store      {choice}")
    checks: dict[str, Callable[[], str]] = {
        "functions": _check_functions,
        "packages": _check_packages,
        "answers": lambda: _check_answers(choice, target),
    }
    if choice.is_url:
        say(f"proof      {choice.proof}")
    else:
        checks["conditions"] = lambda: _check_conditions(choice)
        checks["embedder"] = lambda: _check_embedder(choice)
        checks["extractor"] = lambda: _check_extractor(choice)
    problems = [name for name, check in checks.items() if not _passes(name, check)]
    if problems:
        raise typer.Exit(1)


def _passes(name: str, check: Callable[[], str]) -> bool:
    try:
        say(f"{name:<10} {check()}")
    except (CliError, EverturnError, OSError) as error:
        complain(f"{name}: {line_of(error)}")
        return False
    return True


def _check_functions() -> str:
    from everturn.local.bundle import find_bundle
    from everturn.local.template import read_routes

    bundle = find_bundle()
    routes = read_routes(bundle.template)
    for function in {route.function for route in routes}:
        path = bundle.function(function.code_uri, function.handler)
        if not path.is_file():
            raise MisconfiguredError(f"a function's file is missing path={path}")
    return f"{len(routes)} routes in {bundle.template} ({bundle.kind})"


def _check_packages() -> str:
    found = {name: version(name) for name in _EXTRAS}
    missing = [name for name, installed in found.items() if installed is None]
    if missing:
        raise MisconfiguredError(
            f"packages are missing, install everturn[local] missing={','.join(missing)}"
        )
    return ", ".join(f"{name} {installed}" for name, installed in found.items())


def _check_answers(choice: StoreChoice, target: Target) -> str:
    with open_api(choice, target) as api:
        listing = api.read("/v1/conversations", {"limit": 1}, shape=LISTING)
    if skipped := listing["skipped"]:
        raise CliError(f"some conversations cannot be read skipped={skipped}")
    return "a list of conversations"


def _check_conditions(choice: StoreChoice) -> str:
    if choice.directory is not None and not choice.directory.exists():
        return _check_creation(choice.directory)
    from everturn.bootstrap.components import open_backends
    from everturn.storage.probe_conditions import probe_conditions

    parts = open_backends(read_settings(environment_of(choice.settings)))
    probe_conditions(store=parts.data, entropy=parts.entropy)
    return "the store honours If-None-Match and If-Match"


def _check_creation(directory: Path) -> str:
    """Make and remove a folder beside the missing one: permissions alone do not tell."""
    above = next(folder for folder in directory.parents if folder.exists())
    try:
        with TemporaryDirectory(prefix=".everturn-", dir=above):
            return "not there yet, the first write makes it"
    except OSError as exc:
        reason = (exc.strerror or type(exc).__name__).lower()
        raise CliError(f"the directory cannot be made: {reason} directory={directory}") from exc


def _check_embedder(choice: StoreChoice) -> str:
    from everturn.bootstrap.components import open_embedders

    live = open_embedders(read_settings(environment_of(choice.settings))).live()
    if live.fell_back:
        raise CliError(f"what is asked for cannot be used, {live.name} stands in: {live.reason}")
    others = [f"\n{'':<10} not {other.name}: {other.reason}" for other in live.tried]
    return embedder_line(live) + "".join(others)


def _check_extractor(choice: StoreChoice) -> str:
    return extractor_line(read_settings(environment_of(choice.settings)))


@on_store
def status(choice: StoreChoice, target: Target, *, as_json: AsJson = False) -> None:
    """Say which stores and which models are in use, and how far consolidation is."""
    with open_api(choice, target) as api:
        response = api.call("GET", "/v1/status", shape=STATUS)
    if as_json:
        say(response.text)
        return
    backends = response.json()["backends"]
    for name, backend in backends.items():
        if isinstance(backend, str):
            say(printable(f"{name:<10} {backend}"))
    _say_embedder(backends["embedder"])
    consolidation = response.json().get("consolidation")
    for line in consolidation_lines(consolidation) if consolidation else ():
        say(printable(line))


def _say_embedder(embedder: Mapping[str, Any]) -> None:
    say(printable(f"embedder   {told_line(embedder)}"))
    for tried in embedder["tried"]:
        say(printable(f"           not {tried['name']}: {tried['reason']}"))
