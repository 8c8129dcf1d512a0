"""What every queue of jobs promises of jobs that fail: how often each is tried, and what then."""

from collections.abc import Callable

import pytest

from everturn.errors import InvalidRequestError
from everturn.ports.queue import Depth, JobQueue, Lease, Offered
from ports.queue_contract import LEASE_S, MAX_DEPTH, MAX_RECEIVES, Elapse, claimed, job

Plant = Callable[[str], None]


class QueueTries:
    """Subclasses give what the contract asks for, and `plant`: a text where a job should be."""

    def test_after_so_many_claims_a_job_is_a_dead_letter(
        self, queue: JobQueue, elapse: Elapse
    ) -> None:
        """Given back or left to its end, a claim is a claim."""
        queue.offer(job("bad"), delay_s=0)
        queue.offer(job("good"), delay_s=0)
        for expected in range(1, MAX_RECEIVES + 1):
            for lease in queue.claim(10, lease_s=LEASE_S):
                assert lease.receives == (expected if lease.job == job("bad") else 1)
                if lease.job == job("good"):
                    queue.done(lease)
                elif expected == 2:
                    queue.give_back(lease, delay_s=0)
            elapse(LEASE_S + 0.1)
        assert queue.count_dead() == 0
        assert queue.claim(10, lease_s=LEASE_S) == []
        assert (queue.count_dead(), queue.depth()) == (1, Depth(0, 0))

    @pytest.mark.parametrize("is_given_back", [True, False])
    def test_a_job_that_was_offered_during_the_last_try_of_another_is_tried(
        self,
        queue: JobQueue,
        elapse: Elapse,
        is_given_back: bool,  # noqa: FBT001 - a parameter of the table
    ) -> None:
        """The one before it is a dead letter; what was offered since is not lost with it."""
        queue.offer(job(), delay_s=0)
        for _ in range(MAX_RECEIVES - 1):
            queue.give_back(claimed(queue), delay_s=0)
            elapse(0.1)
        last = claimed(queue)
        assert queue.offer(job(), delay_s=0) is Offered.QUEUED
        if is_given_back:
            queue.give_back(last, delay_s=0)
        elapse(LEASE_S + 0.1)
        assert claimed(queue).receives == 1
        assert (queue.count_dead(), queue.depth()) == (1, Depth(0, 1))

    @pytest.mark.parametrize("is_given_back", [True, False])
    def test_a_job_that_was_offered_after_the_last_try_of_another_is_tried(
        self,
        queue: JobQueue,
        elapse: Elapse,
        is_given_back: bool,  # noqa: FBT001 - a parameter of the table
    ) -> None:
        queue.offer(job(), delay_s=0)
        for number in range(MAX_RECEIVES):
            lease = claimed(queue)
            if is_given_back:
                queue.give_back(lease, delay_s=300 if number == MAX_RECEIVES - 1 else 0)
            elapse(LEASE_S + 0.1)
        assert queue.offer(job(), delay_s=2) is Offered.QUEUED
        elapse(301)
        assert claimed(queue).receives == 1
        assert (queue.count_dead(), queue.depth()) == (1, Depth(0, 1))

    @pytest.mark.parametrize("failures", range(1, MAX_RECEIVES + 1))
    def test_whatever_failed_before_a_job_that_is_offered_is_tried_as_often_as_any(
        self, queue: JobQueue, elapse: Elapse, failures: int
    ) -> None:
        queue.offer(job(), delay_s=0)
        for _ in range(failures):
            queue.give_back(claimed(queue), delay_s=0)
            elapse(0.1)
        queue.offer(job(), delay_s=0)
        tries = 0
        while leases := queue.claim(10, lease_s=LEASE_S):
            tries += len(leases)
            elapse(LEASE_S + 0.1)
        assert tries >= MAX_RECEIVES
        assert queue.count_dead() >= 1

    def test_a_redriven_job_begins_anew_however_full_it_is(
        self, queue: JobQueue, elapse: Elapse
    ) -> None:
        queue.offer(job("bad"), delay_s=0)
        for _ in range(MAX_RECEIVES + 1):
            queue.claim(10, lease_s=LEASE_S)
            elapse(LEASE_S + 0.1)
        for number in range(5):
            queue.offer(job(str(number)), delay_s=0)
        assert queue.redrive(10) == 1
        elapse(0.1)
        found = queue.claim(10, lease_s=LEASE_S)
        assert [lease.receives for lease in found if lease.job == job("bad")] == [1]
        assert (len(found), queue.count_dead(), queue.redrive(10)) == (MAX_DEPTH + 1, 0, 0)

    def test_a_redrive_moves_no_more_than_it_is_asked_to(
        self, queue: JobQueue, elapse: Elapse
    ) -> None:
        for name in "abc":
            queue.offer(job(name), delay_s=0)
        for _ in range(MAX_RECEIVES + 1):
            queue.claim(10, lease_s=LEASE_S)
            elapse(LEASE_S + 0.1)
        assert (queue.count_dead(), queue.redrive(2)) == (3, 2)
        assert (queue.count_dead(), queue.depth().waiting) == (1, 2)

    @pytest.mark.parametrize(
        "text",
        [
            "not json",
            "{}",
            "[]",
            '{"tenant":"acme","actor":"dana"}',
            '{"tenant":"acme","actor":"dana","conversation_id":7}',
            '{"tenant":{"token":"../x"},"actor":"dana","conversation_id":"c"}',
            '{"user_id":"dana","conversation_id":"../x"}',
        ],
    )
    def test_what_is_no_job_becomes_a_dead_letter_and_stops_nobody(
        self, queue: JobQueue, elapse: Elapse, plant: Plant, text: str
    ) -> None:
        queue.offer(job(), delay_s=0)
        plant(text)
        found: list[Lease] = []
        for _ in range(MAX_RECEIVES + 1):
            found += queue.claim(10, lease_s=LEASE_S)
            queue.done(found[0])
            elapse(LEASE_S + 0.1)
        assert ([lease.job for lease in found], queue.count_dead()) == ([job()], 1)

    @pytest.mark.parametrize("limit", [0, 11])
    def test_a_redrive_has_bounds(self, queue: JobQueue, limit: int) -> None:
        with pytest.raises(InvalidRequestError, match="limit"):
            queue.redrive(limit)
