"""Memories of an export come in again, with their sources and times."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from cli.stores import Run
from everturn.cli.main import app


def _other(tmp_path: Path, *arguments: str) -> Result:
    """Run a command on another store."""
    return CliRunner().invoke(app, [*arguments, "--dir", str(tmp_path / "other")])


@pytest.fixture
def exported(run: Run) -> Path:
    """An export of a fact of two sources and a pattern."""
    for name in "ab":
        run("remember", "The deploy port is 8080.", "--source", name)
    run("remember", "--name", "Deploy", "--step", "tag it")
    run("remember", "--name", "Deploy", "--step", "push it", "--key", "k")
    assert run("export", "--all", "all.ndjson").exit_code == 0
    return Path("all.ndjson")


def test_memories_come_in_as_they_were_and_twice_doubles_nothing(
    run: Run, tmp_path: Path, exported: Path
) -> None:
    first = _other(tmp_path, "import", str(exported))
    assert first.exit_code == 0, first.output
    kinds = {" ".join(line.split()[:2]) for line in first.stdout.splitlines()}
    assert kinds == {"memory fact", "memory pattern"}
    assert first.stdout.count(": added\n") == 2
    assert _other(tmp_path, "memories", "--json").stdout == run("memories", "--json").stdout
    again = _other(tmp_path, "import", str(exported))
    assert again.stdout.count(": already there\n") == 2


def test_what_was_forgotten_stays_so(tmp_path: Path, exported: Path) -> None:
    _other(tmp_path, "import", str(exported))
    memories = json.loads(_other(tmp_path, "memories", "--json").stdout)["memories"]
    _other(tmp_path, "forget", memories[0]["id"], "--yes")
    again = _other(tmp_path, "import", str(exported))
    assert again.stdout.count(": left out, it was forgotten here\n") == 1


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"memory":[]}', "a memory is an object"),
        ('{"memory":{"id":"0"}}', "code=corrupt_record"),
    ],
)
def test_what_is_no_memory_is_refused(tmp_path: Path, line: str, reason: str) -> None:
    (tmp_path / "all.ndjson").write_text(f"{line}\n")
    refused = _other(tmp_path, "import", "all.ndjson")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert reason in refused.stderr


def test_through_a_server_memories_are_refused_in_one_line(exported: Path) -> None:
    refused = CliRunner().invoke(app, ["import", str(exported), "--url", "http://127.0.0.1:9"])
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr.count("memories go into a store itself") == 2
