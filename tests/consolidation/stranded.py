"""Worlds in which consolidation was cut short, and sweeps that have a queue."""

from dataclasses import dataclass

from everturn.consolidation.enqueue_job import JobOffers
from everturn.conversations.model.watermark import Watermark
from everturn.conversations.read_watermark import read_watermark
from everturn.ports.object_store import ObjectStore, StoredObject
from everturn.upkeep.sweep import SweepOutcome
from everturn.values.job import Job, parse_job
from everturn.values.keys import DIRTY_PREFIX, Scope, watermark_key
from fakes.listed_queue import ListedQueue
from scenarios.process import SCOPE
from scenarios.world import World
from upkeep.sweep_calls import sweep_call


@dataclass(slots=True)
class Yard:
    """A world and its queue; each sweep is a process of its own."""

    world: World
    queue: ListedQueue

    def sweep(
        self,
        *,
        data: ObjectStore | None = None,
        derived: ObjectStore | None = None,
        reads: int | None = None,
    ) -> SweepOutcome:
        """Make one call; jobs wait where the queue has room."""
        store = derived or self.world.derived
        offers = JobOffers(self.queue, store, self.world.clock, 60)
        return sweep_call(self.world, data=data, derived=store, reads=reads, offers=offers)

    def jobs(self) -> list[tuple[str, str]]:
        """Who waits in the queue, by actor and conversation; it is empty then."""
        jobs = [
            (listed.job.scope.actor, listed.job.conversation_id) for listed in self.queue.listed
        ]
        self.queue.listed.clear()
        return sorted(jobs)

    def waiting(self) -> list[str]:
        """Return the conversations that wait; the queue is empty then."""
        return [conversation for _, conversation in self.jobs()]

    def marked(self) -> list[Job]:
        """Return the jobs that markers stand for, the oldest first."""
        found = [
            self.world.derived.get(key) for key in keys_below(self.world.derived, DIRTY_PREFIX)
        ]
        return [parse_job(one.body.decode()) for one in found if isinstance(one, StoredObject)]


def yard(*, page_keys: int = 1_000, max_depth: int = 1_000) -> Yard:
    """Return one in which nothing was ever said."""
    world = World(page_keys=page_keys)
    return Yard(world, ListedQueue(world.clock, max_depth=max_depth))


def mark(world: World, conversation_id: str, turns: int, scope: Scope = SCOPE) -> None:
    """Move a watermark, as consolidation does."""
    moved = Watermark(conversation_id, turns, read_ns=world.clock.now_ns())
    world.data.overwrite(watermark_key(scope, conversation_id), moved.encode())


def fail(world: World, conversation_id: str, scope: Scope = SCOPE) -> None:
    """Note in a watermark that a job failed, as consolidation does."""
    key = watermark_key(scope, conversation_id)
    known = read_watermark(store=world.data, key=key, conversation_id=conversation_id).mark
    world.data.overwrite(key, known.after_failure(size=9).encode())


def keys_below(store: ObjectStore, prefix: str) -> list[str]:
    """Return all keys below a prefix."""
    keys: list[str] = []
    page = store.list(prefix)
    keys += page.keys
    while page.more:
        page = store.list(prefix, start_after=keys[-1])
        keys += page.keys
    return keys
