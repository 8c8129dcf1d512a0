"""The queue in a folder: the contract, and what it promises beyond it."""

import os
from pathlib import Path

import pytest

from everturn.adapters.directory import queue as folder_queue
from everturn.adapters.directory.queue import FolderQueue
from everturn.adapters.system_clock import ManualClock, SeededEntropy
from everturn.ports.queue import Depth, Offered
from everturn.values.keys import Scope, Token, key_token
from ports.queue_contract import (
    LEASE_S,
    MAX_DEPTH,
    MAX_RECEIVES,
    Elapse,
    QueueContract,
    claimed,
    job,
)
from ports.queue_races import QueueRaces
from ports.queue_tries import Plant, QueueTries

S = 1_000_000_000
SETTLE_S = 2


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "a folder" / "queue"


@pytest.fixture
def queue(root: Path, clock: ManualClock) -> FolderQueue:
    return FolderQueue(
        root,
        clock=clock,
        entropy=SeededEntropy(),
        max_receives=MAX_RECEIVES,
        max_depth=MAX_DEPTH,
    )


@pytest.fixture
def elapse(clock: ManualClock) -> Elapse:
    return clock.sleep


@pytest.fixture
def plant(root: Path, clock: ManualClock) -> Plant:
    def planted(text: str) -> None:
        file = root / "waiting" / f"{'0' * 32}.0"
        file.write_text(text)
        os.utime(file, ns=(clock.now_ns(), clock.now_ns()))

    return planted


def files(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())


