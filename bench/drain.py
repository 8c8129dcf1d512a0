"""Jobs of the queue: how many a second one worker does, and what each costs beside an append.

The store is a directory, the queue its folder, the extractor the built-in rules: what is measured
is the product's own work and this machine's disk. The baseline, in the same run, is an append; "of
an append" is how many of those a row's item takes the time of. Nobody waits for a minute to pass:
the clock is set on, and "idle s" is by how much.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

from measuring import Row, options, report
from metered_store import MeteredStore

from everturn.adapters.directory.queue import FolderQueue
from everturn.adapters.directory.store import DirectoryStore
from everturn.adapters.system_clock import SystemClock, SystemEntropy
from everturn.consolidation.consolidate_conversation import run_job
from everturn.consolidation.enqueue_job import JobOffers
from everturn.conversations.append_turns import append_turns
from everturn.conversations.head_cache import HeadCache
from everturn.conversations.model.turn import TurnDraft
from everturn.extraction.rules.extract_by_rules import RulesExtractor
from everturn.local.handler_log import HandlerLog
from everturn.local.job_worker import JobParts, JobWorker
from everturn.local.template import Function
from everturn.ports.queue import MAX_RECEIVES
from everturn.storage.budget import Budget
from everturn.values.job import Job, parse_job
from everturn.values.keys import DIRTY_PREFIX, Scope, dirty_key

SCOPE = Scope("bench", "bench")
DEPTH, LEASE_S, IDLE_S = 8, 120, 0.3
MINUTE_NS = 60 * 1_000_000_000
PLAIN = "The order has not arrived yet, could you please look where it is? It is number {}. "
STATED = "Remember that the gate code of house {} is blue."
Act = Callable[[], object]


class SetOn(SystemClock):
    """The machine's clock, set on by what an idle worker would have waited."""

    ahead_s = 0.0

    def now_ns(self) -> int:
        return super().now_ns() + round(self.ahead_s * 1e9)

    def monotonic_s(self) -> float:
        return super().monotonic_s() + self.ahead_s


CLOCK = SetOn()


@dataclass(slots=True)
class Timed:
    """Milliseconds of each item, and the requests to the store of all."""

    kind: str
    ms: list[float]
    requests: int
    turns: int = 1
    idle_s: float = 0.0

    def row(self, append_ms: float) -> Row:
        """Return it as it is shown."""
        own_ms = median(self.ms)
        return {
            "kind": self.kind, "items": len(self.ms), "turns": self.turns, "p50 ms": own_ms,
            "per s": 1e3 * len(self.ms) / sum(self.ms), "requests": self.requests / len(self.ms),
            "of an append": own_ms / append_ms, "idle s": self.idle_s,
        }  # fmt: skip


