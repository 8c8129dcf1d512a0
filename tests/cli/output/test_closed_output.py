"""Commands whose output was closed by the shell that runs them (`>&-`)."""

import subprocess
import sys
from pathlib import Path

import pytest

from cli.everturn_process import clean_environment

COMMAND = (sys.executable, "-c", "from everturn.cli.main import main; main()")


def run(*arguments: str, cwd: Path, closed: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {closed}', "sh", *COMMAND, *arguments],
        cwd=cwd, env=clean_environment(), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_command_does_its_work_though_nobody_can_read_of_it(tmp_path: Path, closed: str) -> None:
    (tmp_path / "trip.jsonl").write_text('{"role": "user", "text": "hi"}\n')

    done = run("import", "trip.jsonl", cwd=tmp_path, closed=closed)

    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    for command in (["list"], ["export", "trip"]):
        assert run(*command, cwd=tmp_path, closed=closed).returncode == 0
    assert '"hi"' in run("export", "trip", cwd=tmp_path, closed="").stdout


def test_a_full_disk_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "trip.jsonl").write_text('{"role": "user", "text": "hi"}\n')
    run("import", "trip.jsonl", cwd=tmp_path, closed="")

    done = run("list", cwd=tmp_path, closed=">/dev/full")

    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "error: no space left on device"
