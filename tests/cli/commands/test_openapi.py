"""The command openapi."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from everturn.cli.main import app
from everturn.local.bundle import find_bundle


@pytest.fixture(scope="module")
def stored() -> str:
    return find_bundle().openapi.read_text("utf-8")


def test_it_prints_the_description(stored: str) -> None:
    result = CliRunner().invoke(app, ["openapi"])
    assert (result.exit_code, result.stdout) == (0, stored)


def test_it_writes_the_description_to_a_file(tmp_path: Path, stored: str) -> None:
    result = CliRunner().invoke(app, ["openapi", "--output", str(tmp_path / "api.json")])
    assert (result.exit_code, result.stdout) == (0, "")
    assert (tmp_path / "api.json").read_text("utf-8") == stored


def test_a_file_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["openapi", "--output", str(tmp_path / "no" / "api.json")])
    assert result.exit_code == 1
    assert result.stderr.startswith("error: no such file or directory file=")
