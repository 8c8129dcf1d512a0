"""Runs a bench that starts servers or fills folders so that nothing is left, however it ends.

What runs is this bench once more, in a process group and with a folder for temporary files of its
own.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from deployment import killed_with_us

# Tells the second process that it is the second.
_SECOND = "BENCH_LEAVES_NOTHING"


def leaving_nothing(bench: Callable[[], None]) -> None:
    """Run it, and exit with its status."""
    if os.environ.pop(_SECOND, None):
        bench()
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    process = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, killed_with_us.__file__, sys.executable, *sys.orig_argv[1:]],
        stdin=subprocess.PIPE, env={**os.environ, _SECOND: "1"}, start_new_session=True,
    )  # fmt: skip
    try:
        process.wait()
    finally:
        process.communicate()
    sys.exit(process.returncode)
