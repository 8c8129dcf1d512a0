"""Taking the newest turn back while requests fail and others write."""

from itertools import product

import pytest

from everturn.conversations.append_turns import AppendOutcome
from everturn.deletion.pop_turn import PopOutcome
from everturn.errors import ConflictError, UnavailableError
from fakes.faulty_store import Fault, FaultyStore, Script, scripted
from fakes.interleaved_store import InterleavedStore
from fakes.schedule import Call, merged, run_in_order
from scenarios.sealed_world import at_segments_end, everything, fill, orphans, said, stored_texts
from scenarios.world import World

COUNT = 40

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small")]


def _pop(world: World, expected: int) -> Call:
    return lambda store: world.process(store).pop(expected=expected)


def _append(world: World) -> Call:
    return lambda store: world.process(store).append("mine")


def _redact(world: World) -> Call:
    return lambda store: world.process(store).redact(3)


@pytest.mark.parametrize("first", Fault)
@pytest.mark.parametrize("second", [None, *Fault])
@pytest.mark.parametrize("boundary", [False, True])
def test_faults_take_one_turn_back_and_no_other(
    first: Fault, second: Fault | None, *, boundary: bool
) -> None:
    for delay, read_fails in product((1, 3), (False, True)):
        world = World()
        fill(world.process(), COUNT)
        count = at_segments_end(world) if boundary else COUNT
        before = orphans(world)
        store = FaultyStore(world.data, delay=delay)
        script: Script = {("put", 1): first}
        if second is not None:
            script["put", 2] = second
        if read_fails:
            script["get", 2] = Fault.UNAVAILABLE
        store.plan = scripted(script)

        outcome = world.process(store).pop(expected=count)
        store.land_all()

        assert outcome.turn is not None
        assert (outcome.turn.text, outcome.turn_count) == (said(count - 1), count - 1)
        assert outcome.updated_ns == world.record().head.updated_ns
        assert stored_texts(world) == [said(number) for number in range(count - 1)]
        assert set(orphans(world)) <= set(before)


@pytest.mark.parametrize("others", [1, 61])
@pytest.mark.parametrize("fault", [Fault.LOST_RESPONSE, Fault.LOST_REQUEST])
def test_an_unclear_pop_that_others_overtook_is_known_by_its_write_id(
    world: World, fault: Fault, others: int
) -> None:
    """Without it nobody guesses: the turn of another would go."""
    fill(world.process(), 5)
    writer = world.process()
    lossy = FaultyStore(world.data, scripted({("put", 1): fault}))
    store = InterleavedStore(lossy, after={("put", 1): lambda: fill(writer, others, start=100)})
    if fault is Fault.LOST_REQUEST:
        with pytest.raises(ConflictError):
            world.process(store).pop(expected=5)
    elif others == 1:
        assert world.process(store).pop(expected=5).turn_count == 4
    else:
        with pytest.raises(UnavailableError):
            world.process(store).pop(expected=5)
    popped = fault is Fault.LOST_RESPONSE
    kept = range(4 if popped else 5)
    assert stored_texts(world) == [*map(said, kept), *map(said, range(100, 100 + others))]


def test_of_two_poppers_at_once_each_turn_goes_to_one() -> None:
    for order in merged(P=4, Q=4):
        world = World()
        fill(world.process(), 20)
        calls = {name: _pop(world, 20) for name in "PQ"}
        results = run_in_order(world.data, calls, order)

        kinds = sorted(type(result).__name__ for result in results.values())
        assert kinds == ["ConflictError", "PopOutcome"]
        assert stored_texts(world) == [said(number) for number in range(19)]


@pytest.mark.parametrize("boundary", [False, True])
def test_a_pop_beside_an_append_comes_first_or_is_refused(*, boundary: bool) -> None:
    for order in merged(P=4, A=4):
        world = World()
        fill(world.process(), COUNT)
        count = at_segments_end(world) if boundary else COUNT
        calls = {"P": _pop(world, count), "A": _append(world)}
        results = run_in_order(world.data, calls, order)

        popped, appended = results["P"], results["A"]
        assert isinstance(appended, AppendOutcome)
        assert isinstance(popped, PopOutcome | ConflictError)
        kept = count - isinstance(popped, PopOutcome)
        assert stored_texts(world) == [*map(said, range(kept)), "mine"]
        assert appended.first_turn == kept


def test_a_pop_beside_a_redaction_of_its_segment_shows_nothing_of_it() -> None:
    for order in merged(P=5, R=7):
        world = World()
        fill(world.process(), COUNT)
        count = at_segments_end(world)
        calls = {"P": _pop(world, count), "R": _redact(world)}
        results = run_in_order(world.data, calls, order)

        assert isinstance(results["P"], PopOutcome)
        texts = [said(number) for number in range(count - 1)]
        assert stored_texts(world) == [*texts[:3], "", *texts[4:]]
        assert said(3).encode() not in everything(world)
