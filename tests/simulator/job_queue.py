"""A queue in virtual time: jobs come twice, in any order, late; calls get lost, leases end.

It is one of two kinds: `sqs` compares no jobs, counts about, and may forget that one was done; in a
`folder` one job of a conversation waits.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal, TypeVar

from everturn.adapters.aws.sqs_queue import RecentDepth
from everturn.errors import EverturnError, UnavailableError
from everturn.ports.clock import Clock
from everturn.ports.queue import MAX_RECEIVES, Depth, Lease, Offered
from everturn.values.job import Job
from simulator.calls import Call
from simulator.dice import Dice
from simulator.fates import FAIR, TIMEOUT_NS, Fate, Weather, draw_times
from simulator.timeline import NS, Timeline
from simulator.trace import Trace
from simulator.virtual_store import Crash

QueueKind = Literal["sqs", "folder"]
Answer = TypeVar("Answer")

_NOT_DONE: Final = {Fate.LOST, Fate.FAILED_BEFORE, Fate.REFUSED, Fate.BUSY}


@dataclass
class Waiting:
    """A job that is due, or leased, until `at_ns`."""

    job: Job
    at_ns: int
    receives: int = 0
    receipt: str = ""
    """"" while it waits."""


@dataclass
class SharedQueue:
    """What the queue of a run holds."""

    timeline: Timeline
    dice: Dice
    kind: QueueKind
    max_depth: int
    oddity: float
    """Share of jobs that come once more, or again after they were done."""
    away_ns: tuple[int, int] = (0, 0)
    """From when to when nobody can reach it."""
    jobs: list[Waiting] = field(default_factory=list)
    dead: list[Job] = field(default_factory=list)
    claims: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    """How often what happened."""

    def be_away(self, from_ns: int, until_ns: int) -> None:
        """Be out of reach for a while."""
        self.away_ns = (from_ns, until_ns)

    @property
    def is_away(self) -> bool:
        """Whether nobody can reach it."""
        return self.away_ns[0] <= self.timeline.now_ns < self.away_ns[1]

    def offer(self, job: Job, *, delay_s: int) -> Offered:
        """Let a job wait; in a folder one that waits already is renewed and comes no later."""
        due_ns = self.timeline.now_ns + delay_s * NS
        if self.kind == "folder":
            same = next((one for one in self.jobs if one.job == job and not one.receipt), None)
            if same is not None:
                same.at_ns, same.receives = min(same.at_ns, due_ns), 0
                return Offered.WAITING
        self.jobs.append(Waiting(job, due_ns))
        if self._odd():
            self.counts["twice"] += 1
            later_ns = round(self.dice.between(0, 90) * NS)
            self.jobs.append(Waiting(job, due_ns + later_ns))
        return Offered.QUEUED

    def waiting(self) -> int:
        """Count the jobs that wait."""
        return sum(not self._is_leased(one) for one in self.jobs)

    def claim(self, limit: int, *, lease_s: int) -> list[Lease]:
        """Lease some jobs that are due, whichever; bury those that came too often."""
        due = [one for one in self.jobs if one.at_ns <= self.timeline.now_ns]
        self.dice.shuffle(due)
        leases: list[Lease] = []
        for one in due:
            if len(leases) == limit or (leases and self._odd()):
                break
            if one.receives >= MAX_RECEIVES:
                self._bury(one)
                continue
            self.claims += 1
            one.receives, one.receipt = one.receives + 1, str(self.claims)
            one.at_ns = self.timeline.now_ns + lease_s * NS
            leases.append(Lease(one.job, one.receipt, one.receives))
        return leases

    def done(self, lease: Lease) -> None:
        """Remove a job whose lease nobody else has; now and then it comes all the same."""
        one = self._leased(lease)
        if one is not None and not self._odd():
            self.jobs.remove(one)

    def give_back(self, lease: Lease, *, delay_s: int) -> None:
        """End a lease; what failed for the last time is dead at once in a folder."""
        one = self._leased(lease)
        if one is not None and self.kind == "folder" and one.receives >= MAX_RECEIVES:
            self._bury(one)
        elif one is not None:
            one.at_ns, one.receipt = self.timeline.now_ns + delay_s * NS, ""

    def redrive(self) -> int:
        """Let all dead letters wait again; how many there were."""
        count = len(self.dead)
        self.jobs += [Waiting(job, self.timeline.now_ns) for job in self.dead]
        self.dead.clear()
        return count

    def next_ns(self) -> int | None:
        """Return when the first job comes due, None where there is none."""
        return min((one.at_ns for one in self.jobs), default=None)

    def _bury(self, one: Waiting) -> None:
        self.jobs.remove(one)
        self.dead.append(one.job)
        self.counts["dead"] += 1

    def _odd(self) -> bool:
        return self.kind == "sqs" and self.dice.chance(self.oddity)

    def _is_leased(self, one: Waiting) -> bool:
        return bool(one.receipt) and one.at_ns > self.timeline.now_ns

    def _leased(self, lease: Lease) -> Waiting | None:
        return next((one for one in self.jobs if one.receipt == lease.receipt), None)


class QueueDoor:
    """The queue as one process reaches it; `call` is what the process is at."""

    def __init__(self, shared: SharedQueue, clock: Clock, trace: Trace, call: Call) -> None:
        """Stand in front of the queue, in fair weather."""
        self.weather: Weather = FAIR
        self.call = call
        self._shared = shared
        self._timeline, self._dice, self._trace = shared.timeline, shared.dice, trace
        self._known = RecentDepth(
            lambda: self.depth().waiting, max_depth=shared.max_depth, clock=clock
        )

    def offer(self, job: Job, *, delay_s: int, even_if_full: bool = False) -> Offered:
        """Send a job, unless the queue is known to be full; as the product's two queues do."""
        if not even_if_full and self._is_full():
            self._shared.counts["offer FULL"] += 1
            return Offered.FULL
        try:
            offered = self._ask("offer", lambda: self._shared.offer(job, delay_s=delay_s))
        except UnavailableError as error:
            self._known.fail(error)
            raise
        self._known.add_one()
        return offered

    def claim(self, limit: int, *, lease_s: int) -> list[Lease]:
        """Claim jobs."""
        return self._ask("claim", lambda: self._shared.claim(limit, lease_s=lease_s))

    def done(self, lease: Lease) -> None:
        """Say that a job is done."""
        self._ask("done", lambda: self._shared.done(lease))

    def give_back(self, lease: Lease, *, delay_s: int) -> None:
        """Give a job back."""
        self._ask("give back", lambda: self._shared.give_back(lease, delay_s=delay_s))

    def depth(self) -> Depth:
        """Count."""
        return Depth(self._ask("depth", self._shared.waiting), 0)

    @property
    def seen_depth(self) -> int | None:
        """Tell nothing: nobody measures here."""
        return None

    def count_dead(self) -> int:
        """Count the dead letters."""
        return self._ask("dead", lambda: len(self._shared.dead))

    def redrive(self, limit: int) -> int:
        """Let dead letters wait again, all at once."""
        return self._ask("redrive", self._shared.redrive) if limit else 0

    def _is_full(self) -> bool:
        # A folder is counted each time, a queue that is far away seldom.
        if self._shared.kind == "sqs":
            return self._known.is_full()
        return self.depth().waiting >= self._shared.max_depth

    def _ask(self, verb: str, act: Callable[[], Answer]) -> Answer:
        if self.call.crashed:
            raise Crash
        fate = Fate.LOST if self._shared.is_away else self.weather.fate(self._dice)
        self._shared.counts["away"] += self._shared.is_away
        times, start = draw_times(fate, self._dice), self._timeline.now_ns
        self._trace.said(start, self.call, "asks the queue", verb, fate.name)
        if fate in {Fate.CRASH_AFTER, Fate.LATE}:
            self._timeline.at(start + times.done, lambda: _unheard(act))
        if fate in {Fate.CRASH_BEFORE, Fate.CRASH_AFTER}:
            self.call.crashed = True
            raise Crash
        if fate is Fate.LATE or fate in _NOT_DONE:
            self._timeline.wait_until(start + TIMEOUT_NS)
            raise UnavailableError(f"a fault of the test fate={fate.name}")
        self._timeline.wait_until(start + times.done)
        answer = act()
        self._timeline.wait_until(start + times.answered)
        if fate in {Fate.ANSWER_LOST, Fate.FAILED_AFTER}:
            raise UnavailableError(f"a fault of the test fate={fate.name}")
        return answer


def _unheard(act: Callable[[], object]) -> None:
    try:
        act()
    except EverturnError:
        return
