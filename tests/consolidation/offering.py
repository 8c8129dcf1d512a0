"""A process that offers jobs, its queue, and the markers that it leaves."""

from emulation.counting_store import CountingStore
from everturn.adapters.memory_store import MemoryStore
from everturn.adapters.system_clock import ManualClock
from everturn.consolidation.enqueue_job import JobOffer, JobOffers
from everturn.ports.object_store import StoredObject
from everturn.values.job import parse_job
from everturn.values.keys import DIRTY_PREFIX
from fakes.listed_queue import ListedQueue
from scenarios.process import SCOPE

SETTLE_S = 60


class Offering:
    """A process that offers, its queue, and the markers that it leaves."""

    def __init__(self, *, max_depth: int = 4, settle_s: int = SETTLE_S) -> None:
        self.clock = ManualClock()
        self.store = CountingStore(MemoryStore(self.clock))
        self.queue = ListedQueue(self.clock, max_depth=max_depth)
        self.settle_s = settle_s
        self.offers = self.another()

    def another(self) -> JobOffers:
        """Another process on the same queue and store."""
        return JobOffers(self.queue, self.store, self.clock, self.settle_s)

    def offer(self, name: str = "trip") -> JobOffer:
        return self.offers.offer(SCOPE, name)

    def markers(self) -> list[str]:
        """The conversations that markers stand for, the oldest first."""
        found = [self.store.inner.get(key) for key in self.store.inner.list(DIRTY_PREFIX).keys]
        bodies = [stored.body for stored in found if isinstance(stored, StoredObject)]
        return [parse_job(body.decode()).conversation_id for body in bodies]

    def fill(self) -> None:
        for number in range(self.queue.max_depth):
            assert self.offers.offer_now(SCOPE, f"filler {number}").sent
        self.queue.asked = 0