class Drain:
    """A directory with its queue, a process that appends, and one that works."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = MeteredStore(DirectoryStore(root, clock=CLOCK))
        self.queue = FolderQueue(
            root / ".everturn" / "queue", clock=CLOCK, entropy=SystemEntropy(),
            max_receives=MAX_RECEIVES, max_depth=DEPTH,
        )  # fmt: skip
        self.offers = JobOffers(self.queue, self.store, CLOCK, settle_s=0, quiet_s=0.0)
        self.heads = HeadCache()
        self.orders = count(1)

    def append(self, to: str, turns: int = 1) -> None:
        texts = [PLAIN.format(next(self.orders)) * 3 for _ in range(turns - 1)]
        drafts = [TurnDraft("user", text) for text in (*texts, STATED.format(next(self.orders)))]
        append_turns(
            store=self.store, heads=self.heads, clock=CLOCK, entropy=SystemEntropy(),
            scope=SCOPE, conversation_id=to, turns=drafts,
        )  # fmt: skip

    def offer(self, to: str) -> None:
        assert self.offers.offer(SCOPE, to).queued

    def mark(self, to: str) -> None:
        """Leave a marker as an append to a full queue did, some minutes ago."""
        key = dirty_key(SCOPE, to, minute=CLOCK.now_ns() // MINUTE_NS - 5)
        self.store.overwrite(key, Job(SCOPE, to).encode().encode())

    def work(self) -> int:
        """Do one job as the worker does; return how many turns it read."""
        [lease] = self.queue.claim(1, lease_s=LEASE_S)
        turns = self.do(lease.job)
        self.queue.done(lease)
        return turns

    def do(self, job: Job) -> int:
        """Do a job; return how many turns it read."""
        done = run_job(
            job, store=self.store, derived=self.store, clock=CLOCK,
            entropy=SystemEntropy(), extractor=RulesExtractor(), offers=self.offers,
            budget=Budget(clock=CLOCK, seconds=60), daily_tokens=0,
            index=lambda _job, _budget: True,
        )  # fmt: skip
        assert (done.behind, done.fault) == (False, None)
        return done.turns

    def timed(self, kind: str, acts: Iterator[Act], turns: int = 1) -> Timed:
        """Measure each act; what comes between two is not measured."""
        timed = Timed(kind, [], 0, turns)
        for act in acts:
            self.time(act, timed)
        return timed

    def time(self, act: Act, to: Timed) -> None:
        with self.store.fresh_tally() as tally:
            began_s = time.perf_counter()
            act()
            to.ms.append((time.perf_counter() - began_s) * 1e3)
        to.requests += tally.requests.total()

    def appends(self, items: int) -> tuple[Timed, Timed]:
        """Measure appends and offered ones in turn, so that a slow moment hits both."""
        bare, offered = Timed("append", [], 0), Timed("append, offered", [], 0)
        for number in range(items):
            self.time(partial(self.append, f"a{number % 8}"), bare)
            self.time(partial(self.append_and_offer, f"o{number % 8}"), offered)
        while self.queue.depth().waiting:
            self.work()
        return bare, offered

    def append_and_offer(self, to: str) -> None:
        self.append(to)
        self.offer(to)

    def jobs(self, kind: str, items: int, turns: int) -> Timed:
        """Measure jobs of conversations that have so many new turns each."""

        def acts() -> Iterator[Act]:
            for number in range(items):
                id_ = f"{turns}-{number % 8}"
                if turns:
                    self.append(id_, turns)
                self.offer(id_)
                yield partial(self._reads, turns)

        if not turns:
            for number in range(8):
                self.append(f"0-{number}")
                self.offer(f"0-{number}")
                self.work()
        return self.timed(kind, acts(), turns)

    def _reads(self, turns: int) -> None:
        assert self.work() == turns

    def backlog(self, items: int, turns: int) -> Timed:
        """Measure the jobs of a full queue and of the markers behind it, until none is left."""
        ids = [f"b-{number}" for number in range(items)]
        for id_ in ids:
            self.append(id_, turns)
        for id_ in ids[:DEPTH]:
            self.offer(id_)
        for id_ in ids[DEPTH:]:
            self.mark(id_)
        timed = self.timed("job of a backlog", (partial(self._reads, turns) for _ in ids), turns)
        assert not self.store.list(DIRTY_PREFIX).keys
        assert not self.queue.depth().waiting
        return timed

    def burst(self, items: int, turns: int) -> Timed:
        """Measure the worker's own loop after so many appends at once: all markers are young."""
        for number in range(items):
            self.append(f"y-{number}", turns)
            self.offers.offer(SCOPE, f"y-{number}")
        timed, read = Timed("job of a burst", [], 0, turns), list[int]()
        worker = self._worker(read)
        while self.queue.depth().waiting or self.store.list(DIRTY_PREFIX).keys:
            self.time(worker.step, timed)
            if len(timed.ms) > len(read):
                timed.ms.pop()
                CLOCK.ahead_s += IDLE_S
                timed.idle_s += IDLE_S
            assert self.queue.depth().waiting <= DEPTH + 1
        assert read == [turns] * items
        return timed

    def _worker(self, read: list[int]) -> JobWorker:
        def handle(event: dict[str, Any], _context: object) -> None:
            read.append(self.do(parse_job(event["Records"][0]["body"])))

        return JobWorker(
            JobParts(
                queue=self.queue, offers=self.offers, handler=handle, clock=CLOCK,
                function=Function("Consolidate", "", ""), entropy=SystemEntropy(),
                log=HandlerLog(self.root / "bench.log"),
            )
        )  # fmt: skip


@contextmanager
def opened() -> Iterator[Drain]:
    """Open an empty directory for the time of the block."""
    with tempfile.TemporaryDirectory() as folder:
        yield Drain(Path(folder))


def main() -> None:
    """Run it."""
    asked = options(__doc__ or "", items=300, turns=10)
    items = 20 if asked.quick else asked.items
    with opened() as drain:
        drain.appends(20)
        timed = [
            *drain.appends(items),
            drain.jobs("job, nothing new", items, 0),
            drain.jobs("job, one window", items, asked.turns),
            drain.backlog(items, asked.turns),
            drain.burst(items, asked.turns),
        ]
    append_ms = median(timed[0].ms)
    title = f"one worker on a directory, {items} of each, requests to the store alone"
    report(title, [one.row(append_ms) for one in timed], asked.json)


if __name__ == "__main__":
    main()
