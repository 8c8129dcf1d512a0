"""What the command says of itself is whole: no line of the overview is cut."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from everturn.cli.main import app

# As a terminal of 80 columns shows it, whatever the machine of the test has.
WIDTH = {"COLUMNS": "80"}


def _help(*names: str) -> str:
    return CliRunner().invoke(app, [*names, "--help"], env=WIDTH).stdout


NAMES = re.findall(r"^  ([a-z]+)  ", _help().partition("Commands:")[2], re.MULTILINE)


@pytest.mark.parametrize("names", [(), ("model",)], ids=["everturn", "everturn model"])
def test_no_line_of_an_overview_is_cut(names: tuple[str, ...]) -> None:
    told = _help(*names)
    assert "Commands:" in told
    assert "..." not in told.partition("Commands:")[2]


def test_commands_are_found() -> None:
    assert {"up", "append", "list", "import", "doctor", "model"} <= set(NAMES)


def test_it_says_where_commands_work() -> None:
    assert "./.everturn" in _help()
    assert "EVERTURN_STORE" in _help()


@pytest.mark.parametrize("name", NAMES)
def test_every_command_says_what_it_does_and_what_its_options_mean(name: str) -> None:
    lines = _help(name).splitlines()
    assert lines[2].strip()
    assert f" {name} " in lines[0]
    options = [line for line in lines if line.startswith("  --") and "  " not in line.strip()]
    assert options == []


def test_without_the_packages_of_the_commands_it_says_which_extra_brings_them(
    tmp_path: Path,
) -> None:
    """As after `pip install everturn`, which brings the client alone."""
    (tmp_path / "typer.py").write_text("raise ModuleNotFoundError(name='typer')\n")
    done = subprocess.run(
        [sys.executable, "-c", "from everturn.cli.entry import main; main()"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    missing = "error: a package is missing, install everturn[local] missing=typer\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", missing)


def test_else_it_runs_the_command() -> None:
    code = "from everturn.cli.entry import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "--version"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout[:9]) == (0, "everturn ")
