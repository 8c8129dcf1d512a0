"""Markers of jobs that a queue did not take: whoever ended a job takes the oldest."""

from collections import Counter

import pytest

from consolidation.offering import Offering
from emulation.counting_store import CountingStore
from everturn.consolidation.enqueue_job import JobOffer, JobOffers
from everturn.errors import AccessDeniedError, OutcomeUnknownError, UnavailableError
from everturn.ports.object_store import StoredObject
from everturn.values.job import Job
from everturn.values.keys import DIRTY_PREFIX, dirty_key
from fakes.interleaved_store import InterleavedStore
from fakes.wrapped_store import RefusingStore, Verb
from scenarios.process import SCOPE

DOWN = UnavailableError("the queue is down")
FULL = JobOffer(queued=False, reason="queue_full", marked=True)


@pytest.fixture
def it() -> Offering:
    return Offering()


def take_all(it: Offering) -> None:
    while it.offers.take_marker():
        pass


def test_the_oldest_marker_is_taken_first_and_offered_however_full_it_is(it: Offering) -> None:
    it.fill()
    for name in "cab":
        it.offer(name)
        it.clock.sleep(60)
    assert it.offers.take_marker()
    assert it.markers() == ["a", "b"]
    assert it.queue.names()[-1] == "c"
    assert it.store.verbs()[-3:] == ["list", "get", "delete"]
    take_all(it)
    assert (it.markers(), it.queue.names()[-3:]) == ([], ["c", "a", "b"])


def test_who_draws_takes_one_of_the_first_of_the_oldest_minute(it: Offering) -> None:
    """A younger one would not be due yet, while older ones wait."""
    it.fill()
    for name in "abc":
        it.offer(name)
    it.clock.sleep(60)
    it.offer("young")
    for draw, name in ((7, "b"), (255, "c"), (3, "a"), (3, "young")):
        assert it.offers.take_marker(draw=draw)
        assert it.queue.names()[-1] == name
    assert not it.offers.take_marker(draw=9)


def test_who_draws_takes_none_that_is_far_behind_the_oldest(it: Offering) -> None:
    it.fill()
    for number in range(40):
        it.offer(f"{number:02}")
    for draw in range(20):
        it.offers.take_marker(draw=draw * 7)
    assert set(it.queue.names()[it.queue.max_depth :]) <= {f"{number:02}" for number in range(36)}


def test_who_was_idle_leaves_the_markers_of_a_full_queue(it: Offering) -> None:
    """It asks once, however many there are."""
    it.fill()
    it.offer("a")
    it.offer("b")
    it.queue.asked = 0
    assert not it.offers.take_marker(even_if_full=False)
    assert (it.markers(), it.queue.asked) == (["a", "b"], 1)
    it.queue.max_depth += 1
    assert it.offers.take_marker(even_if_full=False)
    assert it.markers() == ["b"]


def test_a_taken_marker_begins_no_quiet_period(it: Offering) -> None:
    it.fill()
    it.offer()
    take_all(it)
    it.queue.max_depth += 2
    assert it.offer().sent


def test_the_job_of_a_marker_begins_when_its_minute_is_over(it: Offering) -> None:
    """Other appends of that minute rely on the marker, and leave none."""
    it.fill()
    it.clock.sleep(20)
    it.offer()
    it.clock.sleep(10)
    take_all(it)
    assert it.queue.delays()[-1] == 31
    assert it.offer() == FULL
    it.clock.sleep(40)
    it.offer()
    it.clock.sleep(60)
    take_all(it)
    assert it.queue.delays()[-1] == 0


def test_a_marker_of_a_clock_that_is_far_ahead_holds_nobody_up(it: Offering) -> None:
    job = Job(SCOPE, "trip")
    ahead = it.clock.now_ns() // 60_000_000_000 + 999
    it.store.overwrite(dirty_key(SCOPE, "trip", minute=ahead), job.encode().encode())
    assert it.offers.take_marker()
    assert it.queue.delays() == [61]


def test_where_there_is_no_marker_none_is_taken(it: Offering) -> None:
    assert not it.offers.take_marker()
    assert it.store.verbs() == ["list"]


