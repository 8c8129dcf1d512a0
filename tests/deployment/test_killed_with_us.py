import os
import signal
import subprocess
import sys
from pathlib import Path

from deployment import killed_with_us

# A command that leaves a process of its own behind.
PARENT = "import subprocess, time; subprocess.Popen(['sleep', '3600']); print('up', flush=True)"
COMMAND = [sys.executable, killed_with_us.__file__, sys.executable, "-c"]
# Starts the above, tells its output, and waits to be killed.
STARTER = (
    "import subprocess, sys; "
    "subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=sys.stdout).wait()"
)


def test_a_whole_group_ends_when_the_process_that_started_it_is_killed() -> None:
    """The pipe to the test stays open for as long as anything of the group lives."""
    tail = "; time.sleep(3600)"
    started = [sys.executable, "-c", STARTER, *COMMAND, PARENT + tail]
    process = subprocess.Popen(started, stdout=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.readline() == b"up\n"
    os.kill(process.pid, signal.SIGKILL)
    assert process.stdout.read() == b""
    process.stdout.close()
    process.wait()


def test_a_command_that_ends_by_itself_gives_its_status_and_leaves_nothing(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("wb") as file:
        process = subprocess.Popen(
            [*COMMAND, PARENT + "; raise SystemExit(7)"], stdin=subprocess.PIPE, stdout=file
        )
        assert process.wait(timeout=60) == 7
    assert process.stdin
    process.stdin.close()
    assert log.read_bytes() == b"up\n"
