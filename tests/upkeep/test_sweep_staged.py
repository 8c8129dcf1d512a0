"""Staged extractions go after a day: nobody will apply them, and they quote what was said."""

import pytest

from consolidation.stranded import Yard, keys_below, mark, yard
from emulation.counting_store import CountingStore
from everturn.ports.object_store import ABSENT
from everturn.upkeep.sweep_tasks import Swept
from everturn.values.keys import staged_key
from fakes.interleaved_store import InterleavedStore
from scenarios.process import SCOPE
from scenarios.world import World
from upkeep.sweep_calls import DAY_S


def stage(world: World, name: str, *firsts: int) -> None:
    for first in firsts:
        world.data.put(staged_key(SCOPE, name, first), b"secret", expect=ABSENT)


def staged(world: World) -> list[tuple[str, int]]:
    """Return what is staged: of whom, and from which turn on."""
    keys = [key.split("/") for key in keys_below(world.data, "x/")]
    return [(key[3], int(key[4].removesuffix(".json"))) for key in keys]


@pytest.fixture
def made() -> Yard:
    """One conversation is read up to its turn 50; the other nobody read."""
    made = yard()
    for name in ("read", "unread"):
        made.world.process().append("x", to=name)
        stage(made.world, name, 0, 50)
    mark(made.world, "read", 50)
    return made


def test_whatever_it_is_of_goes_after_a_day(made: Yard) -> None:
    made.world.clock.sleep(DAY_S - 1)
    made.sweep()
    assert len(staged(made.world)) == 4
    made.world.clock.sleep(1)
    assert made.sweep().swept.staged == 4
    assert not staged(made.world)


def test_what_is_of_a_conversation_that_lives_again_or_is_not_there_goes_too(made: Yard) -> None:
    """It may quote what was deleted, whatever its number."""
    made.world.process().delete("read")
    made.world.process().create("read")
    stage(made.world, "read", 0)
    made.world.remove("unread")
    made.world.clock.sleep(DAY_S)
    assert made.sweep().swept.staged == 3
    assert not staged(made.world)


def test_one_that_is_staged_anew_meanwhile_stays(made: Yard) -> None:
    key = staged_key(SCOPE, "read", 0)
    made.world.clock.sleep(DAY_S)
    # The listing of what is staged is the fifth.
    data = InterleavedStore(
        made.world.data, after={("list", 5): lambda: made.world.data.overwrite(key, b"new")}
    )
    assert made.sweep(data=data).swept.staged == 3
    assert staged(made.world) == [("read", 0)]


def test_it_costs_a_listing_and_a_request_for_each(made: Yard) -> None:
    made.world.clock.sleep(DAY_S)
    data = CountingStore(made.world.data)
    assert made.sweep(data=data).swept.staged == 4
    [first] = [at for at, call in enumerate(data.calls) if call == ("list", "x/")]
    removed = [(name, number) for name in ("read", "unread") for number in (0, 50)]
    expected = [("delete", staged_key(SCOPE, *one)) for one in removed]
    assert sorted(data.calls[first + 1 :]) == sorted(expected)


@pytest.mark.parametrize("page_keys", [1, 2, 3])
def test_a_conversation_on_two_pages_loses_what_is_on_both(page_keys: int) -> None:
    made = yard(page_keys=page_keys)
    for name in ("a", "a-b", "a.b", "b"):
        made.world.process().append("x", to=name)
        stage(made.world, name, 0, 1, 2, 3)
    made.world.clock.sleep(DAY_S)
    swept = Swept()
    for _ in range(200):
        outcome = made.sweep(reads=1)
        swept += outcome.swept
        if outcome.complete:
            break
    assert (outcome.complete, swept.staged) == (True, 16)
    assert not staged(made.world)


def test_files_of_no_conversation_are_left(made: Yard) -> None:
    strange = ["x/acme/ann/read/deep/x.json", "x/y"]
    for key in strange:
        made.world.data.overwrite(key, b"{}")
    made.world.clock.sleep(DAY_S)
    assert made.sweep().complete
    assert {*strange} <= {*keys_below(made.world.data, "x/")}
