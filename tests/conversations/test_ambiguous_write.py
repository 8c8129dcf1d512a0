"""An append whose attempts go wrong: read back, then decide."""

from collections.abc import Callable
from itertools import product

import pytest

from everturn.errors import ConflictError, UnavailableError
from fakes.faulty_store import Fault, FaultyStore, Script, scripted
from fakes.interleaved_store import InterleavedStore
from scenarios.process import Process
from scenarios.world import World

TS = "2025-05-05T05:05:05Z"
STATES = ("first", "cold", "warm", "stale")


def _prepared(world: World, store: FaultyStore, state: str) -> tuple[Process, list[str]]:
    """Return a process before its append, and the texts that are there already."""
    process, texts = world.process(store), list[str]()
    if state != "first":
        world.process().create()
    if state in {"warm", "stale"}:
        process.append("warm")
        texts.append("warm")
    if state in {"cold", "stale"}:
        world.process().append("other")
        texts.append("other")
    return process, texts


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("first", Fault)
@pytest.mark.parametrize("second", [None, *Fault])
def test_faults_on_the_attempts_lose_nothing_and_double_nothing(
    state: str, first: Fault, second: Fault | None
) -> None:
    """Whatever becomes of the first two attempts, and whenever a delayed one lands."""
    script: Script = {("put", 1): first}
    if second is not None:
        script["put", 2] = second
    for delay, read_fails in product(range(1, 6), (False, True)):
        world = World()
        store = FaultyStore(world.data, delay=delay)
        process, texts = _prepared(world, store, state)
        unread: Script = {("get", 2): Fault.UNAVAILABLE}
        store.plan = scripted({**script, **unread} if read_fails else script)

        outcome = process.append("mine", "mine")
        store.land_all()

        assert world.texts() == [*texts, "mine", "mine"]
        assert (outcome.first_turn, outcome.turn_count) == (len(texts), len(texts) + 2)
        assert not outcome.replayed
        assert world.process().append("next").first_turn == len(texts) + 2
        assert process.append("last").turn_count == len(texts) + 4


@pytest.mark.parametrize("fault", Fault)
@pytest.mark.parametrize("key", [None, "k"])
def test_another_append_after_an_unclear_attempt_stands_beside_it(
    world: World, fault: Fault, key: str | None
) -> None:
    world.process().append("a")
    other = world.process()
    between = InterleavedStore(world.data, before={("get", 2): lambda: other.append("b")})
    store = FaultyStore(between, scripted({("put", 1): fault}), delay=2)

    world.process(store).append("mine", key=key)
    store.land_all()

    assert sorted(world.texts()) == ["a", "b", "mine"]


@pytest.mark.parametrize("others", [1, 59, 60, 61, 75, 130])
@pytest.mark.parametrize("attempt", [1, 2])
def test_a_written_attempt_is_known_by_its_place_when_sixty_others_came_after_it(
    world: World, others: int, attempt: int
) -> None:
    """The ring has forgotten the write id; the turns at the attempt's own place have not."""
    world.process().append("a")
    between = InterleavedStore(world.data, after={("put", 1): _appends(world, others)})
    faults: Script = {("put", n): Fault.LOST_REQUEST for n in range(1, attempt)}
    faults["put", attempt] = Fault.LOST_RESPONSE
    store = FaultyStore(between, scripted(faults))

    outcome = world.process(store).append("mine", "mine too")

    assert world.texts()[:3] == ["a", "mine", "mine too"]
    assert len(world.texts()) == 3 + others
    assert (outcome.first_turn, outcome.turn_count) == (1, 3 + others)


def test_a_lost_attempt_is_repeated_when_sixty_others_came_after_it(world: World) -> None:
    world.process().append("a")
    between = InterleavedStore(world.data, before={("get", 2): _appends(world, 75)})
    store = FaultyStore(between, scripted({("put", 1): Fault.LOST_REQUEST}))

    outcome = world.process(store).append("mine")

    assert world.texts().count("mine") == 1
    assert outcome.first_turn == 76


def test_only_an_attempts_own_place_is_looked_at(world: World) -> None:
    """A lost request and an equal turn of equal time elsewhere: ours is still to be written."""
    world.process().append("yes", ts=TS)
    between = InterleavedStore(world.data, before={("get", 2): _appends(world, 75)})
    store = FaultyStore(between, scripted({("put", 1): Fault.LOST_REQUEST}))

    world.process(store).append("yes", ts=TS)

    assert world.texts().count("yes") == 2


