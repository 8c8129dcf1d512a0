"""One folder queue and several processes: nothing lost, nothing had by two, whoever is killed."""

import multiprocessing
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.context import SpawnProcess
from pathlib import Path

import pytest

from emulation.queue_worker import noted, offer_all, open_queue, with_patience, work
from everturn.adapters.system_clock import SystemClock
from everturn.ports.queue import Depth

CLOCK = SystemClock()
PATIENCE_S = 60.0
NAMES = [f"c{number}" for number in range(60)]


@contextmanager
def processes() -> Iterator[Callable[..., SpawnProcess]]:
    """Start processes that all end with the block."""
    context = multiprocessing.get_context("spawn")
    started: list[SpawnProcess] = []

    def start(target: Callable[..., None], *args: object) -> SpawnProcess:
        process = context.Process(target=with_patience, args=(target, *args), daemon=True)
        process.start()
        started.append(process)
        return process

    try:
        yield start
    finally:
        for process in started:
            process.kill()
            process.join()


def ended_well(started: list[SpawnProcess]) -> bool:
    for process in started:
        process.join(PATIENCE_S)
    return [process.exitcode for process in started] == [0] * len(started)


def wait_until(what: Callable[[], bool]) -> None:
    give_up_s = CLOCK.monotonic_s() + PATIENCE_S
    while not what():
        assert CLOCK.monotonic_s() < give_up_s, "it never came to that"
        CLOCK.sleep(0.005)


def test_processes_that_offer_at_once_fill_the_queue_exactly(tmp_path: Path) -> None:
    """And of one conversation one job waits."""
    root, log = str(tmp_path / "queue"), tmp_path / "log"
    with processes() as start:
        assert ended_well([start(offer_all, root, NAMES, 8, str(log)) for _ in range(3)])
    queued, waiting, full = (noted(log, word) for word in ("queued", "waiting", "full"))
    assert (len(queued), len(set(queued))) == (8, 8)
    assert len(queued + waiting + full) == 3 * len(NAMES)
    assert set(waiting) <= set(queued)
    assert set(queued).isdisjoint(full)
    assert (open_queue(root).depth().waiting, open_queue(root).depth().leased) == (8, 0)


def test_of_processes_that_work_at_once_each_job_is_had_by_one(tmp_path: Path) -> None:
    root, log = str(tmp_path / "queue"), tmp_path / "log"
    offer_all(root, NAMES, 1_000, str(tmp_path / "offers"))
    with processes() as start:
        assert ended_well([start(work, root, str(log), 60, 0.0) for _ in range(3)])
    assert Counter(noted(log, "begun")) == Counter(noted(log, "done")) == Counter(NAMES)
    assert open_queue(root).depth() == Depth(0, 0, None)


@pytest.mark.slow
def test_of_processes_that_are_killed_no_job_is_lost_and_none_held_for_ever(
    tmp_path: Path,
) -> None:
    """12 kills of 3 workers in the middle of offers, claims and work; leases of one second."""
    root, log, offers = str(tmp_path / "queue"), tmp_path / "log", tmp_path / "offers"
    kills = 12
    with processes() as start:
        offering = [
            start(offer_all, root, [f"{n}.{name}" for name in NAMES], 1_000, str(offers))
            for n in range(2)
        ]
        wait_until(lambda: len(noted(offers, "queued")) > 5)
        workers = [start(work, root, str(log), 1, 0.02) for _ in range(3)]
        for number in range(kills):
            seen = len(noted(log, "begun"))
            wait_until(lambda seen=seen: len(noted(log, "begun")) > seen + 2)  # type: ignore[misc]
            workers[number % 3].kill()
            workers[number % 3] = start(work, root, str(log), 1, 0.02)
            if number == kills // 2:
                offering[0].kill()
        assert ended_well([offering[1], *workers])
    told = set(noted(offers, "queued"))
    assert told <= set(noted(log, "done"))
    assert len(set(noted(log, "done")) - told) <= 1
    assert len(noted(log, "begun")) > len(noted(log, "done"))
    assert open_queue(root).depth() == Depth(0, 0, None)
