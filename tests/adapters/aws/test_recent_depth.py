"""What a process knows of a depth: when it asks, and how far it may be wrong."""

from dataclasses import dataclass, field

import pytest

from everturn.adapters.aws.sqs_queue import LIFETIME_S, RecentDepth
from everturn.adapters.system_clock import ManualClock
from everturn.errors import UnavailableError


@dataclass
class Far:
    """A queue that is far away; its depth is what was put in."""

    max_depth: int
    clock: ManualClock = field(default_factory=ManualClock)
    depth: int = 0
    asked: int = 0
    is_down: bool = False

    def read(self) -> int:
        self.asked += 1
        if self.is_down:
            raise UnavailableError("down")
        return self.depth

    def process(self) -> RecentDepth:
        return RecentDepth(self.read, max_depth=self.max_depth, clock=self.clock)

    def offer(self, process: RecentDepth) -> bool:
        """Put a job in, if there is room as far as the process knows."""
        if process.is_full():
            return False
        self.depth += 1
        process.add_one()
        return True


@pytest.mark.parametrize("depth", [0, 500, 900])
def test_a_reading_is_good_for_a_tenth_of_the_room_that_it_found(depth: int) -> None:
    """Before the first all of it is taken to be room."""
    far = Far(1_000)
    process = far.process()
    for sent in range(100):
        assert (far.offer(process), far.asked) == (True, 0), sent
        far.clock.sleep(3_600)
    far.depth = depth
    assert far.offer(process)
    for sent in range(1, (1_000 - depth) // 10):
        far.clock.sleep(3_600)
        assert (far.offer(process), far.asked) == (True, 1), sent
    far.clock.sleep(3_600)
    assert far.offer(process)
    assert far.asked == 2


def test_within_five_seconds_nothing_is_asked_twice() -> None:
    far = Far(100)
    process = far.process()
    for _ in range(90):
        assert far.offer(process)
    assert far.asked == 1
    far.clock.sleep(LIFETIME_S)
    assert far.offer(process)
    assert far.asked == 2


def test_a_full_queue_is_asked_every_five_seconds_and_nothing_is_put_in() -> None:
    far = Far(10, depth=10)
    process = far.process()
    assert far.offer(process)
    for second in range(50):
        assert not far.offer(process), second
        far.clock.sleep(1)
    assert far.asked == 10
    far.depth = 9
    assert far.offer(process)
    assert far.asked == 11


def test_what_a_process_put_in_itself_fills_the_queue_for_it_at_once() -> None:
    far = Far(4)
    process = far.process()
    assert [far.offer(process) for _ in range(6)] == [True] * 4 + [False] * 2
    assert far.asked == 1


@pytest.mark.parametrize("max_depth", [10, 100, 1_000])
@pytest.mark.parametrize("processes", [1, 3, 10])
def test_processes_that_take_turns_slowly_overfill_it_by_no_more_than_one_job_each(
    max_depth: int, processes: int
) -> None:
    """Nobody works, and between two offers of one process its readings grow old."""
    far = Far(max_depth)
    known = [far.process() for _ in range(processes)]
    for number in range(3 * max_depth):
        far.offer(known[number % processes])
        far.clock.sleep(LIFETIME_S)
    assert max_depth <= far.depth <= max_depth + processes


@pytest.mark.parametrize("processes", [1, 10, 40])
def test_a_queue_that_others_filled_meanwhile_is_noticed_after_a_tenth_of_its_depth(
    processes: int,
) -> None:
    far = Far(1_000)
    known = [far.process() for _ in range(processes)]
    far.depth = 1_000
    for process in known:
        far.clock.sleep(3_600)
        while far.offer(process):
            pass
    assert far.depth == 1_000 + processes * 100


def test_a_failure_is_remembered_for_five_seconds_and_then_forgotten() -> None:
    far = Far(1, depth=1)
    process = far.process()
    process.add_one()
    far.is_down = True
    for _ in range(5):
        with pytest.raises(UnavailableError, match="down"):
            process.is_full()
        far.clock.sleep(0.9)
    assert far.asked == 1
    far.is_down = False
    far.clock.sleep(0.5)
    assert process.is_full()
    process.fail(UnavailableError("sent in vain"))
    with pytest.raises(UnavailableError, match="sent in vain recent=true"):
        process.is_full()
    assert far.asked == 2


def test_what_was_seen_is_told_for_five_seconds_with_what_was_added() -> None:
    far = Far(max_depth=4, depth=3)
    process = far.process()
    told: list[tuple[int | None, int]] = []

    def look() -> None:
        told.append((process.seen, far.asked))

    process.add_one()
    look()
    assert not process.is_full()
    look()
    process.add_one()
    look()
    far.clock.sleep(LIFETIME_S)
    look()
    assert told == [(None, 0), (3, 1), (4, 1), (None, 1)]
