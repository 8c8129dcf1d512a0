"""Markers that no worker came for are offered by the sweep, while the queue has room."""

import pytest

from consolidation.stranded import Yard, keys_below, yard
from emulation.counting_store import CountingStore
from everturn.consolidation.enqueue_job import JobOffers
from everturn.errors import UnavailableError
from everturn.upkeep.sweep_tasks import Swept
from everturn.values.keys import DIRTY_PREFIX
from fakes.faulty_store import Fault, FaultyStore, scripted
from scenarios.process import SCOPE
from upkeep.sweep_calls import sweep_call

MINUTE_S = 60.0


def left(made: Yard, *names: str) -> None:
    """Leave a marker for each, as where the queue is full."""
    depth, made.queue.max_depth = made.queue.max_depth, 0
    offers = JobOffers(made.queue, made.world.derived, made.world.clock, 60)
    for name in names:
        assert offers.offer(SCOPE, name).marked
    made.queue.max_depth = depth


@pytest.fixture
def made() -> Yard:
    return yard()


def test_old_markers_are_offered_and_go(made: Yard) -> None:
    left(made, "a", "ü/x")
    made.world.clock.sleep(2 * MINUTE_S)
    left(made, "young")
    made.world.clock.sleep(1)
    outcome = made.sweep()
    assert (outcome.complete, outcome.swept) == (True, Swept(offered_markers=2))
    assert made.waiting() == ["a", "ü/x"]
    assert [job.conversation_id for job in made.marked()] == ["young"]


def test_it_costs_a_listing_and_two_requests_for_each(made: Yard) -> None:
    left(made, "a", "b")
    made.world.clock.sleep(2 * MINUTE_S)
    derived, made.queue.asked = CountingStore(made.world.derived), 0
    made.sweep(derived=derived)
    verbs = [verb for verb, key in derived.calls if key.startswith(DIRTY_PREFIX)]
    assert sorted(verbs) == ["delete"] * 2 + ["get"] * 2 + ["list"]
    assert made.queue.asked == 2


@pytest.mark.parametrize("page_keys", [2, 1_000])
def test_a_full_queue_loses_no_marker_and_is_not_asked_for_each(page_keys: int) -> None:
    made = yard(page_keys=page_keys, max_depth=3)
    names = [f"c{number:02}" for number in range(40)]
    left(made, *names)
    made.world.clock.sleep(2 * MINUTE_S)
    made.queue.asked = 0
    assert made.sweep().swept.offered_markers == 3
    # A wave of sixteen is under way, on each page.
    assert made.queue.asked <= 3 + max(16, 40 // page_keys)
    waiting, marked = made.waiting(), [job.conversation_id for job in made.marked()]
    assert len(waiting) == 3
    assert sorted({*waiting, *marked}) == names
    assert len(marked) == 37


def test_in_the_end_all_are_offered_once(made: Yard) -> None:
    made.queue.max_depth = 7
    names = [f"c{number:02}" for number in range(40)]
    left(made, *names)
    waited: list[str] = []
    for _ in range(6):
        made.world.clock.sleep(2 * MINUTE_S)
        assert made.sweep().complete
        waited += made.waiting()
    assert sorted(waited) == names
    assert made.marked() == []


def test_a_queue_that_is_away_loses_no_marker(made: Yard) -> None:
    left(made, "a", "b")
    made.world.clock.sleep(2 * MINUTE_S)
    made.queue.fault = UnavailableError("no answer")
    assert made.sweep().swept.offered_markers == 0
    assert {job.conversation_id for job in made.marked()} == {"a", "b"}
    made.queue.fault = None
    made.world.clock.sleep(2 * MINUTE_S)
    made.sweep()
    assert {*made.waiting()} == {"a", "b"}


@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b"\xff", b'{"tenant":7}'])
def test_a_marker_that_is_no_job_goes(made: Yard, body: bytes) -> None:
    made.world.derived.overwrite(f"{DIRTY_PREFIX}0000000001/acme/ann/x", body)
    made.world.clock.sleep(2 * MINUTE_S)
    assert made.sweep().swept == Swept()
    assert keys_below(made.world.derived, DIRTY_PREFIX) == []
    assert made.queue.asked == 0


@pytest.mark.parametrize("verb", ["get", "delete"])
@pytest.mark.parametrize("fault", list(Fault))
def test_a_store_that_fails_on_the_way_loses_no_job(made: Yard, verb: str, fault: Fault) -> None:
    left(made, "a")
    made.world.clock.sleep(2 * MINUTE_S)
    # The first read is that of how far the sweep is.
    script = {(verb, 2 if verb == "get" else 1): fault}
    derived = FaultyStore(made.world.derived, scripted(script))  # type: ignore[arg-type]  # verbs
    assert made.sweep(derived=derived).complete
    derived.land_all()
    made.world.clock.sleep(2 * MINUTE_S)
    made.sweep()
    assert {*made.waiting()} == {"a"}
    assert made.marked() == []


@pytest.mark.parametrize("page_keys", [2, 1_000])
def test_a_sweep_sees_how_old_the_oldest_is_and_one_without_any_sees_that(page_keys: int) -> None:
    made = yard(page_keys=page_keys)
    left(made, "a", "b", "c")
    made.world.clock.sleep(90 * MINUTE_S)
    left(made, "young")
    offers = JobOffers(made.queue, made.world.derived, made.world.clock, 60)
    sweep_call(made.world, offers=offers)
    age_s = offers.pop_dirty_age()
    assert age_s is not None
    assert 90 * MINUTE_S <= age_s < 91 * MINUTE_S
    made.world.clock.sleep(2 * MINUTE_S)
    for _ in range(2):
        sweep_call(made.world, offers=offers)
    assert offers.pop_dirty_age() == 0