@pytest.mark.parametrize("fault", [Fault.LOST_REQUEST, Fault.DELAYED])
def test_an_equal_turn_at_the_same_place_by_another_writer_is_not_ours(
    world: World, fault: Fault
) -> None:
    """Both wanted to say it, both said it: the ring tells whose turn stands there."""
    world.process().append("a")
    other = world.process()
    between = InterleavedStore(world.data, before={("get", 2): lambda: other.append("yes", ts=TS)})
    store = FaultyStore(between, scripted({("put", 1): fault}), delay=9)

    world.process(store).append("yes", ts=TS)
    store.land_all()

    assert world.texts() == ["a", "yes", "yes"]


def test_an_attempt_is_known_by_its_place_after_another_program_dropped_the_ring(
    world: World,
) -> None:
    """Go's program writes the file anew, with our turns and without metadata."""
    world.process().append("a")

    def rewritten() -> None:
        world.place(world.stored().body)

    between = InterleavedStore(world.data, after={("put", 1): rewritten})
    store = FaultyStore(between, scripted({("put", 1): Fault.LOST_RESPONSE}))

    assert world.process(store).append("mine").first_turn == 1
    assert world.texts() == ["a", "mine"]


def test_an_expected_count_counts_ones_own_unclear_attempt(world: World) -> None:
    """What was expected held when the attempt was written; the new count is its own doing."""
    store = FaultyStore(world.data, scripted({("put", 1): Fault.LOST_RESPONSE}))

    assert world.process(store).append("a", expected=0).turn_count == 1


def test_an_unclear_attempt_that_another_overtook_leaves_the_expectation_broken(
    world: World,
) -> None:
    other = world.process()
    between = InterleavedStore(world.data, before={("get", 2): lambda: other.append("b")})
    store = FaultyStore(between, scripted({("put", 1): Fault.DELAYED}), delay=9)

    with pytest.raises(ConflictError):
        world.process(store).append("mine", expected=0)
    store.land_all()

    assert world.texts() == ["b"]


@pytest.mark.parametrize("fault", Fault)
def test_an_append_gives_up_after_ten_seconds_or_at_once_where_the_store_is_down(
    world: World, fault: Fault
) -> None:
    world.process().append("a")
    store = FaultyStore(world.data, lambda verb: fault if verb == "put" else None, delay=10**9)
    started = world.clock.monotonic_s()
    process = world.process(store)
    if fault is Fault.LOST_RESPONSE:
        assert process.append("mine").attempts == 1
        return

    with pytest.raises(UnavailableError, match="doing=append") as caught:
        process.append("mine")

    assert caught.value.__cause__ is not None
    took_s, tries = world.clock.monotonic_s() - started, len(store.failed)
    if fault is Fault.UNAVAILABLE:
        assert took_s < 1
        assert tries == 6
    else:
        assert 10 <= took_s <= 11
        assert 10 < tries < 120
    assert world.texts() == ["a"]


def test_an_append_gives_up_when_it_cannot_read_back(world: World) -> None:
    """The turns may be there; the same request with the same key finds them."""
    store = FaultyStore(world.data)
    process = world.process(store)
    process.append("a")
    failing = scripted({("put", 1): Fault.LOST_RESPONSE})
    store.plan = lambda verb: Fault.UNAVAILABLE if verb == "get" else failing(verb)

    with pytest.raises(UnavailableError):
        process.append("mine", key="k")

    outcome = world.process().append("mine", key="k")
    assert outcome.replayed
    assert world.texts() == ["a", "mine"]


def test_a_delayed_write_that_lands_after_giving_up_is_found_by_the_key(world: World) -> None:
    store = FaultyStore(
        world.data, lambda verb: Fault.DELAYED if verb == "put" else None, delay=10**9
    )
    with pytest.raises(UnavailableError):
        world.process(store).append("mine", key="k")
    store.land_all()

    assert world.process().append("mine", key="k").replayed
    assert world.texts() == ["mine"]


def test_turns_and_times_are_the_same_in_every_attempt(world: World) -> None:
    """An attempt that lands late is the same turn, though the clock has gone on."""
    started = world.clock.now_ns()
    store = FaultyStore(world.data, scripted({("put", n): Fault.REFUSED for n in range(1, 9)}))

    world.process(store).append("mine")

    assert world.clock.now_ns() > started
    assert world.record().newest_ns == started


def _appends(world: World, count: int) -> Callable[[], None]:
    def run() -> None:
        other = world.process()
        for number in range(count):
            other.append(f"other {number}")

    return run
