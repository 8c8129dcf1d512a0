"""Consolidation that crashes, fails or hears nothing, at any request: the next call mends it."""

from collections.abc import Callable, Mapping

import pytest

from consolidation.consolidation_calls import (
    TEXTS,
    assert_each_once,
    assert_nowhere,
    places,
    planned,
    read,
    told,
)
from consolidation.consolidations import PlannedExtractor, mark_of
from consolidation.take_back import TAKE_BACK, Act, live_again
from everturn.errors import EverturnError
from everturn.ports.object_store import ObjectStore
from everturn.values.keys import staged_key
from fakes.faulty_store import Fault, FaultyStore, seeded
from fakes.nth_request import NthRequest, crash
from fakes.wrapped_store import Verb
from scenarios.process import CONVERSATION
from scenarios.world import World

pytestmark = pytest.mark.slow

PLACES = list(places())
DATA = [nth for name, nth in PLACES if name == "data"]
WINDOWS = 2


def _is_lost(world: World, extractor: PlannedExtractor) -> bool:
    """Say whether what the extractor said last is nowhere: neither staged nor applied."""
    if not extractor.windows:
        return False
    first = extractor.windows[-1][0]
    is_staged = world.data.get(staged_key(world.scope, CONVERSATION, first)) is not None
    return mark_of(world).turns <= first and not is_staged


@pytest.mark.parametrize(("name", "nth"), PLACES)
@pytest.mark.parametrize("after", [False, True])
def test_a_crash_at_any_request_is_mended_by_the_next_call(
    name: str, nth: int, *, after: bool
) -> None:
    """The extractor is asked once more only where it crashed before that was staged."""
    world, extractor = told(), planned()
    store = NthRequest(getattr(world, name), nth, crash, after=after)
    with pytest.raises(KeyboardInterrupt):
        read(world, extractor, **{name: store})
    is_lost = _is_lost(world, extractor)
    read(world, extractor)
    assert_each_once(world)
    assert len(extractor.windows) == WINDOWS + is_lost


@pytest.mark.parametrize("nth", DATA)
@pytest.mark.parametrize("again", [1, 2, 3, 5, 8])
def test_a_second_crash_is_mended_as_well(nth: int, again: int) -> None:
    world, extractor = told(), planned()
    for at in (nth, again):
        store = NthRequest(world.data, at, crash, after=True)
        try:
            read(world, extractor, data=store)
        except KeyboardInterrupt:
            continue
    read(world, extractor)
    assert_each_once(world)
    assert len(extractor.windows) <= WINDOWS + 2


def _nth_fails(nth: int, fault: Fault) -> Callable[[Verb], Fault | None]:
    counted: list[Verb] = []

    def plan(verb: Verb) -> Fault | None:
        counted.append(verb)
        return fault if len(counted) == nth else None

    return plan


def _tried(world: World, extractor: PlannedExtractor, stores: Mapping[str, ObjectStore]) -> bool:
    """Consolidate; whether nothing was told to have failed."""
    try:
        done = read(world, extractor, **stores)
    except EverturnError as error:
        if not error.retryable:
            raise
        return False
    return not done.behind


@pytest.mark.parametrize(("name", "nth"), PLACES)
@pytest.mark.parametrize("fault", Fault)
@pytest.mark.parametrize("delay", [1, 3, 1_000])
def test_a_fault_at_any_request_is_overcome_or_told_and_mended_by_the_next_call(
    name: str, nth: int, fault: Fault, delay: int
) -> None:
    world, extractor = told(), planned()
    store = FaultyStore(getattr(world, name), _nth_fails(nth, fault), delay=delay)
    if _tried(world, extractor, {name: store}):
        assert mark_of(world).turns == len(TEXTS)
    store.land_all()
    assert store.failed
    read(world, extractor)
    assert_each_once(world)
    assert len(extractor.windows) <= WINDOWS + 1


