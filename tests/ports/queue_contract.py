"""What every queue of jobs promises."""

from collections.abc import Callable

import pytest

from everturn.errors import InvalidRequestError
from everturn.ports.queue import Depth, JobQueue, Lease, Offered
from everturn.values.job import Job
from everturn.values.keys import Scope, Token

SCOPE = Scope("acme", "dana")
MAX_DEPTH, MAX_RECEIVES = 4, 3
LEASE_S = 30

Elapse = Callable[[float], None]


def job(name: str = "trip", scope: Scope = SCOPE) -> Job:
    return Job(scope, name)


def names(leases: list[Lease]) -> list[str]:
    return sorted(lease.job.conversation_id for lease in leases)


def claimed(queue: JobQueue) -> Lease:
    """The one job that is due."""
    [lease] = queue.claim(10, lease_s=LEASE_S)
    return lease


class QueueContract:
    """Subclasses give `queue` (depth 4, 3 receives) and `elapse`."""

    @pytest.mark.parametrize(
        "offered",
        [
            job(),
            job("a/../b c"),
            job("héllo ￾ 🦊"),
            job("x" * 1_024),
            job("trip", Scope("ÜNI corn", "dana@example.com")),
            job("trip", Scope("~" + "A" * 32, "~nobody")),
            job("trip", Scope(Token("~" + "A" * 32), Token("dana"))),
        ],
    )
    def test_a_job_comes_as_it_was_offered(self, queue: JobQueue, offered: Job) -> None:
        assert queue.offer(offered, delay_s=0) is Offered.QUEUED
        lease = claimed(queue)
        assert (lease.job, lease.receives) == (offered, 1)
        ids = (lease.job.scope.tenant, lease.job.scope.actor, lease.job.conversation_id)
        assert lease.job.digest == offered.digest, ids

    def test_an_empty_queue_hands_out_nothing(self, queue: JobQueue) -> None:
        assert queue.claim(10, lease_s=LEASE_S) == []
        assert queue.depth() == Depth(0, 0)
        assert queue.count_dead() == queue.redrive(10) == 0

    def test_an_offer_settles(self, queue: JobQueue, elapse: Elapse) -> None:
        queue.offer(job(), delay_s=60)
        assert queue.claim(10, lease_s=LEASE_S) == []
        elapse(59)
        assert queue.claim(10, lease_s=LEASE_S) == []
        elapse(1.1)
        assert claimed(queue).job == job()

    def test_what_is_leased_is_nobody_elses(self, queue: JobQueue, elapse: Elapse) -> None:
        queue.offer(job(), delay_s=0)
        claimed(queue)
        elapse(LEASE_S - 1)
        assert queue.claim(10, lease_s=LEASE_S) == []

    def test_a_lease_ends_by_itself(self, queue: JobQueue, elapse: Elapse) -> None:
        """Whoever died with it holds nothing up for longer."""
        queue.offer(job(), delay_s=0)
        first = claimed(queue)
        elapse(LEASE_S + 0.1)
        second = claimed(queue)
        assert (second.job, second.receives) == (job(), 2)
        assert first.receipt != second.receipt

    def test_what_is_done_never_comes_again(self, queue: JobQueue, elapse: Elapse) -> None:
        queue.offer(job(), delay_s=0)
        queue.done(claimed(queue))
        elapse(1_000)
        assert queue.claim(10, lease_s=LEASE_S) == []
        assert queue.depth() == Depth(0, 0)

    def test_what_is_given_back_comes_after_its_delay(
        self, queue: JobQueue, elapse: Elapse
    ) -> None:
        queue.offer(job(), delay_s=0)
        queue.give_back(claimed(queue), delay_s=300)
        elapse(299)
        assert queue.claim(10, lease_s=LEASE_S) == []
        elapse(1.1)
        assert claimed(queue).receives == 2

    def test_what_is_given_back_at_once_comes_before_its_lease_would_end(
        self, queue: JobQueue, elapse: Elapse
    ) -> None:
        queue.offer(job(), delay_s=0)
        queue.give_back(claimed(queue), delay_s=0)
        elapse(0.1)
        assert claimed(queue).receives == 2

    def test_a_claim_takes_no_more_than_it_asks_for(self, queue: JobQueue) -> None:
        for name in "abcd":
            queue.offer(job(name), delay_s=0)
        first = queue.claim(3, lease_s=LEASE_S)
        second = queue.claim(3, lease_s=LEASE_S)
        assert (len(first), len(second)) == (3, 1)
        assert names(first + second) == list("abcd")

    def test_an_offer_during_a_lease_is_another_job(self, queue: JobQueue, elapse: Elapse) -> None:
        """The holder may have read the conversation before the new turns came."""
        queue.offer(job(), delay_s=0)
        lease = claimed(queue)
        assert queue.offer(job(), delay_s=0) is Offered.QUEUED
        queue.done(lease)
        elapse(0.1)
        assert claimed(queue).job == job()

    def test_a_second_offer_is_due_when_it_says_at_the_latest(
        self, queue: JobQueue, elapse: Elapse
    ) -> None:
        queue.offer(job(), delay_s=900)
        assert queue.offer(job(), delay_s=2) in {Offered.QUEUED, Offered.WAITING}
        elapse(2.1)
        assert claimed(queue).job == job()

    def test_a_second_offer_delays_nothing(self, queue: JobQueue, elapse: Elapse) -> None:
        """A conversation that never rests is consolidated all the same."""
        queue.offer(job(), delay_s=2)
        elapse(1.9)
        queue.offer(job(), delay_s=2)
        elapse(0.2)
        assert claimed(queue).job == job()

    def test_scopes_do_not_meet(self, queue: JobQueue) -> None:
        other = Scope("acme", "robin")
        queue.offer(job("trip"), delay_s=0)
        assert queue.offer(job("trip", other), delay_s=0) is Offered.QUEUED
        found = [lease.job.scope.actor for lease in queue.claim(10, lease_s=LEASE_S)]
        assert sorted(found) == ["dana", "robin"]

    def test_a_full_queue_drops_and_takes_again_when_there_is_room(
        self, queue: JobQueue, elapse: Elapse
    ) -> None:
        told = [queue.offer(job(str(number)), delay_s=60) for number in range(6)]
        assert told == [Offered.QUEUED] * MAX_DEPTH + [Offered.FULL] * 2
        elapse(61)
        assert names(queue.claim(10, lease_s=LEASE_S)) == ["0", "1", "2", "3"]
        assert queue.offer(job("4"), delay_s=0) is Offered.QUEUED

    def test_what_is_leased_takes_no_room(self, queue: JobQueue, elapse: Elapse) -> None:
        for name in "abcd":
            queue.offer(job(name), delay_s=0)
        queue.claim(2, lease_s=LEASE_S)
        elapse(6)
        assert queue.offer(job("e"), delay_s=0) is Offered.QUEUED
        assert queue.depth() == Depth(3, 2, queue.depth().oldest_ns)

    def test_who_ended_a_job_may_offer_one_however_full_it_is(self, queue: JobQueue) -> None:
        for number in range(5):
            queue.offer(job(str(number)), delay_s=0)
        assert queue.offer(job("5"), delay_s=0, even_if_full=True) is Offered.QUEUED
        assert queue.depth().waiting == MAX_DEPTH + 1

    def test_what_is_given_back_is_never_dropped(self, queue: JobQueue, elapse: Elapse) -> None:
        queue.offer(job("first"), delay_s=0)
        lease = claimed(queue)
        for number in range(5):
            queue.offer(job(str(number)), delay_s=0)
        queue.give_back(lease, delay_s=0)
        elapse(0.1)
        assert "first" in names(queue.claim(10, lease_s=LEASE_S))

    def test_what_still_settles_counts_as_waiting(self, queue: JobQueue) -> None:
        queue.offer(job("a"), delay_s=0)
        queue.offer(job("b"), delay_s=60)
        assert (queue.depth().waiting, queue.depth().leased) == (2, 0)

    def test_a_lease_that_ended_may_be_ended_again(self, queue: JobQueue, elapse: Elapse) -> None:
        """Of the conversation a job that was offered later stays."""
        queue.offer(job(), delay_s=0)
        lease = claimed(queue)
        queue.done(lease)
        queue.offer(job(), delay_s=0)
        queue.done(lease)
        queue.give_back(lease, delay_s=0)
        elapse(0.1)
        again = claimed(queue)
        elapse(LEASE_S + 0.1)
        queue.done(again)
        queue.done(again)

    def test_a_lease_that_ended_may_still_be_done(self, queue: JobQueue, elapse: Elapse) -> None:
        """Nobody else has it, so the work was not in vain."""
        queue.offer(job(), delay_s=0)
        lease = claimed(queue)
        elapse(LEASE_S + 0.1)
        queue.done(lease)
        assert queue.claim(10, lease_s=LEASE_S) == []

    @pytest.mark.parametrize("delay_s", [-1, 901])
    def test_a_delay_has_bounds(self, queue: JobQueue, delay_s: int) -> None:
        queue.offer(job(), delay_s=0)
        lease = claimed(queue)
        with pytest.raises(InvalidRequestError, match="delay_s"):
            queue.offer(job(), delay_s=delay_s)
        with pytest.raises(InvalidRequestError, match="delay_s"):
            queue.give_back(lease, delay_s=delay_s)
        assert queue.depth() == Depth(0, 1)

    @pytest.mark.parametrize(("limit", "lease_s"), [(0, 1), (11, 1), (1, 0), (1, 43_201)])
    def test_a_claim_has_bounds(self, queue: JobQueue, limit: int, lease_s: int) -> None:
        queue.offer(job(), delay_s=0)
        with pytest.raises(InvalidRequestError, match="out of range"):
            queue.claim(limit, lease_s=lease_s)
        assert queue.depth().waiting == 1

    def test_bounds_are_included(self, queue: JobQueue, elapse: Elapse) -> None:
        queue.offer(job(), delay_s=900)
        elapse(899)
        assert queue.claim(1, lease_s=43_200) == []
        elapse(1.1)
        [lease] = queue.claim(10, lease_s=43_200)
        elapse(43_199)
        assert queue.claim(1, lease_s=1) == []
        queue.done(lease)
