"""A worker on a folder queue with a handler of the test's own, on a clock that is moved by hand."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from everturn.adapters.directory.queue import FolderQueue
from everturn.adapters.memory_store import MemoryStore
from everturn.adapters.system_clock import ManualClock, SeededEntropy
from everturn.consolidation.enqueue_job import JobOffers
from everturn.local.handler_log import HandlerLog
from everturn.local.job_worker import JobParts, JobWorker
from everturn.local.template import Function
from everturn.values.keys import Scope

SCOPE = Scope("local", "local")
Handler = Callable[[dict[str, Any], Any], Any]


class World:
    """A worker on a folder queue; its handler is `does`, and `seen` are the events."""

    def __init__(self, folder: Path) -> None:
        self.clock, self.log = ManualClock(), folder / "everturn.log"
        entropy = SeededEntropy()
        self.root = folder / "queue"
        self.queue = FolderQueue(
            self.root, clock=self.clock, entropy=entropy, max_receives=5, max_depth=8
        )
        self.derived = MemoryStore(self.clock)
        self.seen: list[dict[str, Any]] = []
        self.left_ms: list[int] = []
        self.does: Handler = lambda _event, _context: None
        self.parts = JobParts(
            queue=self.queue,
            offers=JobOffers(self.queue, self.derived, self.clock, 2),
            handler=self._handle,
            function=Function("Consolidate", "functions/consolidate/", "app.handler", 180),
            clock=self.clock,
            entropy=entropy,
            log=HandlerLog(self.log),
        )
        self.worker = JobWorker(self.parts)

    def _handle(self, event: dict[str, Any], context: Any) -> Any:  # noqa: ANN401 - Lambda's own
        self.seen.append(event)
        self.left_ms.append(context.get_remaining_time_in_millis())
        return self.does(event, context)

    def run(self, seconds: float) -> None:
        """Step and wait as the process does."""
        end_s = self.clock.monotonic_s() + seconds
        while self.clock.monotonic_s() < end_s:
            self.clock.sleep(self.worker.step())

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]
