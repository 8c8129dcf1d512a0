"""The loop over the queue with handlers of its own, on a clock that is moved by hand."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from everturn.adapters.directory.queue import FolderQueue
from everturn.adapters.system_clock import SeededEntropy
from everturn.errors import UnavailableError
from everturn.local.job_worker import JobWorker
from everturn.ports.queue import Lease
from everturn.values.job import Job
from local.worker_world import SCOPE, Handler, World

JOB = Job(SCOPE, "demo")
DELAYS_S = [2, 8, 30, 120]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def fail(event: dict[str, Any], _context: object) -> dict[str, Any]:
    return {"batchItemFailures": [{"itemIdentifier": event["Records"][0]["messageId"]}]}


def succeed(_event: dict[str, Any], _context: object) -> dict[str, Any]:
    return {"batchItemFailures": []}


def crash(_event: dict[str, Any], _context: object) -> None:
    raise LookupError("a secret of the user")


def test_a_job_goes_to_the_handler_once_it_has_settled_and_then_is_done(world: World) -> None:
    world.queue.offer(JOB, delay_s=2)
    assert world.worker.step() > 0
    assert world.seen == []

    world.run(4)

    assert [event["Records"][0]["body"] for event in world.seen] == [JOB.encode()]
    assert world.left_ms == [180_000]
    assert world.queue.depth().waiting == world.queue.depth().leased == 0
    assert not world.log.exists()


def test_after_a_job_the_next_one_is_not_waited_for(world: World) -> None:
    for number in range(3):
        world.queue.offer(Job(SCOPE, f"c{number}"), delay_s=0)

    assert [world.worker.step() for _ in range(3)] == [0, 0, 0]

    assert len(world.seen) == 3


@pytest.mark.parametrize("how", [fail, crash])
def test_a_job_that_fails_comes_again_ever_later_until_it_is_dead(
    world: World, how: Handler
) -> None:
    """After 2, 8, 30 and 120 seconds; the fifth time is the last."""
    world.does = how
    world.queue.offer(JOB, delay_s=0)
    times: list[float] = []
    begin_s = world.clock.monotonic_s()
    while world.clock.monotonic_s() < begin_s + 600:
        before = len(world.seen)
        wait_s = world.worker.step()
        if len(world.seen) > before:
            times.append(world.clock.monotonic_s() - begin_s)
        world.clock.sleep(wait_s)

    waits = [later - earlier for earlier, later in pairwise(times)]
    assert [round(wait) for wait in waits] == DELAYS_S
    counts = [e["Records"][0]["attributes"]["ApproximateReceiveCount"] for e in world.seen]
    assert counts == ["1", "2", "3", "4", "5"]
    assert world.queue.count_dead() == 1
    assert [line.get("after_s") for line in world.lines if "receives" in line] == [*DELAYS_S, None]
    assert world.lines[-1]["message"] == "a job failed for the last time"


def test_a_dead_letter_is_tried_again_while_nothing_else_is_to_do(world: World) -> None:
    """A model that was away is there again, and nobody sweeps here."""
    world.does = fail
    world.queue.offer(JOB, delay_s=0)
    world.run(590)
    assert (len(world.seen), world.queue.count_dead()) == (5, 1)
    world.does = succeed
    world.run(30)
    assert (len(world.seen), world.queue.count_dead()) == (6, 0)


def test_a_failure_is_one_line_in_the_log_without_what_a_user_said(world: World) -> None:
    world.does = fail
    world.queue.offer(JOB, delay_s=0)
    world.worker.step()
    (line,) = world.lines
    assert line["level"] == "WARNING"
    assert line["message"] == "a job failed and comes again"
    assert (line["receives"], line["after_s"]) == (1, 2)


def test_a_crash_is_told_by_its_place_and_not_by_its_message(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.does = crash
    world.queue.offer(JOB, delay_s=0)
    world.worker.step()
    assert [line["message"] for line in world.lines] == ["crashed", "a job failed and comes again"]
    assert world.lines[0]["function_name"] == "Consolidate"
    assert "secret" not in world.log.read_text()
    assert capsys.readouterr() == ("", "")


def test_a_lease_outlasts_its_job(world: World) -> None:
    """Else a second worker on the directory would do the same at the same time."""

    def long(_event: dict[str, Any], _context: object) -> None:
        world.clock.sleep(180)
        assert world.queue.claim(1, lease_s=1) == []

    world.does = long
    world.queue.offer(JOB, delay_s=0)
    world.worker.step()
    assert world.queue.depth().leased == 0


class Away(FolderQueue):
    """A queue that does not answer for a while."""

    is_away = True

    def claim(self, limit: int, *, lease_s: int) -> list[Lease]:
        if self.is_away:
            raise UnavailableError("the queue is away")
        return super().claim(limit, lease_s=lease_s)


def test_a_queue_that_is_away_is_told_once_and_waited_for(world: World) -> None:
    world.queue.offer(JOB, delay_s=0)
    away = Away(world.root, clock=world.clock, entropy=SeededEntropy(), max_receives=5, max_depth=8)
    world.worker = JobWorker(replace(world.parts, queue=away))
    world.run(30)
    assert world.seen == []
    assert [line["reason"] for line in world.lines] == ["the queue is away"]

    away.is_away = False
    world.run(1)
    assert len(world.seen) == 1
