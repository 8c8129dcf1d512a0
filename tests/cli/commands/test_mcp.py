"""The options of `everturn mcp`, where no server comes of them."""

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from everturn.cli.commands import mcp
from everturn.cli.main import app
from everturn.client import AsyncEverturn


def test_a_missing_package_is_one_line_that_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "everturn.cli.serve.mcp_stdio", raising=False)
    monkeypatch.setitem(sys.modules, "mcp.server.stdio", None)
    ended = CliRunner().invoke(app, ["mcp", "--dir", str(tmp_path)])
    assert ended.exit_code == 1
    missing = "missing=mcp.server.stdio"
    assert (
        ended.stderr == f"error: packages are missing or too old, install everturn[mcp] {missing}\n"
    )
    assert ended.stdout == ""


@pytest.mark.parametrize(
    "options", [["--host", " "], ["--port", "70000"], ["--dir", "a", "--url", "http://b"]]
)
def test_wrong_options_are_said_before_anything_is_served(options: list[str]) -> None:
    ended = CliRunner().invoke(app, ["mcp", "--http", *options])
    assert ended.exit_code == 2
    assert ended.stdout == ""


@pytest.mark.parametrize(
    ("options", "waits"), [(["--dir", "store"], True), (["--url", "http://localhost:1"], False)]
)
def test_work_within_this_process_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], *, waits: bool
) -> None:
    """No network holds it up, and what is written is written."""
    served: list[AsyncEverturn] = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(mcp, "_serve_stdio", lambda memory, _: served.append(memory))
    ended = CliRunner().invoke(app, ["mcp", *options])
    assert ended.exit_code == 0
    assert (served[0]._connection.timeout_s > 3_600) is waits
