"""What the tests of the commands share: a runner on a directory of one test."""

import os
from functools import cache
from pathlib import Path
from typing import Final

import pytest
import typer.main
from typer.testing import CliRunner, Result

from cli.stores import Run
from everturn.cli.main import app
from everturn.local.template import read_routes

# The same in all tests, and making them anew takes longer than most commands.
_COMMAND: Final = cache(typer.main.get_command)
_ROUTES: Final = cache(read_routes)


@pytest.fixture(autouse=True)
def _made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("typer.testing._get_command", _COMMAND)
    monkeypatch.setattr("everturn.local.gateway.read_routes", _ROUTES)


@pytest.fixture(autouse=True)
def _unsteered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No variable, store or model of the person who runs the tests is used."""
    for name in [name for name in os.environ if name.startswith("EVERTURN_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run a command on the store of this test."""

    def invoke(*arguments: str, stdin: str | None = None) -> Result:
        store = ["--dir", str(tmp_path / "store")]
        return CliRunner().invoke(app, [*arguments, *store], input=stdin)

    return invoke
