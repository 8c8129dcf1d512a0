"""`everturn up` in processes that are killed with SIGKILL, one at a time or all at once.

It finds the workers in /proc.
"""

import os
import signal
import subprocess
import sys
from enum import Enum
from pathlib import Path

from cli.everturn_process import clean_environment
from everturn.adapters.system_clock import SeededEntropy, SystemClock

CLOCK = SystemClock()
# Much longer than it takes from one sealing to the next while all clients are at work.
_AIM_TIMEOUT_S = 60.0


class Aim(Enum):
    """When a worker is killed: at any moment, or as soon as one of these files is put in place."""

    ANY_MOMENT = ""
    BEFORE_THE_ANSWER = "*.json"
    BETWEEN_SEGMENT_AND_HEAD = ".everturn/s/local/local/*/*.json"


class Server:
    """`everturn up --workers 2` on one directory, in a process group of its own."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.errors = directory.with_suffix(".err")
        self.url = ""

    def start(self) -> None:
        command = [str(Path(sys.executable).with_name("everturn")), "up", "--port", "0"]
        command += ["--workers", "2", "--dir", str(self.directory)]
        with self.errors.open("a") as errors:
            self.process = subprocess.Popen(
                command, env=clean_environment(), stdout=subprocess.PIPE, stderr=errors,
                text=True, start_new_session=True,
            )  # fmt: skip
        assert self.process.stdout is not None
        # Another port each time: a client that knocks at a port nobody listens on may meet itself.
        served = self.process.stdout.readline()
        assert served, self.errors.read_text()
        self.url = served.split()[-1]

    def kill_group(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self._bury()

    def kill_supervisor(self) -> None:
        """Its workers are left behind: they answer what they have begun, then end."""
        self.process.kill()
        self._bury()

    def kill_worker(self, chance: SeededEntropy, aim: Aim) -> None:
        workers = self._workers()
        assert workers, self.errors.read_text()
        victim = workers[int(chance.share() * len(workers))]
        if aim is Aim.ANY_MOMENT:
            CLOCK.sleep(chance.share() / 50)
        else:
            self._wait_for(aim)
        os.kill(victim, signal.SIGKILL)
        while victim in self._workers():
            CLOCK.sleep(0.001)

    def end(self) -> None:
        self.process.terminate()
        self._bury()

    def files(self, aim: Aim) -> set[int]:
        return {path.stat().st_ino for path in self.directory.glob(aim.value)}

    def _wait_for(self, aim: Aim) -> None:
        before, end_s = self.files(aim), CLOCK.monotonic_s() + _AIM_TIMEOUT_S
        while self.files(aim) <= before and CLOCK.monotonic_s() < end_s:
            CLOCK.sleep(0.0005)

    def _bury(self) -> None:
        assert self.process.stdout is not None
        self.process.wait(60)
        self.process.stdout.close()

    def _workers(self) -> list[int]:
        """The processes that multiprocessing spawned, whether they serve yet or not."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                command = (folder / "cmdline").read_bytes()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if parent == self.process.pid and b"spawn_main" in command:
                found.append(int(folder.name))
        return sorted(found)
