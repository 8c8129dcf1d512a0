"""Who takes a turn back takes away what is staged of its conversation: it may quote the turn."""

from collections.abc import Callable

import pytest

from consolidation.stranded import keys_below
from emulation.counting_store import CountingStore
from everturn.deletion.pop_turn import PopOutcome
from everturn.deletion.redact_turn import RedactOutcome
from everturn.errors import AccessDeniedError, UnavailableError
from everturn.ports.object_store import ObjectStore
from everturn.values.keys import staged_key, staged_prefix
from fakes.faulty_store import Fault, FaultyStore, scripted
from fakes.interleaved_store import InterleavedStore
from fakes.wrapped_store import RefusingStore
from scenarios.process import CONVERSATION, SCOPE
from scenarios.sealed_world import everything
from scenarios.world import World

TakeBack = Callable[[World, ObjectStore], RedactOutcome | PopOutcome]


def redact(world: World, store: ObjectStore) -> RedactOutcome:
    return world.process(store).redact(1)


def pop(world: World, store: ObjectStore) -> PopOutcome:
    return world.process(store).pop(expected=2)


either = pytest.mark.parametrize("take_back", [redact, pop])


@pytest.fixture
def staged(world: World) -> World:
    """Two turns, of which one is told nobody, and what is staged of it and of a neighbour."""
    world.process().append("public", "secret")
    for first in (0, 1):
        world.data.overwrite(staged_key(SCOPE, CONVERSATION, first), b"secret")
    world.data.overwrite(staged_key(SCOPE, f"{CONVERSATION}0", 0), b"neighbour")
    return world


@either
def test_all_of_it_goes_and_the_neighbours_stay(staged: World, take_back: TakeBack) -> None:
    assert take_back(staged, staged.data).complete
    assert b"secret" not in everything(staged)
    assert b"neighbour" in everything(staged)


@either
def test_it_is_one_listing_and_one_request_for_each(staged: World, take_back: TakeBack) -> None:
    store = CountingStore(staged.data)
    take_back(staged, store)
    prefix = staged_prefix(SCOPE, CONVERSATION)
    calls = [verb for verb, key in store.calls if key.startswith(prefix)]
    assert calls == ["list", "delete", "delete"]


@either
def test_it_goes_before_memories_are_looked_for(staged: World, take_back: TakeBack) -> None:
    """A worker that reads it in between would make one of it again, unseen."""
    store = CountingStore(staged.data)
    take_back(staged, store)
    last = max(at for at, (_, key) in enumerate(store.calls) if key.startswith("x/"))
    [memories] = [at for at, call in enumerate(store.calls) if call == ("list", "m/acme/ann/")]
    assert last < memories


@either
@pytest.mark.parametrize("fault", [Fault.LOST_REQUEST, Fault.LOST_RESPONSE, Fault.UNAVAILABLE])
def test_without_a_clear_answer_it_is_tried_again(
    staged: World, take_back: TakeBack, fault: Fault
) -> None:
    assert take_back(staged, FaultyStore(staged.data, scripted({("delete", 1): fault}))).complete
    assert b"secret" not in everything(staged)


@either
@pytest.mark.parametrize("error", [UnavailableError("503"), AccessDeniedError("403")])
@pytest.mark.parametrize("verb", ["list", "delete"])
def test_where_it_cannot_be_removed_it_is_not_complete(
    staged: World, take_back: TakeBack, error: UnavailableError | AccessDeniedError, verb: str
) -> None:
    store = RefusingStore(staged.data, verb, "x/", error)  # type: ignore[arg-type]  # a verb
    assert not take_back(staged, store).complete
    assert len(keys_below(staged.data, staged_prefix(SCOPE, CONVERSATION))) == 2


@either
def test_what_is_staged_anew_meanwhile_is_left_and_said(staged: World, take_back: TakeBack) -> None:
    """It may be of the turns as they are now, and the only one that counts."""
    key = staged_key(SCOPE, CONVERSATION, 0)
    store = InterleavedStore(
        staged.data, before={("delete", 1): lambda: staged.data.overwrite(key, b"new")}
    )
    assert not take_back(staged, store).complete
    assert keys_below(staged.data, staged_prefix(SCOPE, CONVERSATION)) == [key]


def test_redacted_again_what_was_left_goes(staged: World) -> None:
    refusing = RefusingStore(staged.data, "delete", "x/", UnavailableError("503"))
    redact(staged, refusing)
    assert redact(staged, staged.data).complete
    assert b"secret" not in everything(staged)
