"""What the tests of the worker of `everturn up` share.

To say something, to wait for what it makes.
"""

import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

import httpx

from everturn.adapters.system_clock import SystemClock

CLOCK = SystemClock()
# It takes some four seconds, of which it settles for two; a busy machine may need many more.
LEARNS_WITHIN_S = 120.0
T = TypeVar("T")


def say(url: str, conversation: str, text: str) -> None:
    turns = {"turns": [{"role": "user", "text": text}]}
    path = f"{url}/v1/conversations/{conversation}/turns"
    httpx.post(path, json=turns, trust_env=False, timeout=60).raise_for_status()


def statements(url: str) -> set[str]:
    page = httpx.get(f"{url}/v1/memories", trust_env=False, timeout=60).raise_for_status().json()
    return {row["statement"] for row in page["memories"]}


def wait_for(
    look: Callable[[], T], wanted: Callable[[T], bool], within_s: float = LEARNS_WITHIN_S
) -> T:
    """Look until it is as wanted."""
    end_s = CLOCK.monotonic_s() + within_s
    while not wanted(seen := look()):
        assert CLOCK.monotonic_s() < end_s, f"not in time: {seen}"
        threading.Event().wait(0.1)
    return seen


def job_worker_of(pid: int) -> int:
    """Return the process that works on the queue: of a server's children the one started last."""
    return max(_children(pid))


def _children(pid: int) -> Iterable[int]:
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
            command = stat.with_name("cmdline").read_bytes()
        except OSError:
            continue
        # Beside the workers Python has a process that tracks what they share.
        if int(fields[1]) == pid and b"spawn_main" in command:
            yield int(stat.parent.name)
