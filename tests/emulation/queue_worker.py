"""Offers, and works off, jobs of a folder queue: the work of whole processes."""

from collections.abc import Callable
from pathlib import Path

from everturn.adapters.directory import queue as folder_queue
from everturn.adapters.directory.queue import FolderQueue
from everturn.adapters.system_clock import SystemClock, SystemEntropy
from everturn.values.job import Job
from everturn.values.keys import Scope

SCOPE = Scope("acme", "dana")
MAX_RECEIVES = 1_000
# Between two looks at an empty queue.
_PAUSE_S = 0.01
# Several processes want it at once, and a disk may be busy.
_LOCK_TIMEOUT_S = 60.0


def open_queue(root: str, *, max_depth: int = 100_000) -> FolderQueue:
    return FolderQueue(
        Path(root),
        clock=SystemClock(),
        entropy=SystemEntropy(),
        max_receives=MAX_RECEIVES,
        max_depth=max_depth,
    )


def with_patience(target: Callable[..., None], *args: object) -> None:
    """Do the work of a whole process that waits a minute for the queue's lock, not a second."""
    vars(folder_queue)["_LOCK_TIMEOUT_S"] = _LOCK_TIMEOUT_S
    target(*args)


def offer_all(root: str, names: list[str], max_depth: int, log: str) -> None:
    """Offer each once; the log gets a line `outcome name` for each."""
    queue = open_queue(root, max_depth=max_depth)
    for name in names:
        offered = queue.offer(Job(SCOPE, name), delay_s=0)
        note(log, f"{offered.value} {name}")


def work(root: str, log: str, lease_s: int, work_s: float) -> None:
    """Do jobs until killed, or until the queue is empty: `begun name`, later `done name`."""
    queue, clock = open_queue(root), SystemClock()
    while queue.depth().waiting or queue.depth().leased:
        for lease in queue.claim(2, lease_s=lease_s):
            name = lease.job.conversation_id
            note(log, f"begun {name}")
            clock.sleep(work_s)
            note(log, f"done {name}")
            queue.done(lease)
        clock.sleep(_PAUSE_S)


def note(log: str, line: str) -> None:
    """Add a line in one write, which no other process's comes between."""
    with Path(log).open("ab", buffering=0) as file:
        file.write(f"{line}\n".encode())


def noted(log: Path, word: str) -> list[str]:
    """The names that were noted with this word, in their order."""
    lines = log.read_text().splitlines() if log.exists() else []
    return [line.split(" ", 1)[1] for line in lines if line.startswith(f"{word} ")]
