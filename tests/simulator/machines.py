"""Machines of a delivery run: each has processes one after the other, and a clock of its own."""

from collections.abc import Callable
from dataclasses import dataclass, field

from everturn.adapters.memory_store import MemoryStore
from everturn.adapters.system_clock import SeededEntropy
from everturn.consolidation.enqueue_job import JobOffers
from everturn.errors import EverturnError
from everturn.ports.object_store import StoredObject
from scenarios.process import Process
from simulator.calls import Call
from simulator.deliveries import Thread
from simulator.delivery_plans import DeliveryPlan
from simulator.delivery_rules import DeliveryRules
from simulator.dice import Dice
from simulator.fates import FAIR, Weather
from simulator.job_queue import QueueDoor, SharedQueue
from simulator.timeline import NS, Timeline, VirtualClock
from simulator.trace import Trace
from simulator.virtual_store import Crash, VirtualStore

# Clocks of AWS differ by much less; two of them by less than what offers allow for.
_MOST_AHEAD_NS = 2 * NS // 5


@dataclass
class Site:
    """What all machines of a run share."""

    dice: Dice
    plan: DeliveryPlan
    calls: list[Call] = field(default_factory=list)
    promised: dict[Thread, int] = field(default_factory=dict)
    """How many turns of each somebody may rely on being read, without a sweep."""
    unfinished: set[tuple[Thread, int]] = field(default_factory=set)
    """Turns that somebody began to take back, and does not know to be gone."""

    def __post_init__(self) -> None:
        """Begin with empty stores and an empty queue."""
        plan = self.plan
        self.timeline = Timeline()
        clock = VirtualClock(self.timeline)
        self.data = MemoryStore(clock, page_keys=3)
        self.derived = MemoryStore(clock)
        self.trace = Trace(self.timeline.now_ns)
        self.queue = SharedQueue(self.timeline, self.dice, plan.kind, plan.max_depth, plan.oddity)
        self.rules = DeliveryRules(self.data, plan.threads, self.timeline)

    def stored(self, key: str) -> bytes | None:
        """Return what lies in the data store, seen without a request."""
        found = self.data.get(key)
        return found.body if isinstance(found, StoredObject) else None


class Machine:
    """Runs a process; after a crash a cold one."""

    def __init__(self, name: str, site: Site, weather: Weather = FAIR) -> None:
        """Start the first process."""
        self.site, self.dice, self._name = site, site.dice, name
        ahead_ns = round(self.dice.between(-1, 1) * _MOST_AHEAD_NS)
        self.clock = VirtualClock(site.timeline, ahead_ns=ahead_ns)
        self.entropy = SeededEntropy(f"{name} {self.dice.share()}")
        rules = site.rules
        stores = [
            VirtualStore(inner, site.timeline, self.dice, site.trace, rules.wrote)
            for inner in (site.data, site.derived)
        ]
        self.data, self.derived = stores
        self.door = QueueDoor(site.queue, self.clock, site.trace, Call("", ""))
        self.doors: list[VirtualStore | QueueDoor] = [*stores, self.door]
        for door in self.doors:
            door.weather = weather
        self._start()

    def _start(self) -> None:
        plan = self.site.plan
        self.processes = {
            thread.scope: Process(
                self.data, self.clock, self.entropy, self.derived, scope=thread.scope
            )
            for thread in plan.threads
        }
        self.offers = JobOffers(
            self.door, self.derived, self.clock, plan.settle_s, quiet_s=plan.quiet_s
        )

    def rest(self, longest_s: float) -> None:
        """Do nothing for a while."""
        self.clock.sleep(self.dice.between(0, longest_s))

    def do(self, call: Call, act: Callable[[], object]) -> Call:
        """Make a call, and note what it was told."""
        site = self.site
        call.name = f"{self._name}.{len(site.calls)} {call.name}"
        site.calls.append(call)
        for door in self.doors:
            door.call = call
        site.trace.said(site.timeline.now_ns, call, "begins")
        try:
            call.answer = act()
        except EverturnError as error:
            call.error = error
        except Crash:
            self._start()
        site.trace.told(site.timeline.now_ns, call)
        return call
