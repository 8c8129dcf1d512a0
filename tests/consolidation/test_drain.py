"""Many appends, few jobs.

What is offered is read in the end, and a backlog drains at full speed.
"""

from pathlib import Path

import pytest

from consolidation.consolidations import mark_of, memories
from consolidation.draining import TICK_S, Draining
from everturn.adapters.directory.queue import FolderQueue
from everturn.consolidation.enqueue_job import JobOffers
from everturn.errors import UnavailableError
from everturn.ports.queue import JobQueue
from everturn.values.keys import DIRTY_PREFIX
from fakes.listed_queue import ListedQueue
from fakes.wrapped_store import RefusingStore
from scenarios.process import CONVERSATION
from scenarios.world import World

# As the product opens them: in a folder one job of a conversation waits, and each append asks.
FOLDER, LISTED = (2, 0.0), (60, None)


def folder_queue(world: World, root: Path, *, max_depth: int = 8) -> FolderQueue:
    return FolderQueue(
        root, clock=world.clock, entropy=world.entropy, max_receives=5, max_depth=max_depth
    )


@pytest.mark.parametrize(("kind", "pace_s"), [("folder", 0.1), ("listed", 0.1), ("listed", 2.0)])
def test_two_hundred_turns_one_by_one_cost_at_most_twenty_windows(
    world: World, tmp_path: Path, kind: str, pace_s: float
) -> None:
    """A job reads all that settled since the one before."""
    is_folder = kind == "folder"
    queue: JobQueue = (
        folder_queue(world, tmp_path) if is_folder else ListedQueue(world.clock, max_depth=1_000)
    )
    settle_s, quiet_s = FOLDER if is_folder else LISTED
    it = Draining(world, queue, settle_s, quiet_s)
    for number in range(200):
        assert it.append(CONVERSATION, f"Fact number {number}.").queued
        it.pass_time(pace_s)
    it.drain()
    assert mark_of(world).turns == 200
    assert len(memories(world)) == 200
    assert len(it.extractor.windows) <= 20
    assert not it.markers()


@pytest.mark.parametrize("pace_s", [0.5, 2.0, 10.0, 100.0])
def test_however_slowly_turns_come_a_job_is_offered_once_in_half_of_the_settling(
    world: World, pace_s: float
) -> None:
    it = Draining(world, ListedQueue(world.clock, max_depth=1_000), *LISTED)
    for number in range(60):
        it.append(CONVERSATION, f"Fact number {number}.")
        it.pass_time(pace_s)
    it.drain()
    assert mark_of(world).turns == 60
    assert len(it.done) <= 60 * pace_s / 30 + 1
    assert len(it.extractor.windows) <= len(it.done) + 60 // 50


def backlog(
    world: World, queue: JobQueue, *, offers: int, conversations: int, pace_s: float = 0.01
) -> Draining:
    """Append faster than one worker can work: a job takes 100 ms."""
    it = Draining(world, queue, *FOLDER)
    for number in range(offers):
        said, id_ = f"Fact number {number}.", f"c{number % conversations}"
        it.append(id_, said, role="user" if number < conversations else "assistant")
        it.pass_time(pace_s)
    return it


def check_all_read(it: Draining, conversations: int) -> None:
    for number in range(conversations):
        id_ = f"c{number}"
        assert mark_of(it.world, id_).turns == it.record(id_).head.turn_count
    assert len(memories(it.world)) == conversations
    assert not it.markers()


@pytest.mark.parametrize(
    ("offers", "conversations"),
    [(1_000, 50), pytest.param(10_000, 500, marks=pytest.mark.slow)],
)
def test_offers_against_a_depth_of_eight_lose_no_turn(
    world: World, offers: int, conversations: int
) -> None:
    queue = ListedQueue(world.clock, max_depth=8, joins=True)
    it = backlog(world, queue, offers=offers, conversations=conversations)
    assert it.markers()
    it.drain()
    check_all_read(it, conversations)


def test_a_folder_of_eight_loses_no_turn(world: World, tmp_path: Path) -> None:
    it = backlog(world, folder_queue(world, tmp_path), offers=400, conversations=40)
    assert it.markers()
    it.drain()
    check_all_read(it, 40)


def test_a_backlog_drains_at_working_speed_once_offers_stop(world: World) -> None:
    """No worker idles as long as markers wait."""
    queue = ListedQueue(world.clock, max_depth=8, joins=True)
    it = backlog(world, queue, offers=600, conversations=300)
    begun_s, begun = world.clock.monotonic_s(), len(it.done)
    idle_s = it.drain()
    took_s = world.clock.monotonic_s() - begun_s
    jobs = len(it.done) - begun
    assert jobs > 200
    assert idle_s <= it.settle_s + TICK_S
    assert took_s == pytest.approx(jobs * it.job_s + idle_s)
    # Clocks may be a second apart: a job begins that much after the minute of its marker.
    assert max(it.late_s, default=0.0) <= 1 + TICK_S
    check_all_read(it, 300)


def test_while_offers_go_on_no_marker_waits_for_an_idle_worker_beyond_its_minute(
    world: World,
) -> None:
    """So each conversation that was refused is read once a minute, however many appends it has."""
    queue = ListedQueue(world.clock, max_depth=8, joins=True)
    it = backlog(world, queue, offers=2_400, conversations=30, pace_s=0.03)
    assert len(it.done) > 30
    assert it.markers()
    assert max(it.late_s, default=0.0) <= 1 + TICK_S
    it.drain()
    assert max(it.late_s, default=0.0) <= 1 + TICK_S
    check_all_read(it, 30)


@pytest.mark.parametrize("is_away", [False, True])
def test_a_job_that_leaves_turns_which_nothing_stands_for_comes_again(
    world: World,
    is_away: bool,  # noqa: FBT001 - a parameter of the table
) -> None:
    """Where neither the queue nor the store of markers answers, only that job knows of them."""
    queue = ListedQueue(world.clock, max_depth=8)
    refusing = RefusingStore(world.derived, "overwrite", DIRTY_PREFIX, UnavailableError("away"))
    it = Draining(world, queue, *LISTED, seconds=0.0)
    it.working = JobOffers(queue, refusing, world.clock, 60)
    for number in range(60):
        it.append(CONVERSATION, f"Fact number {number}.")
    world.clock.sleep(60)
    [lease] = queue.claim(1, lease_s=60)
    queue.fault = UnavailableError("away") if is_away else None
    if is_away:
        with pytest.raises(UnavailableError, match="left to read"):
            it.run(lease.job)
    else:
        assert it.run(lease.job).behind
    assert mark_of(world).turns == 50
    assert queue.names() == ([] if is_away else [CONVERSATION])
