"""Offers of one process: what is asked of the queue, and what is marked."""

import pytest

from consolidation.offering import SETTLE_S, Offering
from everturn.adapters.system_clock import ManualClock
from everturn.consolidation.enqueue_job import JobOffer, JobOffers, offer_stored
from everturn.errors import (
    AccessDeniedError,
    CorruptRecordError,
    EverturnError,
    InvalidRequestError,
    MisconfiguredError,
    NotFoundError,
    OutcomeUnknownError,
    UnavailableError,
)
from everturn.ports.queue import JobQueue
from everturn.storage.lru_cache import BoundedCache
from everturn.values.keys import DIRTY_PREFIX, Scope
from fakes.listed_queue import ListedQueue
from fakes.wrapped_store import RefusingStore
from scenarios.process import SCOPE
from scenarios.world import World

DOWN = UnavailableError("the queue is down")
FULL = JobOffer(queued=False, reason="queue_full", marked=True)


@pytest.fixture
def it() -> Offering:
    return Offering()


def test_an_offer_that_is_taken_asks_the_queue_once_and_leaves_no_marker(it: Offering) -> None:
    assert it.offer() == JobOffer(queued=True, sent=True)
    assert (it.queue.asked, it.store.calls) == (1, [])


def test_the_job_of_an_append_begins_when_turns_have_settled(it: Offering) -> None:
    it.offer()
    assert it.queue.delays() == [SETTLE_S]


@pytest.mark.parametrize(("settle_s", "quiet_s"), [(60, 30), (900, 30), (10, 5), (1, 0.5)])
def test_within_half_of_the_settling_nothing_is_asked_and_thirty_seconds_at_most(
    settle_s: int, quiet_s: float
) -> None:
    it = Offering(settle_s=settle_s)
    it.offer()
    it.clock.sleep(quiet_s - 0.01)
    assert it.offer() == JobOffer(queued=True)
    assert it.queue.asked == 1
    it.clock.sleep(0.01)
    assert it.offer() == JobOffer(queued=True, sent=True)
    assert it.queue.asked == 2


def test_without_settling_every_append_offers() -> None:
    """Its job may have begun before the next turns were there."""
    it = Offering(settle_s=0)
    assert [it.offer().sent for _ in range(3)] == [True] * 3
    assert it.queue.asked == 3


def test_a_quiet_period_counts_from_the_offer_and_not_from_the_last_append(it: Offering) -> None:
    """Else a conversation that never rests would be read late, or never."""
    for _ in range(60):
        it.offer()
        it.clock.sleep(1)
    assert it.queue.asked == 2


def test_conversations_are_quiet_each_for_itself(it: Offering) -> None:
    assert it.offer("a").sent
    assert it.offer("b").sent
    assert it.offers.offer(Scope("acme", "robin"), "a").sent
    assert not it.offer("a").sent


def test_a_job_that_joined_one_that_waits_begins_no_quiet_period(it: Offering) -> None:
    """That one may begin in a moment, and the next turns would be read by nobody."""
    other = it.another()
    assert other.offer(SCOPE, "trip").sent
    it.queue.joins = True
    assert [it.offer() for _ in range(2)] == [JobOffer(queued=True, sent=True)] * 2
    assert it.queue.asked == 3


def test_what_is_asked_for_by_name_begins_at_once_and_minds_no_quiet_period(it: Offering) -> None:
    it.offer()
    assert it.offers.offer_now(SCOPE, "trip") == JobOffer(queued=True, sent=True)
    assert it.queue.delays() == [SETTLE_S, 0]


def test_a_job_that_may_begin_at_once_begins_no_quiet_period(it: Offering) -> None:
    it.offers.offer_now(SCOPE, "trip")
    assert it.offer().sent


def test_what_a_quiet_period_left_out_is_read_by_the_job_that_began_it(it: Offering) -> None:
    """Simulated: an append a second; each is there before some later job begins."""
    appended_s, begun_s = list[float](), list[float]()
    for second in range(300):
        appended_s.append(it.clock.monotonic_s())
        it.offer()
        it.clock.sleep(1)
        begun_s += [it.clock.monotonic_s()] * len(it.queue.claim(10, lease_s=600))
        assert second < 61 or begun_s
    it.clock.sleep(SETTLE_S)
    begun_s += [it.clock.monotonic_s()] * len(it.queue.claim(10, lease_s=600))
    assert max(appended_s) < max(begun_s)
    waits_s = [min(b for b in begun_s if b > a) - a for a in appended_s]
    assert max(waits_s) <= SETTLE_S + 1
    assert it.queue.asked == 10