@pytest.mark.parametrize("key", ["0000000001/a/b/c", "x", "9/../y", "99999999999999/a/b/c"])
def test_a_marker_that_is_no_job_is_removed_and_the_next_one_taken(it: Offering, key: str) -> None:
    it.fill()
    it.offer()
    for number, text in enumerate((b"not json", b"\xff", b"{}")):
        it.store.overwrite(f"{DIRTY_PREFIX}{key}{number}", text)
    while it.store.inner.list(DIRTY_PREFIX).keys:
        assert it.offers.take_marker() or not it.store.inner.list(DIRTY_PREFIX).keys
    assert it.queue.names()[-1] == "trip"


def test_a_marker_stays_where_the_queue_does_not_take_it(it: Offering) -> None:
    it.fill()
    it.offer()
    it.queue.fault = DOWN
    assert not it.offers.take_marker()
    assert it.markers() == ["trip"]
    it.queue.fault = None
    assert it.offers.take_marker()


@pytest.mark.parametrize("verb", ["list", "get", "delete"])
def test_a_store_that_does_not_answer_leaves_the_marker(it: Offering, verb: Verb) -> None:
    """It was offered first, so a marker that cannot be removed is offered twice."""
    it.fill()
    it.offer()
    store = RefusingStore(it.store, verb, DIRTY_PREFIX, OutcomeUnknownError("no answer"))
    assert not JobOffers(it.queue, store, it.clock, 0).take_marker()
    assert it.markers() == ["trip"]
    assert it.queue.names().count("trip") == (verb == "delete")


def test_whoever_may_never_take_a_marker_hears_of_it(it: Offering) -> None:
    store = RefusingStore(it.store, "list", DIRTY_PREFIX, AccessDeniedError("no"))
    with pytest.raises(AccessDeniedError):
        JobOffers(it.queue, store, it.clock, 0).take_marker()


def test_a_marker_that_somebody_else_took_is_passed_over(it: Offering) -> None:
    it.fill()
    it.offer("a")
    it.offer("b")

    class Stale(CountingStore):
        def get(self, key: str, **_: object) -> StoredObject | None:
            return None if key.endswith("/a") else self.inner.get(key)  # type: ignore[return-value]

    assert JobOffers(it.queue, Stale(it.store), it.clock, 0).take_marker()
    assert it.queue.names()[-1] == "b"


def test_ten_thousand_offers_against_a_depth_of_eight_are_all_done_in_the_end() -> None:
    """Whoever ends a job takes a marker: the backlog drains with every job that is done."""
    it = Offering(max_depth=8, settle_s=2)
    for number in range(10_000):
        it.offer(f"{number % 500}")
        it.clock.sleep(0.01)
    done = Counter[str]()
    it.clock.sleep(60)
    begun, rounds = it.clock.monotonic_s(), 0
    while leases := it.queue.claim(1, lease_s=600):
        done[leases[0].job.conversation_id] += 1
        it.queue.done(leases[0])
        it.offers.take_marker()
        it.clock.sleep(0.1)
        rounds += 1
    assert set(done) == {str(number) for number in range(500)}
    assert it.markers() == []
    assert it.clock.monotonic_s() - begun == pytest.approx(rounds * 0.1)


def test_where_jobs_may_come_early_each_refused_offer_leaves_a_marker(it: Offering) -> None:
    """The job of one that was taken may be done before its minute is over: nobody relies on it."""
    offers = JobOffers(it.queue, it.store, it.clock, 2, quiet_s=0.0)
    it.fill()
    for _ in range(3):
        assert offers.offer(SCOPE, "trip") == FULL
        assert it.markers() == ["trip"]
        assert offers.take_marker()
        assert it.markers() == []
    # Nobody waits for the end of the minute either.
    assert it.queue.names()[-1] == "trip"


def test_a_marker_that_was_renewed_while_its_job_was_offered_stays(it: Offering) -> None:
    offers = JobOffers(it.queue, it.store, it.clock, 2, quiet_s=0.0)
    it.fill()
    offers.offer(SCOPE, "trip")
    renewing = InterleavedStore(
        it.store, before={("delete", 1): lambda: offers.offer(SCOPE, "trip")}
    )
    assert JobOffers(it.queue, renewing, it.clock, 2, quiet_s=0.0).take_marker()
    assert it.markers() == ["trip"]
