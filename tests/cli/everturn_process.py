"""Runs `everturn up` as a user does, and ends it in any case."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_COMMAND = (sys.executable, "-c", "from everturn.cli.main import main; main()")
_VARIABLES = ("EVERTURN_", "AWS_", "POWERTOOLS_")


@dataclass(frozen=True, slots=True)
class Up:
    """A running server: its process, its address, and what it printed until it served."""

    process: "subprocess.Popen[str]"
    url: str
    banner: str


def clean_environment() -> dict[str, str]:
    """Return this environment without what steers Everturn and the AWS SDK."""
    return {k: v for k, v in os.environ.items() if not k.startswith(_VARIABLES)}


def run(*arguments: str, cwd: Path, stdin: str = "") -> "subprocess.CompletedProcess[str]":
    """Run one command to its end."""
    return subprocess.run(
        [*_COMMAND, *arguments],
        cwd=cwd,
        env=clean_environment(),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@contextmanager
def everturn_up(
    *arguments: str, cwd: Path, environment: Mapping[str, str] | None = None
) -> Iterator[Up]:
    """Start it on a free port, wait for its banner, and kill it at the end if need be."""
    with (cwd / "up.err").open("w") as errors:
        process = subprocess.Popen(
            [*_COMMAND, "up", "--port", "0", *arguments],
            cwd=cwd,
            env={**clean_environment(), **(environment or {})},
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    try:
        banner = _banner(process)
        yield Up(process, banner.splitlines()[0].rpartition(" ")[2], banner)
    finally:
        process.kill()
        process.communicate()


def _banner(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    lines: list[str] = []
    for line in process.stdout:
        lines.append(line)
        if line.startswith("Ctrl-C"):
            return "".join(lines)
    raise AssertionError(f"it ended before it served: {lines}")
