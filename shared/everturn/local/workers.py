"""The processes of `everturn up`: start them, replace one that dies, end them all.

A worker process loads the handlers and serves until its parent closes the connection.
"""

import multiprocessing
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from types import FrameType

from everturn.errors import EverturnError, MisconfiguredError
from everturn.local.environment import Overlay, set_environment
from everturn.local.gateway import open_gateway
from everturn.local.server import FrontServer

# A worker answers what is in flight (20 s at most) before it ends, and ends the job in hand; after
# this it is made to, and the job comes again.
_END_TIMEOUT_S = 25.0
# Fork would copy locks and threads; spawn starts clean on every system.
_SPAWN = multiprocessing.get_context("spawn")

READY = ""
"""What a worker says when it serves; anything else is why it cannot."""

Awaited = Connection | int
"""A connection or a file descriptor that becomes readable to end the service."""

Task = Callable[[Connection], None]
"""What a process does: it sends `READY`, or why it cannot, and ends when the other end is closed.

It can be pickled: a function of a module, or a `functools.partial` of one.
"""

# One that ends while it starts is tried again; so many in a row will not come.
_MAX_ATTEMPTS = 5


@dataclass(slots=True, eq=False)
class _Worker:
    """A process; `said` is its first word, `attempt` counts starts without one that served."""

    process: SpawnProcess
    line: Connection
    task: Task
    attempt: int = 1
    said: str | None = None

    def hear(self) -> None:
        """Wait for its first word; an end without one is said for it."""
        try:
            self.said = self.line.recv()
        except (EOFError, ConnectionError):
            self.said = "a worker ended before it could serve"


class Workers:
    """Some processes, each with a task that it is started anew for if it dies."""

    def __init__(self) -> None:
        """Start nothing."""
        self._running: list[_Worker] = []

    @property
    def pids(self) -> list[int | None]:
        """The process ids, in order of their start."""
        return [worker.process.pid for worker in self._running]

    def start(self, tasks: Iterable[Task]) -> None:
        """Start a worker for each task; returns when each of them serves.

        Raises:
            MisconfiguredError: one of them cannot.
        """
        self._running = [_spawned(task) for task in tasks]
        for worker in self._running:
            worker.hear()
            if worker.said != READY:
                raise MisconfiguredError(str(worker.said))

    def supervise(self, until: Sequence[Awaited]) -> Awaited:
        """Replace each worker that dies, until one of `until` can be read; returns that one.

        Raises:
            MisconfiguredError: several new workers in a row could not start.
        """
        while True:
            sentinels = [worker.process.sentinel for worker in self._running]
            # Nobody waits for one that starts: the end may be asked for meanwhile.
            lines = [worker.line for worker in self._running if worker.said is None]
            ready = wait([*until, *sentinels, *lines])
            for awaited in until:
                if awaited in ready:
                    return awaited
            for worker in list(self._running):
                if worker.said is None and worker.line in ready:
                    worker.hear()
                if worker.process.sentinel in ready:
                    self._replace(worker)

    def end(self) -> None:
        """End them all: what is in flight is answered first."""
        for worker in self._running:
            worker.line.close()
        for worker in self._running:
            worker.process.join(_END_TIMEOUT_S)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
        self._running = []

    def _replace(self, dead: _Worker) -> None:
        dead.process.join()
        if dead.said is None:
            # Its end shows before what it said, which can be read now without waiting.
            dead.hear()
        dead.line.close()
        self._running.remove(dead)
        failed = 0 if dead.said == READY else dead.attempt
        if failed == _MAX_ATTEMPTS:
            raise MisconfiguredError(f"{dead.said} attempts={failed}")
        code = dead.process.exitcode
        sys.stderr.write(f"a worker died, starting another pid={dead.process.pid} exit={code}\n")
        self._running.append(_spawned(dead.task, failed + 1))


def _spawned(task: Task, attempt: int = 1) -> _Worker:
    ours, theirs = _SPAWN.Pipe()
    process = _SPAWN.Process(target=task, args=(theirs,))
    with _interrupts_blocked():
        process.start()
    theirs.close()
    return _Worker(process, ours, task, attempt)


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Let children inherit a mask that holds Ctrl-C off: it is for the parent, which ends them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def stop_signals() -> Iterator[Connection]:
    """Give a connection that becomes readable at Ctrl-C or SIGTERM, instead of an exception."""
    reader, writer = multiprocessing.Pipe(duplex=False)

    def stop(_number: int, _frame: FrameType | None) -> None:
        writer.send_bytes(b"stop")

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield reader
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        reader.close()
        writer.close()


# Longer than a request may take: the functions' timeout is 20 s (template.yaml).
_WORKER_END_TIMEOUT_S = 21.0
# How soon a server notices that it is to end; it costs one wake-up each time.
_POLL_S = 0.2


@dataclass(frozen=True, slots=True)
class WorkerPlan:
    """What each worker is told: the same for all.

    `host` is the address asked for; `settings` are the handlers' environment; `process_environment`
    is that of the whole process, such as the AWS SDK's variables.
    """

    host: str
    settings: Overlay
    process_environment: Overlay
    log: Path | None


def work(listener: socket.socket, plan: WorkerPlan, parent: Connection) -> None:
    """Serve on the shared socket until `parent` is closed; what is in flight is answered."""
    set_environment(plan.process_environment)
    try:
        gateway = open_gateway(plan.settings, log=plan.log)
    except EverturnError as error:
        tell(parent, error.message)
        return
    server = FrontServer(listener, gateway, host=plan.host)
    threading.Thread(target=_end_with, args=(parent, server), daemon=True).start()
    with server:
        if not tell(parent, READY):
            return
        server.serve_forever(_POLL_S)
        server.in_flight.wait_until_none(_WORKER_END_TIMEOUT_S)


def tell(parent: Connection, said: str) -> bool:
    """Say something to the parent; False if it has hung up, which may be while this one loads."""
    try:
        parent.send(said)
    except ConnectionError:
        return False
    return True


def _end_with(parent: Connection, server: FrontServer) -> None:
    """End the server when the parent closes its end, or is gone: both read as end of file."""
    try:
        parent.recv()
    except (EOFError, ConnectionError):
        server.shutdown()
