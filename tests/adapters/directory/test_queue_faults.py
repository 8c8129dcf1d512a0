"""The queue in a folder when a process dies, or the system fails, between any two of its steps."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from everturn.adapters.directory import queue as folder_queue
from everturn.adapters.directory.errors import PASSING
from everturn.adapters.directory.queue import FolderQueue
from everturn.adapters.system_clock import ManualClock, SeededEntropy
from everturn.errors import MisconfiguredError, UnavailableError
from everturn.ports.queue import Lease, Offered
from ports.queue_contract import LEASE_S, job

# All that changes files or makes a change last, and all that opens one.
STEPS = ("open", "fsync", "utime", "rename", "replace", "unlink", "mkdir", "scandir")
OLD, NEW, DUE, HELD, ENDED = "old", "new", "due", "held", "ended"
TRIED, DYING, DEAD = "tried", "dying", "dead"


class Died(BaseException):
    """The process is no more."""


@contextmanager
def failing(at: int, failure: BaseException) -> Iterator[list[str]]:
    """Fail the step of this number, before it does anything; yields the steps that were begun."""
    begun: list[str] = []

    def stand_before(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def step(*args: object, **kwargs: object) -> object:
            begun.append(name)
            if len(begun) == at + 1:
                raise failure
            return real(*args, **kwargs)

        return step

    with pytest.MonkeyPatch.context() as patch:
        for name in STEPS:
            patch.setattr(os, name, stand_before(name, getattr(os, name)))
        yield begun


class World:
    """A queue with a job in every state; some are joined by a newer one of their conversation."""

    def __init__(self, root: Path) -> None:
        self.root, self.clock = root, ManualClock()
        self.queue = self.opened(max_receives=2)
        self.claimed_once(DEAD, lease_s=1)
        self.claimed_twice(DEAD, lease_s=1)
        self.clock.sleep(1)
        assert self.queue.claim(10, lease_s=1) == []
        self.queue.give_back(self.claimed_once(TRIED, lease_s=1), delay_s=900)
        self.held = self.claimed_once(HELD, lease_s=LEASE_S)
        self.claimed_once(ENDED, lease_s=10)
        self.claimed_once(DYING, lease_s=1)
        self.claimed_twice(DYING, lease_s=9)
        for name, delay_s in ((HELD, 900), (ENDED, 900), (OLD, 900), (DUE, 0)):
            assert self.queue.offer(job(name), delay_s=delay_s) is Offered.QUEUED
        self.clock.sleep(10)
        depth = self.queue.depth()
        assert (depth.waiting, depth.leased, self.queue.count_dead()) == (7, 1, 1)

    def opened(self, *, max_receives: int) -> FolderQueue:
        return FolderQueue(
            self.root,
            clock=self.clock,
            entropy=SeededEntropy(str(self.clock.now_ns())),
            max_receives=max_receives,
            max_depth=20,
        )

    def claimed_once(self, name: str, *, lease_s: int) -> Lease:
        self.queue.offer(job(name), delay_s=0)
        [lease] = self.queue.claim(10, lease_s=lease_s)
        assert (lease.job, lease.receives) == (job(name), 1)
        return lease

    def claimed_twice(self, name: str, *, lease_s: int) -> None:
        self.clock.sleep(1)
        [lease] = self.queue.claim(10, lease_s=lease_s)
        assert (lease.job, lease.receives) == (job(name), 2)

    def survivors(self) -> set[str]:
        """What another process is handed out in the end, dead letters included."""
        queue, found = self.opened(max_receives=1_000), set[str]()
        self.clock.sleep(43_200)
        queue.redrive(10)
        while leases := queue.claim(10, lease_s=43_200):
            found |= {lease.job.conversation_id for lease in leases}
        return found


def offer_new(world: World) -> None:
    world.queue.offer(job(NEW), delay_s=0)


def offer_again(world: World) -> None:
    assert world.queue.offer(job(OLD), delay_s=0) is Offered.WAITING


def offer_after_a_failure(world: World) -> None:
    assert world.queue.offer(job(TRIED), delay_s=0) is Offered.WAITING


def claim(world: World) -> None:
    world.queue.claim(10, lease_s=LEASE_S)


def done(world: World) -> None:
    world.queue.done(world.held)


def give_back(world: World) -> None:
    world.queue.give_back(world.held, delay_s=5)


def redrive(world: World) -> None:
    world.queue.redrive(10)


CALLS = [offer_new, offer_again, offer_after_a_failure, claim, done, give_back, redrive]
ALL = {OLD, DUE, HELD, ENDED, TRIED, DYING, DEAD}


def at_every_step(
    tmp_path: Path, call: Callable[[World], None], fail: Callable[[], BaseException]
) -> Iterator[tuple[World, BaseException | None]]:
    """A world after the call failed at its first step, its second, ..., and at none."""
    for at in range(200):
        world = World(tmp_path / str(at))
        failure: BaseException | None = None
        with failing(at, fail()) as begun:
            try:
                call(world)
            except (Died, UnavailableError, MisconfiguredError) as error:
                failure = error
        yield world, failure
        if len(begun) <= at:
            assert failure is None
            return
    pytest.fail("the call never ended")


def test_a_claim_in_this_world_does_all_that_a_claim_may_do(tmp_path: Path) -> None:
    """It takes back, leases and buries; so the tests below cut through all of it."""
    world = World(tmp_path)
    leases = world.queue.claim(10, lease_s=LEASE_S)
    assert {(lease.job, lease.receives) for lease in leases} == {(job(ENDED), 1), (job(DUE), 1)}
    assert world.queue.count_dead() == 2


@pytest.mark.parametrize("call", CALLS)
def test_whoever_dies_at_any_step_loses_no_job_and_holds_none_for_ever(
    tmp_path: Path, call: Callable[[World], None]
) -> None:
    deaths = 0
    for world, failure in at_every_step(tmp_path, call, Died):
        deaths += failure is not None
        assert world.survivors() - {NEW} == ALL
    assert deaths > 3


def test_an_offer_that_was_taken_is_there_and_one_that_was_not_may_be(tmp_path: Path) -> None:
    found = [
        (failure is None, NEW in world.survivors())
        for world, failure in at_every_step(tmp_path, offer_new, Died)
    ]
    assert found[-1] == (True, True)
    assert (False, False) in found
    assert (False, True) in found


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EMFILE, errno.EACCES, errno.EROFS])
def test_a_system_that_fails_at_any_step_loses_no_job(
    tmp_path: Path, call: Callable[[World], None], number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And says whether waiting helps."""
    monkeypatch.setattr(folder_queue, "_LOCK_TIMEOUT_S", 0.01)
    expected = UnavailableError if number in PASSING else MisconfiguredError
    for world, failure in at_every_step(tmp_path, call, lambda: OSError(number, "planned")):
        assert failure is None or type(failure) in {expected, UnavailableError}
        assert world.survivors() - {NEW} == ALL


