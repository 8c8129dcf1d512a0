"""A queue in a list, as SQS is: of one conversation several jobs wait, each for its own time."""

from dataclasses import dataclass, field

from everturn.errors import EverturnError
from everturn.ports.clock import Clock
from everturn.ports.queue import Depth, Lease, Offered, checked_delay
from everturn.values.job import Job


@dataclass(slots=True)
class Listed:
    """A job that waits."""

    job: Job
    delay_s: int
    due_s: float


@dataclass(slots=True)
class ListedQueue:
    """Takes offers up to `max_depth`; raises `fault` if there is one; `asked` counts calls.

    Where it `joins`, a job of a conversation that waits will do for another, as in a folder.
    """

    clock: Clock
    max_depth: int
    fault: EverturnError | None = None
    joins: bool = False
    asked: int = 0
    listed: list[Listed] = field(default_factory=list)
    leased: dict[str, Job] = field(default_factory=dict)
    claims: int = 0
    seen: int | None = None

    def names(self) -> list[str]:
        return [listed.job.conversation_id for listed in self.listed]

    def delays(self) -> list[int]:
        return [listed.delay_s for listed in self.listed]

    def offer(self, job: Job, *, delay_s: int, even_if_full: bool = False) -> Offered:
        self._ask()
        if self.joins and any(listed.job == job for listed in self.listed):
            return Offered.WAITING
        if not even_if_full and len(self.listed) >= self.max_depth:
            return Offered.FULL
        due_s = self.clock.monotonic_s() + checked_delay(delay_s)
        self.listed.append(Listed(job, delay_s, due_s))
        return Offered.QUEUED

    def claim(self, limit: int, *, lease_s: int) -> list[Lease]:
        assert lease_s > 0
        now_s = self.clock.monotonic_s()
        due = [listed for listed in self.listed if listed.due_s <= now_s][:limit]
        self.listed = [listed for listed in self.listed if listed not in due]
        return [self._leased(listed.job) for listed in due]

    def done(self, lease: Lease) -> None:
        self.leased.pop(lease.receipt, None)

    def give_back(self, lease: Lease, *, delay_s: int) -> None:
        job = self.leased.pop(lease.receipt)
        self.listed.append(Listed(job, delay_s, self.clock.monotonic_s() + delay_s))

    def depth(self) -> Depth:
        return Depth(len(self.listed), len(self.leased))

    @property
    def seen_depth(self) -> int | None:
        return self.seen

    def count_dead(self) -> int:
        return 0

    def redrive(self, limit: int) -> int:
        return 0 * limit

    def _ask(self) -> None:
        self.asked += 1
        if self.fault:
            raise self.fault

    def _leased(self, job: Job) -> Lease:
        self.claims += 1
        self.leased[str(self.claims)] = job
        return Lease(job, str(self.claims), 1)
