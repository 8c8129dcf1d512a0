"""Markers of jobs that the queue refused, in the hands of a worker that has nothing else to do."""

from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from everturn.consolidation.enqueue_job import JobOffers
from everturn.errors import AccessDeniedError
from everturn.local.job_worker import _MARKERS_S, JobWorker
from everturn.ports.object_store import ABSENT
from everturn.values.job import Job
from everturn.values.keys import dirty_key
from fakes.wrapped_store import RefusingStore
from local.worker_world import SCOPE, World

JOB_S = 0.1


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def mark(world: World, markers: int) -> None:
    """Leave markers as appends to a full queue did, long ago."""
    for number in range(markers):
        job = Job(SCOPE, f"c{number}")
        key = dirty_key(job.scope, job.conversation_id, minute=number)
        world.derived.put(key, job.encode().encode(), expect=ABSENT)


def take_another(world: World, _event: object, _context: object) -> None:
    """Work, and take a marker, as the function of the product does."""
    world.clock.sleep(JOB_S)
    world.parts.offers.take_marker()


def test_an_idle_worker_takes_a_marker_every_ten_seconds(world: World) -> None:
    """One: whoever ends its job takes the next."""
    mark(world, 3)
    world.run(9)
    assert world.seen == []
    for done in (1, 2, 3):
        world.run(10)
        assert len(world.seen) == done
    assert not world.derived.list("dirty/").keys


def test_a_backlog_drains_at_working_speed_though_nobody_appends_any_more(world: World) -> None:
    mark(world, 300)
    world.does = partial(take_another, world)
    world.run(_MARKERS_S + 1)
    begun, before = world.clock.monotonic_s(), len(world.seen)
    world.run(10)
    assert len(world.seen) - before == pytest.approx(10 / JOB_S, abs=1)
    world.run(300 * JOB_S - 10)
    assert len(world.seen) == 300
    assert world.clock.monotonic_s() - begun < 300 * JOB_S + 1


def test_with_markers_of_every_minute_the_queue_holds_no_more_than_it_may(world: World) -> None:
    """As many jobs wait as may, and one for the job that is being done."""
    world.does = partial(take_another, world)
    names, most = count(), 0
    for _ in range(10):
        for _ in range(60):
            world.parts.offers.offer(SCOPE, f"c{next(names)}")
        for _ in range(60):
            world.run(1)
            most = max(most, world.queue.depth().waiting)
    assert 8 <= most <= 9
    world.run(130)
    assert {event["Records"][0]["body"] for event in world.seen} == {
        Job(SCOPE, f"c{number}").encode() for number in range(600)
    }
    assert world.queue.depth().waiting == world.queue.count_dead() == 0


def test_markers_that_nobody_may_look_at_are_told_once_and_jobs_are_done(world: World) -> None:
    denied = RefusingStore(world.derived, "list", "dirty/", AccessDeniedError("denied"))
    offers = JobOffers(world.queue, denied, world.clock, 2)
    world.worker = JobWorker(replace(world.parts, offers=offers))
    world.run(60)
    assert [line["reason"] for line in world.lines] == ["denied"]
    world.queue.offer(Job(SCOPE, "demo"), delay_s=0)
    world.run(6)
    assert len(world.seen) == 1
