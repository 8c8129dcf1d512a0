"""The options of `everturn mcp`, where no server comes of them.

Not here: what it serves (test_mcp_stdio.py, test_mcp_http.py).
"""

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from everturn.cli.main import app


def test_a_missing_package_is_one_line_that_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "everturn.cli.mcp_stdio", raising=False)
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