def test_a_job_that_may_not_be_read_stops_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = FolderQueue(
        tmp_path, clock=ManualClock(), entropy=SeededEntropy(), max_receives=3, max_depth=9
    )
    queue.offer(job("theirs"), delay_s=0)
    queue.offer(job("ours"), delay_s=0)
    real_open, theirs = os.open, f"{job('theirs').digest}.0"

    def refusing(path: Any, *args: Any, **kwargs: Any) -> int:  # noqa: ANN401 - as os.open
        if str(path).endswith(theirs):
            raise PermissionError(errno.EACCES, "planned")
        return real_open(path, *args, **kwargs)

    monkeypatch.setattr(os, "open", refusing)
    assert [lease.job for lease in queue.claim(10, lease_s=LEASE_S)] == [job("ours")]
    assert queue.count_dead() == 1


def test_a_lock_that_is_not_had_in_time_is_unavailable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that was stopped with the lock keeps an append waiting for a second, no longer."""
    queue = FolderQueue(
        tmp_path, clock=ManualClock(), entropy=SeededEntropy(), max_receives=3, max_depth=9
    )
    queue.offer(job(), delay_s=0)
    assert folder_queue._LOCK_TIMEOUT_S <= 1
    monkeypatch.setattr(folder_queue, "_LOCK_TIMEOUT_S", 0.01)
    with FileLock(tmp_path / "lock"):
        with pytest.raises(UnavailableError):
            queue.offer(job("b"), delay_s=0)
        with pytest.raises(UnavailableError):
            queue.claim(1, lease_s=LEASE_S)
        assert queue.depth().waiting == 1
    assert queue.offer(job("b"), delay_s=0) is Offered.QUEUED


def test_an_idle_worker_takes_no_lock(tmp_path: Path) -> None:
    queue = FolderQueue(
        tmp_path, clock=ManualClock(), entropy=SeededEntropy(), max_receives=3, max_depth=9
    )
    queue.offer(job(), delay_s=60)
    with FileLock(tmp_path / "lock"):
        assert queue.claim(10, lease_s=LEASE_S) == []
        assert queue.redrive(10) == 0