def test_a_full_queue_drops_the_job_and_a_marker_stands_for_it(it: Offering) -> None:
    it.fill()
    assert it.offer() == FULL
    assert it.offer().dropped
    assert not it.offer().unsent
    assert it.markers() == ["trip"]


def test_one_marker_a_conversation_and_minute_is_written(it: Offering) -> None:
    it.fill()
    for _ in range(90):
        assert it.offer("a") == it.offer("b") == FULL
        it.clock.sleep(1)
    assert it.markers() == ["a", "b", "a", "b"]
    assert it.store.verbs() == ["overwrite"] * 4


def test_markers_of_two_processes_are_one(it: Offering) -> None:
    it.fill()
    assert it.offer() == it.another().offer(SCOPE, "trip") == FULL
    assert it.markers() == ["trip"]


@pytest.mark.parametrize("fault", [DOWN, MisconfiguredError("there is no such queue")])
def test_a_queue_that_is_away_fails_nothing_and_a_marker_stands_for_it(
    it: Offering, fault: EverturnError
) -> None:
    it.queue.fault = fault
    offer = it.offer()
    assert (offer.queued, offer.reason, offer.sent) == (False, "queue_unavailable", False)
    assert (offer.marked, offer.unsent, offer.dropped) == (True, True, False)
    assert offer.fault is fault
    assert it.markers() == ["trip"]


def test_the_append_after_one_that_was_refused_offers_again(it: Offering) -> None:
    it.queue.fault = DOWN
    it.offer()
    it.queue.fault = None
    assert it.offer() == JobOffer(queued=True, sent=True)


def test_without_a_queue_nothing_is_marked(it: Offering) -> None:
    offers = JobOffers(None, it.store, it.clock, 0)
    assert offers.offer(SCOPE, "trip") == JobOffer(queued=False, reason="no_queue")
    assert offers.offer_now(SCOPE, "trip").reason == "no_queue"
    assert not offers.take_marker()
    assert it.store.calls == []


@pytest.mark.parametrize(
    "fault",
    [
        OutcomeUnknownError("no answer"),
        UnavailableError("slow down"),
        AccessDeniedError("no"),
        MisconfiguredError("no such bucket"),
    ],
)
@pytest.mark.parametrize("away", [False, True])
def test_a_marker_that_cannot_be_written_fails_nothing_and_is_tried_again(
    it: Offering, fault: EverturnError, *, away: bool
) -> None:
    it.fill()
    it.queue.fault = DOWN if away else None
    store = RefusingStore(it.store, "overwrite", DIRTY_PREFIX, fault)
    offers = JobOffers(it.queue, store, it.clock, SETTLE_S)
    offer = offers.offer(SCOPE, "trip")
    assert (offer.queued, offer.marked) == (False, False)
    assert offer.fault is (DOWN if away else fault)
    offers._derived = it.store
    assert offers.offer(SCOPE, "trip").marked


def test_what_is_remembered_is_bounded(it: Offering) -> None:
    """Of a conversation that is forgotten a job is offered once more."""
    it.queue.max_depth = 10_000
    it.offers._taken = BoundedCache(256 * 3)
    for name in "abcd":
        assert it.offer(name).sent
    assert [it.offer(name).sent for name in "dcb"] == [False] * 3
    assert it.offer("a").sent


def test_ten_thousand_conversations_take_no_more_than_a_mebibyte(it: Offering) -> None:
    it.queue.max_depth = 10_000
    for number in range(10_000):
        it.offer(str(number))
    assert it.offers._taken._bytes <= 1_048_576
    assert not it.offer("9999").sent


def test_a_conversation_that_is_stored_may_be_offered_by_name() -> None:
    world, it = World(), Offering()
    world.process().append("a", "b")
    world.place(b"{", "broken")

    def ask(name: str) -> JobOffer:
        return offer_stored(offers=it.offers, store=world.data, scope=SCOPE, conversation_id=name)

    stored = world.record().head.conversation_id
    assert ask(stored) == JobOffer(queued=True, sent=True)
    assert (it.queue.names(), it.queue.delays()) == ([stored], [0])
    for name, error in (("none", NotFoundError), ("broken", CorruptRecordError)):
        with pytest.raises(error):
            ask(name)
    with pytest.raises(InvalidRequestError):
        ask("\t")
    assert it.queue.asked == 1


def test_the_queue_of_these_tests_is_one() -> None:
    queue: JobQueue = ListedQueue(ManualClock(), max_depth=1)
    assert queue.count_dead() == 0