class TestFolderQueue(QueueContract, QueueTries, QueueRaces):
    @pytest.fixture(autouse=True)
    def patient(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Wait a minute for the lock, not a second: others may have it while a disk is busy."""
        monkeypatch.setattr(folder_queue, "_LOCK_TIMEOUT_S", 60.0)


def test_a_burst_is_one_job(queue: FolderQueue, clock: ManualClock) -> None:
    told = []
    for _ in range(20):
        told.append(queue.offer(job(), delay_s=SETTLE_S))
        clock.sleep(0.05)
    assert told == [Offered.QUEUED] + [Offered.WAITING] * 19
    assert queue.depth() == Depth(1, 0)
    clock.sleep(SETTLE_S)
    queue.done(claimed(queue))
    assert queue.claim(10, lease_s=LEASE_S) == []


def test_a_full_queue_still_knows_who_waits(queue: FolderQueue) -> None:
    for number in range(MAX_DEPTH + 1):
        queue.offer(job(str(number)), delay_s=SETTLE_S)
    assert queue.offer(job("0"), delay_s=SETTLE_S) is Offered.WAITING
    assert queue.offer(job("9"), delay_s=SETTLE_S) is Offered.FULL


def test_an_id_and_its_token_are_one_conversation(queue: FolderQueue) -> None:
    queue.offer(job("a b", Scope("t/1", "dana")), delay_s=0)
    scope = Scope(Token(key_token("t/1")), Token("dana"))
    same = job(Token(key_token("a b")), scope)
    assert queue.offer(same, delay_s=0) is Offered.WAITING


def test_the_longest_due_comes_first(queue: FolderQueue, clock: ManualClock) -> None:
    for delay_s, name in ((3, "c"), (1, "a"), (2, "b")):
        queue.offer(job(name), delay_s=delay_s)
    clock.sleep(5)
    found = queue.claim(2, lease_s=LEASE_S)
    assert [lease.job.conversation_id for lease in found] == ["a", "b"]


def test_depth_says_since_when_the_oldest_is_due(queue: FolderQueue, clock: ManualClock) -> None:
    begun_ns = clock.now_ns()
    queue.offer(job("a"), delay_s=2)
    queue.offer(job("b"), delay_s=9)
    assert queue.depth() == Depth(2, 0, None)
    clock.sleep(5)
    assert queue.depth() == Depth(2, 0, begun_ns + 2 * S)
    claimed(queue)
    assert queue.depth() == Depth(1, 1, None)
    clock.sleep(LEASE_S)
    assert queue.depth() == Depth(2, 0, begun_ns + 9 * S)


def test_who_lost_his_lease_takes_nothing_from_the_next_holder(
    queue: FolderQueue, clock: ManualClock
) -> None:
    queue.offer(job(), delay_s=0)
    lost = claimed(queue)
    clock.sleep(LEASE_S)
    held = claimed(queue)
    queue.done(lost)
    queue.give_back(lost, delay_s=0)
    assert queue.depth() == Depth(0, 1)
    queue.give_back(held, delay_s=0)
    assert claimed(queue).receives == 3


def test_a_job_given_back_joins_the_one_that_was_offered_meanwhile(
    queue: FolderQueue, clock: ManualClock
) -> None:
    """It is due when the first of both was, and is tried as often as one that is new."""
    queue.offer(job(), delay_s=0)
    lease = claimed(queue)
    queue.offer(job(), delay_s=2)
    queue.give_back(lease, delay_s=600)
    assert queue.depth() == Depth(1, 0)
    clock.sleep(2)
    assert claimed(queue).receives == 1


def test_an_offer_renews_the_job_that_waits_after_failures(
    queue: FolderQueue, clock: ManualClock
) -> None:
    """It comes when the offer says, and not when the next try would have been."""
    queue.offer(job(), delay_s=0)
    for delay_s in (0, 600):
        queue.give_back(claimed(queue), delay_s=delay_s)
    assert queue.offer(job(), delay_s=2) is Offered.WAITING
    assert queue.depth() == Depth(1, 0)
    clock.sleep(2)
    assert claimed(queue).receives == 1


def test_a_job_that_fails_for_the_last_time_is_a_dead_letter_at_once(queue: FolderQueue) -> None:
    queue.offer(job(), delay_s=0)
    for _ in range(MAX_RECEIVES):
        queue.give_back(claimed(queue), delay_s=0)
    assert (queue.count_dead(), queue.depth()) == (1, Depth(0, 0))


def test_of_two_leases_given_back_the_earlier_time_counts(
    queue: FolderQueue, clock: ManualClock
) -> None:
    queue.offer(job(), delay_s=0)
    first = claimed(queue)
    queue.offer(job(), delay_s=0)
    second = claimed(queue)
    queue.give_back(first, delay_s=5)
    queue.give_back(second, delay_s=600)
    assert queue.depth() == Depth(1, 0)
    clock.sleep(5)
    assert claimed(queue).receives == 2


def test_a_lease_that_ended_joins_the_one_that_was_offered_meanwhile(
    queue: FolderQueue, clock: ManualClock
) -> None:
    queue.offer(job(), delay_s=0)
    claimed(queue)
    queue.offer(job(), delay_s=900)
    clock.sleep(LEASE_S)
    assert claimed(queue).receives == 1
    clock.sleep(900)
    assert len(queue.claim(10, lease_s=LEASE_S)) == 1


def test_a_clock_that_was_set_back_holds_no_job_for_ever(root: Path, clock: ManualClock) -> None:
    queue = FolderQueue(root, clock=clock, entropy=SeededEntropy(), max_receives=9, max_depth=9)
    queue.offer(job("waits"), delay_s=900)
    queue.offer(job("leased"), delay_s=0)
    queue.claim(1, lease_s=43_200)
    past = ManualClock(clock.now_ns() - 86_400 * S)
    again = FolderQueue(
        root, clock=past, entropy=SeededEntropy("again"), max_receives=9, max_depth=9
    )
    found = [lease.job.conversation_id for lease in again.claim(10, lease_s=LEASE_S)]
    assert sorted(found) == ["leased", "waits"]


def test_nothing_is_made_before_the_first_offer(queue: FolderQueue, root: Path) -> None:
    queue.claim(1, lease_s=1)
    queue.depth()
    queue.redrive(1)
    assert not root.exists()


def test_names_hold_no_id_and_files_are_the_owners(queue: FolderQueue, root: Path) -> None:
    queue.offer(job("secret-conversation", Scope("secret-tenant", "secret-actor")), delay_s=0)
    claimed(queue)
    queue.offer(job("secret-conversation", Scope("secret-tenant", "secret-actor")), delay_s=0)
    assert "secret" not in " ".join(files(root))
    modes = {path.stat().st_mode & 0o777 for path in root.rglob("*.*") if path.is_file()}
    assert modes == {0o600}


def test_when_all_is_done_only_the_lock_is_left(queue: FolderQueue, root: Path) -> None:
    queue.offer(job(), delay_s=0)
    queue.give_back(claimed(queue), delay_s=0)
    queue.done(claimed(queue))
    assert files(root) == ["lock"]


def test_what_is_not_ours_is_left_alone(queue: FolderQueue, root: Path) -> None:
    queue.offer(job(), delay_s=0)
    waiting = root / "waiting"
    (waiting / "notes.txt").write_text("mine")
    (waiting / f"{'1' * 32}.0").mkdir()
    (waiting / f"{'2' * 32}.0").symlink_to(root / "lock")
    os.mkfifo(waiting / f"{'3' * 32}.0")
    assert queue.depth().waiting == 1
    queue.done(claimed(queue))
    assert queue.claim(10, lease_s=LEASE_S) == []
    assert (len(list(waiting.iterdir())), queue.count_dead()) == (4, 0)
