"""A forget while others write the index.

Whoever comes last leaves nothing of what was forgotten.
"""

from collections.abc import Callable

import pytest

from everturn.ports.object_store import ObjectStore
from fakes.interleaved_store import InterleavedStore, Place
from fakes.nth_request import NthRequest, crash
from memory.secret_memory import RID, SECRET, indexed
from scenarios.memory_process import memory_process
from scenarios.memory_traces import assert_nothing_of, indexed_rids
from scenarios.world import World


def _write_index(world: World) -> None:
    """Start a process that has a vector to add."""
    process = memory_process(world)
    process.remember("Another note is new.")
    process.retrieve("vault")


def _forget(
    world: World, *, data: ObjectStore | None = None, derived: ObjectStore | None = None
) -> None:
    memory_process(world, data=data, derived=derived).forget(RID)


def _load(
    world: World, *, data: ObjectStore | None = None, derived: ObjectStore | None = None
) -> None:
    memory_process(world, data=data, derived=derived).parts.memory_loader().load()


def _with_news() -> World:
    """Return a world in which the next reader writes the index, rows and vectors."""
    world = World()
    indexed(world)
    for number in range(20):
        memory_process(world).remember(f"News {number} of today.")
    return world


Run = Callable[..., None]


def _beside(world: World, store: str, nth: int, run: Run, other: Run, *, after: bool) -> int:
    """Run somebody, and another before or after his n-th request; return how many he made."""
    through = NthRequest(getattr(world, store), nth, lambda: other(world), after=after)
    run(world, **{store: through})
    return through.count


@pytest.mark.parametrize("store", ["data", "derived"])
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(("run", "other"), [(_forget, _write_index), (_load, _forget)])
def test_a_forget_beside_who_writes_the_index_leaves_nothing_at_whatever_moment(
    store: str, run: Run, other: Run, *, after: bool
) -> None:
    requests = _beside(_with_news(), store, 0, run, other, after=after)
    assert requests
    for nth in range(1, requests + 1):
        world = _with_news()
        _beside(world, store, nth, run, other, after=after)
        assert_nothing_of(world, RID, SECRET, "zanzibar")


@pytest.mark.parametrize("nth", [1, 2])
def test_who_mends_a_file_of_the_index_does_not_undo_a_forget(nth: int) -> None:
    """He writes again what he found to be true before the forget."""
    world = _with_news()
    process = memory_process(world)
    derived = InterleavedStore(
        world.derived,
        before={
            ("overwrite", nth): lambda: process.remember("News 3 of today.", source="again"),
            ("put", 1): lambda: process.forget(RID),
        },
    )
    _load(world, derived=derived)
    assert "put" in derived.verbs
    assert_nothing_of(world, RID, SECRET, "zanzibar")


@pytest.mark.parametrize("nth", [1, 2])
def test_who_puts_it_back_into_the_index_and_crashes_is_mended_by_the_next_reader(
    nth: int,
) -> None:
    """Its rows and its vectors are written before anybody looks whether they still should be."""
    world = _with_news()
    forget = memory_process(world).forget
    overwriting: Place = ("overwrite", nth)
    derived = InterleavedStore(
        world.derived, before={overwriting: lambda: forget(RID)}, after={overwriting: crash}
    )
    with pytest.raises(KeyboardInterrupt):
        memory_process(world, derived=derived).parts.memory_loader().load()
    assert RID in indexed_rids(world)
    memory_process(world).retrieve("vault")
    assert_nothing_of(world, RID, SECRET, "zanzibar")
