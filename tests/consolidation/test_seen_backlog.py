"""What offers have seen by the way: how old the oldest marker is, how deep the queue."""

import pytest

from consolidation.offering import SETTLE_S, Offering
from everturn.consolidation.enqueue_job import JobOffers
from everturn.errors import UnavailableError
from everturn.values.keys import DIRTY_PREFIX
from fakes.wrapped_store import RefusingStore


@pytest.fixture
def it() -> Offering:
    return Offering()


def test_the_age_of_the_oldest_marker_is_told_once_by_whoever_looked(it: Offering) -> None:
    it.queue.max_depth = 0
    it.offer()
    assert it.offers.pop_dirty_age() is None
    it.clock.sleep(600)
    assert not it.offers.take_marker(even_if_full=False)
    age_s = it.offers.pop_dirty_age()
    assert age_s is not None
    assert 600 <= age_s < 660
    assert it.offers.pop_dirty_age() is None


def test_an_age_that_nobody_told_is_not_told_by_one_who_could_not_look(it: Offering) -> None:
    """One who failed after its look leaves it; the next one finds the store away."""
    away = RefusingStore(it.store, "list", DIRTY_PREFIX, UnavailableError("slow down"))
    offers = JobOffers(it.queue, away, it.clock, SETTLE_S)
    offers.see_markers([])
    assert not offers.take_marker()
    assert offers.pop_dirty_age() is None


def test_without_markers_none_is_old(it: Offering) -> None:
    assert not it.offers.take_marker()
    assert it.offers.pop_dirty_age() == 0


def test_the_depth_is_what_the_queue_has_seen_and_asks_nobody(it: Offering) -> None:
    depths = [it.offers.depth]
    it.queue.seen = 5
    depths.append(it.offers.depth)
    assert (depths, it.queue.asked) == ([None, 5], 0)
    assert JobOffers(None, it.store, it.clock, SETTLE_S).depth is None
