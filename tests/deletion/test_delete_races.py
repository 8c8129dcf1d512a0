"""A delete beside appends that seal, a worker that stages, and another delete, in many orders."""

from collections.abc import Mapping

import pytest

from everturn.adapters.system_clock import SeededEntropy
from everturn.conversations.append_turns import AppendOutcome
from everturn.conversations.read_record import read_record
from everturn.deletion.delete_conversation import Receipt, finish_deletion
from everturn.errors import ConversationGoneError, NotFoundError, PreconditionFailedError
from everturn.ports.object_store import ABSENT, ObjectStore
from everturn.storage.swap import Patience
from everturn.values.keys import staged_prefix, watermark_key
from fakes.faulty_store import FaultyStore, seeded
from fakes.schedule import Call, merged, run_in_order
from scenarios.process import CONVERSATION
from scenarios.sealed_world import fill, said
from scenarios.world import World
from upkeep.traces import traces

BEFORE = 13

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small")]


def _append(world: World, name: str) -> Call:
    return lambda store: world.process(store).append(name, name)


def _delete(world: World) -> Call:
    return lambda store: world.process(store).delete()


def _work(world: World) -> Call:
    """Return a worker that stages what it read, and looks at the head after its last write."""

    def work(store: ObjectStore) -> Receipt | None:
        for key in (
            f"{staged_prefix(world.scope, CONVERSATION)}{0:012d}.json",
            watermark_key(world.scope, CONVERSATION),
        ):
            try:
                store.put(key, b"secret", expect=ABSENT)
            except PreconditionFailedError:
                continue
        found = read_record(store=store, scope=world.scope, conversation_id=CONVERSATION)
        if found is None or found.record.head.deleted is None:
            return None
        return finish_deletion(
            store=store,
            derived=world.derived,
            clock=world.clock,
            entropy=world.entropy,
            patience=Patience(clock=world.clock, entropy=world.entropy),
            scope=world.scope,
            conversation_id=CONVERSATION,
        )

    return work


def _order(seed: int, calls: Mapping[str, Call]) -> list[str]:
    """Return 120 requests of these calls, any of them next."""
    names, entropy = [*calls], SeededEntropy(f"order {seed}")
    return [names[int(entropy.share() * len(names))] for _ in range(120)]


def _assert_gone(world: World) -> None:
    """Nothing is left but a tombstone that is done, and nothing comes back."""
    assert world.record().head.is_done
    assert traces(world) == []
    with pytest.raises(NotFoundError):
        world.process().read()
    assert world.process().list_page().rows == ()
    assert world.process().create().created
    assert world.process().page(0).turns == ()


def test_a_worker_beside_a_delete_leaves_nothing_behind() -> None:
    finished = 0
    for order in merged(W=3, D=9):
        world = World()
        fill(world.process(), 3)
        results = run_in_order(world.data, {"W": _work(world), "D": _delete(world)}, order)

        assert isinstance(results["D"], Receipt)
        assert (results["D"].complete, results["D"].turns) == (True, 3)
        finished += isinstance(results["W"], Receipt)
        _assert_gone(world)
    assert finished > 20


def test_two_deletes_at_once_both_end_with_nothing_left() -> None:
    kinds: set[str] = set()
    for order in merged(D=11, E=3):
        world = World()
        fill(world.process(), 20)
        results = run_in_order(world.data, {"D": _delete(world), "E": _delete(world)}, order)

        for result in results.values():
            assert isinstance(result, Receipt | NotFoundError)
            if isinstance(result, Receipt):
                assert (result.complete, result.turns) == (True, 20)
        kinds |= {type(result).__name__ for result in results.values()}
        _assert_gone(world)
    assert kinds == {"Receipt", "NotFoundError"}


def test_an_append_that_seals_beside_a_delete_leaves_nothing_behind() -> None:
    for order in merged(A=4, D=7):
        world = World()
        fill(world.process(), 28)
        results = run_in_order(world.data, {"A": _append(world, "a"), "D": _delete(world)}, order)

        receipt = results["D"]
        assert isinstance(receipt, Receipt)
        assert receipt.turns == 28 + 2 * isinstance(results["A"], AppendOutcome)
        _assert_gone(world)


@pytest.mark.parametrize("seed", range(60))
def test_a_delete_during_eight_appends_and_a_worker_is_final(seed: int) -> None:
    """All of the appends that were answered are in its receipt, or were refused."""
    world = World()
    fill(world.process(), BEFORE)
    names = [f"append {number}" for number in range(8)]
    calls = {name: _append(world, name) for name in names}
    calls |= {"worker": _work(world), "delete": _delete(world)}

    results = run_in_order(world.data, calls, _order(seed, calls))

    receipt = results["delete"]
    assert isinstance(receipt, Receipt)
    assert receipt.complete
    answered = [name for name in names if isinstance(results[name], AppendOutcome)]
    assert receipt.turns == BEFORE + 2 * len(answered)
    assert all(isinstance(results[name], ConversationGoneError) for name in {*names} - {*answered})
    _assert_gone(world)


@pytest.mark.parametrize("seed", range(40))
def test_so_it_is_under_faults(seed: int) -> None:
    """A delete that was not answered is sent again; what it left behind is then gone."""
    world = World()
    fill(world.process(), BEFORE)
    stores = list[FaultyStore]()

    def faulty(call: Call, name: str) -> Call:
        def run(store: ObjectStore) -> object:
            lossy = FaultyStore(store, seeded(SeededEntropy(f"{seed} {name}"), 0.2), delay=2)
            stores.append(lossy)
            return call(lossy)

        return run

    calls = {f"{number}": faulty(_append(world, f"{number}"), f"{number}") for number in range(8)}
    calls |= {"delete": faulty(_delete(world), "delete")}
    run_in_order(world.data, calls, _order(seed, calls))
    for store in stores:
        store.land_all()
    for _ in range(3):
        try:
            world.process().delete()
        except NotFoundError:
            break

    assert world.record().head.is_done
    assert world.texts() == []
    assert world.process().create().created
    fill(world.process(), 30)
    assert [turn.text for turn in world.process().page(0, limit=99).turns] == [
        said(number) for number in range(30)
    ]
