"""Runs one command in a process group of its own, which ends when whoever started this ends.

Run as a program, with a pipe for its input: once that is closed, which the system does for a
process that was killed, nothing of the group is left, nor of its temporary files. The first of the
group is this program once more, which ends it when the one outside is killed itself.
"""

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

_LOOK_EVERY_S = 0.2
_INSIDE = "--inside"
# What was killed may write for a moment yet.
_REMOVALS = 20


def main(arguments: list[str]) -> int:
    """Return the command's exit status."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    return inside(arguments[1:]) if arguments[0] == _INSIDE else outside(arguments)


def outside(command: list[str]) -> int:
    """Run it in a new group, with a folder for its temporary files; leave nothing of either."""
    folder = tempfile.mkdtemp(prefix="everturn-")
    process = subprocess.Popen(
        [sys.executable, __file__, _INSIDE, *command],
        stdin=subprocess.PIPE, start_new_session=True, env={**os.environ, "TMPDIR": folder},
    )  # fmt: skip
    try:
        _ended_before_us(process)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        status = process.wait()
        _remove(folder)
    return status


def inside(command: list[str]) -> int:
    """Run it in this group, and end all of the group when the process outside is gone."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    if not _ended_before_us(process):
        os.killpg(0, signal.SIGKILL)
    return process.wait()


def _ended_before_us(process: "subprocess.Popen[bytes]") -> bool:
    """Wait for the process, or for the end of our input; say whether it was the process."""
    while process.poll() is None:
        if select.select([sys.stdin], [], [], _LOOK_EVERY_S)[0]:
            return False
    return True


def _remove(folder: str) -> None:
    for _ in range(_REMOVALS):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.lexists(folder):
            return
        time.sleep(_LOOK_EVERY_S / 4)  # noqa: TID251 - foreign processes


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