@pytest.mark.parametrize("seed", range(40))
def test_under_many_faults_it_drains_in_the_end(seed: int) -> None:
    world, extractor = told(), planned()
    world.entropy.token(seed + 1)
    for _ in range(60):
        data = FaultyStore(world.data, seeded(world.entropy, 0.2), delay=seed % 7 + 1)
        derived = FaultyStore(world.derived, seeded(world.entropy, 0.2))
        is_done = _tried(world, extractor, {"data": data, "derived": derived})
        data.land_all()
        if is_done:
            break
    assert mark_of(world).turns == len(TEXTS)
    read(world, extractor)
    assert_each_once(world)


def _assert_only(world: World, texts: tuple[str, ...]) -> None:
    assert_each_once(world, texts)
    assert_nowhere(world, *({*TEXTS} - {*texts}))


def _go_on(world: World, texts: tuple[str, ...]) -> None:
    """Say one thing more where the conversation is there, and consolidate."""
    if texts:
        world.process().append("Dana likes water.")
        texts = (*texts, "Dana likes water.")
    read(world, planned())
    _assert_only(world, texts)


@pytest.mark.parametrize("nth", DATA)
@pytest.mark.parametrize("take_back", TAKE_BACK)
@pytest.mark.parametrize("delay", [1, 2, 4, 1_000])
def test_a_late_write_brings_nothing_back_that_was_taken_back_after_it_was_sent(
    nth: int, take_back: Act, delay: int
) -> None:
    """The write is on its way while the turn goes; the worker goes on with its next request."""
    world, extractor = told(), planned()
    late = FaultyStore(world.data, _nth_fails(nth, Fault.DELAYED), delay=delay)
    store = NthRequest(late, nth + 1, lambda: take_back(world))
    _tried(world, extractor, {"data": store})
    if store.count <= nth:
        take_back(world)
    late.land_all()
    _go_on(world, TAKE_BACK[take_back])


@pytest.mark.parametrize("nth", DATA)
@pytest.mark.parametrize("take_back", TAKE_BACK)
def test_a_write_that_lands_after_all_was_taken_back_brings_nothing_back(
    nth: int, take_back: Act
) -> None:
    """The worker had sent it twice, and ended."""
    world, extractor = told(), planned()
    store = FaultyStore(world.data, _nth_fails(nth, Fault.DELAYED), delay=1_000)
    _tried(world, extractor, {"data": store})
    take_back(world)
    store.land_all()
    _go_on(world, TAKE_BACK[take_back])


@pytest.mark.parametrize("nth", DATA)
@pytest.mark.parametrize("take_back", TAKE_BACK)
@pytest.mark.parametrize("after", [False, True])
def test_what_is_taken_back_after_a_crash_stays_gone(
    nth: int, take_back: Act, *, after: bool
) -> None:
    world, extractor = told(), planned()
    store = NthRequest(world.data, nth, crash, after=after)
    with pytest.raises(KeyboardInterrupt):
        read(world, extractor, data=store)
    take_back(world)
    read(world, extractor)
    _assert_only(world, TAKE_BACK[take_back])


def _crashes_later(nth: int, take_back: Act, later: int) -> None:
    """Let something be taken back while a worker reads it, which ends some requests later."""
    world, extractor = told(), planned()
    crashing = NthRequest(world.data, nth + later, crash, after=True)
    store = NthRequest(crashing, nth, lambda: take_back(world))
    try:
        read(world, extractor, data=store)
    except KeyboardInterrupt:
        read(world, extractor)
    _go_on(world, TAKE_BACK[take_back])


@pytest.mark.parametrize("nth", DATA)
@pytest.mark.parametrize("take_back", [act for act in TAKE_BACK if act is not live_again])
@pytest.mark.parametrize("later", range(12))
def test_what_is_taken_back_before_a_crash_stays_gone(nth: int, take_back: Act, later: int) -> None:
    """What the worker wrote last was written after it was taken back."""
    _crashes_later(nth, take_back, later)


@pytest.mark.xfail(
    strict=True,
    reason="a worker that writes a memory after its conversation was deleted and created anew, "
    "and ends before it looks, leaves nothing by which the next call could know of it",
)
@pytest.mark.parametrize("nth", [7, 9])
def test_what_is_written_into_a_second_life_before_a_crash_goes(nth: int) -> None:
    _crashes_later(nth, live_again, 0)
