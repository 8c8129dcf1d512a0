"""A queue with those who append and one worker, in the time of a clock that is set forward."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from consolidation.consolidations import PlannedExtractor
from everturn.consolidation.consolidate_conversation import run_job
from everturn.consolidation.enqueue_job import JobOffer, JobOffers
from everturn.consolidation.outcome import Consolidated
from everturn.conversations.append_turns import append_turns
from everturn.conversations.head_cache import HeadCache
from everturn.conversations.model.head import Record
from everturn.conversations.model.turn import TurnDraft
from everturn.ports.queue import JobQueue
from everturn.storage.budget import Budget
from everturn.values.job import Job
from everturn.values.keys import DIRTY_PREFIX
from scenarios.world import World

TICK_S: Final = 0.25


@dataclass
class Draining:
    """One process that appends, and one that works, at once; each job takes `job_s`."""

    world: World
    queue: JobQueue
    settle_s: int
    quiet_s: float | None = None
    job_s: float = 0.1
    seconds: float = 60.0
    """How long one job may begin new windows."""
    extractor: PlannedExtractor = field(default_factory=PlannedExtractor)
    heads: HeadCache = field(default_factory=HeadCache)
    done: list[Consolidated] = field(default_factory=list)
    late_s: list[float] = field(default_factory=list)
    """How long the oldest marker could have been worked on, each time that the worker idled."""

    busy_until_s: float = 0.0

    def __post_init__(self) -> None:
        """Start both processes."""
        self.appending, self.working = self._offers(), self._offers()

    def _offers(self) -> JobOffers:
        world = self.world
        return JobOffers(
            self.queue, world.derived, world.clock, self.settle_s, quiet_s=self.quiet_s
        )

    def append(self, conversation_id: str, text: str, role: str = "user") -> JobOffer:
        """Append a turn and offer its job."""
        world = self.world
        outcome = append_turns(
            store=world.data,
            heads=self.heads,
            clock=world.clock,
            entropy=world.entropy,
            scope=world.scope,
            conversation_id=conversation_id,
            turns=[TurnDraft(role, text)],
        )
        return self.appending.offer(world.scope, outcome.conversation_id)

    def pass_time(self, seconds: float) -> None:
        """Let time pass; the worker works meanwhile, one job after the other."""
        clock = self.world.clock
        end_s = clock.monotonic_s() + seconds
        while (left_s := end_s - clock.monotonic_s()) > 0:
            busy_s = self.busy_until_s - clock.monotonic_s()
            if busy_s > 0:
                clock.sleep(min(busy_s, left_s))
            elif not self._do_one():
                clock.sleep(min(TICK_S, left_s))

    def drain(self) -> float:
        """Work until neither a job nor a marker is left; return the seconds without work."""
        idle_s = 0.0
        while self.queue.depth().waiting or self.markers():
            if self._do_one():
                self.world.clock.sleep(self.job_s)
            else:
                self.world.clock.sleep(TICK_S)
                idle_s += TICK_S
        return idle_s

    def markers(self) -> list[str]:
        """Return the keys of the first markers, the oldest first."""
        return list(self.world.derived.list(DIRTY_PREFIX).keys)

    def _do_one(self) -> bool:
        leases = self.queue.claim(1, lease_s=60)
        if not leases:
            self.late_s += self._late()
            return False
        self.done.append(self.run(leases[0].job))
        self.queue.done(leases[0])
        self.busy_until_s = self.world.clock.monotonic_s() + self.job_s
        return True

    def run(self, job: Job) -> Consolidated:
        """Do one job."""
        world = self.world
        return run_job(
            job,
            store=world.data,
            derived=world.derived,
            clock=world.clock,
            entropy=world.entropy,
            extractor=self.extractor,
            offers=self.working,
            budget=Budget(clock=world.clock, seconds=self.seconds),
            daily_tokens=0,
            index=lambda _job, _budget: True,
        )

    def _late(self) -> Iterator[float]:
        for key in self.markers()[:1]:
            over_s = 60 * (int(key.split("/")[1]) + 1)
            yield self.world.clock.now_ns() / 1e9 - over_s

    def record(self, conversation_id: str) -> Record:
        """Return a conversation as it is stored."""
        return self.world.record(conversation_id)
