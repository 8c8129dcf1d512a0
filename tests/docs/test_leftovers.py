"""A bench that is ended or killed leaves neither a process nor a file."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deployment import killed_with_us

BENCH = Path(__file__).parents[2] / "bench"
# As a bench that has started a server: the server outlives it, and holds its output open.
LIKE_A_BENCH = f"""
import os, subprocess, sys, tempfile, time
sys.path.insert(0, {str(BENCH)!r})
from leftovers import leaving_nothing
def main():
    tempfile.mkdtemp()
    if "--short" in sys.argv:
        raise SystemExit(7)
    subprocess.Popen(["sleep", "3600"])
    parents = [os.getpid(), os.getppid()]
    print(*parents, *sys.argv[1:], flush=True)
    time.sleep(3600)
leaving_nothing(main)
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "script.py"
    path.write_text(LIKE_A_BENCH)
    return path


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


@pytest.fixture
def bench(script: Path, scratch: Path) -> Iterator["subprocess.Popen[bytes]"]:
    command = [sys.executable, str(script), "--agents", "2"]
    environment = {**os.environ, "TMPDIR": str(scratch)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        yield process
        process.kill()


def _started(bench: "subprocess.Popen[bytes]") -> tuple[int, int]:
    """Wait until it works; return the process that does, and the one that began its group."""
    assert bench.stdout
    told = bench.stdout.readline().split()
    assert told[2:] == [b"--agents", b"2"]
    return int(told[0]), int(told[1])


def _all_ended(bench: "subprocess.Popen[bytes]") -> bool:
    """Wait until nobody holds its output open; the test's own timeout is the limit."""
    assert bench.stdout
    return bench.stdout.read() == b""


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_bench_that_is_ended_takes_its_processes_and_files_along(
    bench: "subprocess.Popen[bytes]", scratch: Path, sent: signal.Signals
) -> None:
    _started(bench)
    assert list(scratch.iterdir())
    bench.send_signal(sent)
    assert _all_ended(bench)
    assert bench.wait() != 0
    assert list(scratch.iterdir()) == []


def test_a_group_ends_when_the_process_that_looks_after_it_is_killed(scratch: Path) -> None:
    script = "import subprocess as s, time as t; s.Popen(['sleep', '3600'])"
    script = f"{script}; print(1, flush=True); t.sleep(3600)"
    with subprocess.Popen(
        [sys.executable, killed_with_us.__file__, sys.executable, "-c", script],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "TMPDIR": str(scratch)},
    ) as process:  # fmt: skip
        assert process.stdout
        assert process.stdout.readline() == b"1\n"
        process.kill()
        assert process.stdout.read() == b""


@pytest.mark.parametrize("which", [0, 1])
def test_either_process_within_ends_the_rest_when_it_is_killed(
    bench: "subprocess.Popen[bytes]", scratch: Path, which: int
) -> None:
    """What works, and what began the group."""
    os.kill(_started(bench)[which], signal.SIGKILL)
    assert _all_ended(bench)
    assert bench.wait() != 0
    assert list(scratch.iterdir()) == []


def test_a_bench_ends_with_its_own_status(script: Path, scratch: Path) -> None:
    command = [sys.executable, str(script), "--short"]
    done = subprocess.run(command, check=False, env={**os.environ, "TMPDIR": str(scratch)})
    assert done.returncode == 7
    assert list(scratch.iterdir()) == []
