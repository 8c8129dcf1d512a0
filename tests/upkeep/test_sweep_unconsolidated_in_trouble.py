"""A sweep that ends anywhere, meets a full queue or other writers strands nobody."""

import pytest

from consolidation.stranded import Yard, keys_below, mark, yard
from everturn.errors import UnavailableError
from everturn.upkeep.sweep_tasks import Swept
from everturn.values.keys import staged_key, watermark_key
from fakes.faulty_store import Fault, FaultyStore, scripted
from fakes.interleaved_store import InterleavedStore
from fakes.nth_request import NthRequest, crash
from scenarios.process import SCOPE
from upkeep.sweep_calls import DAY_S, HOUR_S

BEHIND = ["half", "none0", "none1", "none2"]


def trouble(**options: int) -> Yard:
    """Conversations that are behind, one that is not, and what is left of one that is gone."""
    made = yard(**options)
    for name in (*BEHIND, "all"):
        made.world.process().append("x", "y", to=name)
    made.world.clock.sleep(1)
    mark(made.world, "half", 1)
    for name in ("all", "gone"):
        mark(made.world, name, 2)
    for name in ("gone", "all"):
        made.world.data.overwrite(staged_key(SCOPE, name, 0), b"secret")
    made.world.clock.sleep(DAY_S)
    return made


def waiting_somewhere(made: Yard) -> list[str]:
    """Return who waits in the queue or as a marker, each once."""
    return sorted({*made.waiting(), *(job.conversation_id for job in made.marked())})


def assert_swept(made: Yard) -> None:
    assert watermark_key(SCOPE, "gone") not in keys_below(made.world.data, "w/")
    assert keys_below(made.world.data, "x/") == []


def _requests(made: Yard) -> tuple[int, int]:
    data, derived = NthRequest(made.world.data), NthRequest(made.world.derived)
    assert made.sweep(data=data, derived=derived).complete
    return data.count, derived.count


@pytest.mark.parametrize("max_depth", [1_000, 2, 0])
@pytest.mark.parametrize("where", ["data", "derived"])
@pytest.mark.parametrize("after", [False, True])
def test_after_a_crash_at_any_request_the_next_sweep_ends_what_it_began(
    where: str, max_depth: int, *, after: bool
) -> None:
    count = _requests(trouble(page_keys=3, max_depth=max_depth))[where == "derived"]
    assert count > 4
    for nth in range(1, count + 1):
        made = trouble(page_keys=3, max_depth=max_depth)
        data = derived = None
        if where == "data":
            data = NthRequest(made.world.data, nth, crash, after=after)
        else:
            derived = NthRequest(made.world.derived, nth, crash, after=after)
        with pytest.raises(KeyboardInterrupt):
            made.sweep(data=data, derived=derived)
        assert made.sweep().complete
        assert waiting_somewhere(made) == BEHIND
        assert_swept(made)


@pytest.mark.parametrize("reads", range(1, 12))
def test_a_pass_in_many_calls_offers_what_one_call_offers(reads: int) -> None:
    made, swept = trouble(page_keys=2), Swept()
    for _ in range(60):
        outcome = made.sweep(reads=reads)
        swept += outcome.swept
        if outcome.complete:
            break
    assert outcome.complete
    assert (swept.offered_tails, swept.watermarks, swept.staged) == (4, 1, 2)
    assert made.waiting() == BEHIND
    assert_swept(made)


def test_what_a_full_queue_does_not_take_is_marked() -> None:
    made = trouble(max_depth=1)
    outcome = made.sweep()
    assert (outcome.complete, outcome.swept.offered_tails, outcome.swept.failed) == (True, 4, 0)
    assert len(made.marked()) == 3
    assert waiting_somewhere(made) == BEHIND


def test_a_queue_that_is_away_leaves_markers_too() -> None:
    made = trouble()
    made.queue.fault = UnavailableError("no answer")
    assert made.sweep().swept.offered_tails == 4
    assert waiting_somewhere(made) == BEHIND


def test_what_is_neither_taken_nor_marked_is_due_in_the_next_pass() -> None:
    """Though its watermark was written after its head, and came to rest before this pass."""
    made = trouble(max_depth=0)
    for name in ("none0", "none1", "none2"):
        mark(made.world, name, 2)
    made.world.clock.sleep(HOUR_S)
    # The first overwrite is that of how far the sweep is.
    derived = FaultyStore(made.world.derived, scripted({("overwrite", 2): Fault.LOST_REQUEST}))
    outcome = made.sweep(derived=derived)
    assert (outcome.complete, outcome.swept.offered_tails, outcome.swept.failed) == (True, 0, 1)
    made.queue.max_depth = 9
    assert made.sweep().swept.offered_tails == 1
    assert made.waiting() == ["half"]


@pytest.mark.parametrize("verb", ["get", "delete"])
@pytest.mark.parametrize("nth", range(1, 16))
def test_what_a_store_does_not_answer_is_due_in_the_next_pass(verb: str, nth: int) -> None:
    made = trouble()
    script = {(verb, nth): Fault.UNAVAILABLE}
    data = FaultyStore(made.world.data, scripted(script))  # type: ignore[arg-type]  # verbs
    assert made.sweep(data=data).complete
    made.sweep()
    assert waiting_somewhere(made) == BEHIND
    assert_swept(made)


def test_the_watermark_of_one_that_is_created_anew_meanwhile_stays_where_it_moved() -> None:
    made = trouble()

    def second_life() -> None:
        made.world.process().append("z", to="gone")
        mark(made.world, "gone", 1)

    data = InterleavedStore(made.world.data, after={("list", 4): second_life})
    assert made.sweep(data=data).swept.watermarks == 0
    assert watermark_key(SCOPE, "gone") in keys_below(made.world.data, "w/")
    made.world.clock.sleep(2 * DAY_S)
    made.sweep()
    assert watermark_key(SCOPE, "gone") in keys_below(made.world.data, "w/")
