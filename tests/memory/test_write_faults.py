"""Every way to write a memory, with a crash or a fault at each of its requests."""

import pytest

from everturn.errors import UnavailableError
from fakes.faulty_store import Fault, FaultyStore
from fakes.nth_request import NthRequest, crash, places
from fakes.wrapped_store import Verb
from memory.memory_paths import PATHS, again, prepared, through
from scenarios.memory_process import MemoryProcess

pytestmark = pytest.mark.slow


def _places(name: str) -> list[tuple[str, int]]:
    world, rid = prepared(PATHS[name])
    return list(
        places(
            world.data,
            world.derived,
            lambda data, derived: PATHS[name].call(through(world, data, derived), rid),
        )
    )


CASES = [(name, store, nth) for name in PATHS for store, nth in _places(name)]


@pytest.mark.parametrize("name", PATHS)
def test_what_is_called_twice_is_done_once(name: str) -> None:
    path = PATHS[name]
    world, rid = prepared(path)
    path.call(through(world), rid)
    path.check(world, rid)
    again(path, world, rid)
    path.check(world, rid)


@pytest.mark.parametrize(("name", "store", "nth"), CASES)
@pytest.mark.parametrize("after", [False, True])
def test_a_crash_at_any_request_is_mended_by_the_same_call(
    name: str, store: str, nth: int, *, after: bool
) -> None:
    path = PATHS[name]
    world, rid = prepared(path)
    crashing = NthRequest(getattr(world, store), nth, crash, after=after)
    with pytest.raises(KeyboardInterrupt):
        path.call(through(world, **{store: crashing}), rid)
    again(path, world, rid)
    path.check(world, rid)


@pytest.mark.parametrize(("name", "store", "nth"), CASES)
@pytest.mark.parametrize("fault", Fault)
def test_a_fault_at_any_request_is_overcome_or_told(
    name: str, store: str, nth: int, fault: Fault
) -> None:
    path = PATHS[name]
    world, rid = prepared(path)
    counted: list[Verb] = []

    def plan(verb: Verb) -> Fault | None:
        counted.append(verb)
        return fault if len(counted) == nth else None

    faulty = FaultyStore(getattr(world, store), plan, delay=2)
    is_told = _is_told(path.call, through(world, **{store: faulty}), rid)
    faulty.land_all()
    if is_told:
        again(path, world, rid)
    path.check(world, rid)


def _is_told(call: object, process: MemoryProcess, rid: str) -> bool:
    assert callable(call)
    try:
        answer = call(process, rid)
    except UnavailableError:
        return True
    return not getattr(answer, "complete", True)
