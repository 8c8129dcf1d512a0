"""Calls on one conversation at once, in every order of their first requests."""

from itertools import product

import pytest

from everturn.conversations.append_turns import AppendOutcome
from everturn.conversations.create_conversation import CreateOutcome
from everturn.conversations.model.patch import Patch
from everturn.conversations.model.summary import Summary
from everturn.deletion.delete_conversation import Receipt
from everturn.errors import ConversationGoneError, NotFoundError, UnavailableError
from everturn.ports.object_store import ObjectStore
from fakes.faulty_store import Fault, FaultyStore, Script, scripted
from fakes.schedule import Call, merged, run_in_order
from scenarios.process import Process
from scenarios.world import World

FAULTS = (None, Fault.LOST_REQUEST, Fault.LOST_RESPONSE, Fault.DELAYED)


def _append(process: Process, text: str, fault: Fault | None = None) -> Call:
    """Return an append whose first write fails in this way."""

    def call(store: ObjectStore) -> AppendOutcome:
        script: Script = {("put", 1): fault} if fault else {}
        process.store = FaultyStore(store, scripted(script), delay=2)
        return process.append(text)

    return call


def _delete(world: World) -> Call:
    return lambda store: world.process(store).delete()


def _patch(world: World) -> Call:
    return lambda store: world.process(store).patch(Patch(title="t"))


def _create(world: World, title: str) -> Call:
    return lambda store: world.process(store).create(title=title)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("warm", [False, True])
def test_an_append_beside_a_delete_comes_before_it_or_is_refused(
    fault: Fault | None, *, warm: bool
) -> None:
    for order in product("AD", repeat=7):
        world = World()
        process = world.process()
        process.append("a")
        appender = process if warm else world.process()
        calls = {"A": _append(appender, "mine", fault), "D": _delete(world)}
        results = run_in_order(world.data, calls, order)

        receipt = results["D"]
        assert isinstance(receipt, Receipt)
        assert world.record().head.deleted is not None
        assert world.texts() == []
        if isinstance(results["A"], AppendOutcome):
            assert receipt.turns == 2
        else:
            assert isinstance(results["A"], ConversationGoneError)
            assert receipt.turns == 1 or fault in {Fault.LOST_RESPONSE, Fault.DELAYED}


@pytest.mark.parametrize("fault", FAULTS)
def test_two_appends_beside_a_delete_leave_nothing(fault: Fault | None) -> None:
    for order in product("ABD", repeat=5):
        world = World()
        world.process().append("a")
        calls = {
            "A": _append(world.process(), "one", fault),
            "B": _append(world.process(), "other"),
            "D": _delete(world),
        }
        results = run_in_order(world.data, calls, order)

        receipt = results["D"]
        assert isinstance(receipt, Receipt)
        assert world.texts() == []
        answered = sum(isinstance(results[name], AppendOutcome) for name in "AB")
        assert 1 + answered <= receipt.turns <= 3


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("existing", [False, True])
def test_two_appends_at_once_are_both_there_once(fault: Fault | None, *, existing: bool) -> None:
    for order in product("AB", repeat=6):
        world = World()
        before = ["a"] if existing else []
        if existing:
            world.process().append("a")
        calls = {
            "A": _append(world.process(), "one", fault),
            "B": _append(world.process(), "other", fault),
        }
        results = run_in_order(world.data, calls, order)

        texts = world.texts()
        assert sorted(texts) == [*before, "one", "other"]
        for name, text in (("A", "one"), ("B", "other")):
            outcome = results[name]
            assert isinstance(outcome, AppendOutcome)
            assert texts[outcome.first_turn] == text


@pytest.mark.parametrize("fault", FAULTS)
def test_two_creates_and_a_first_append_at_once_all_succeed(fault: Fault | None) -> None:
    for order in product("ABC", repeat=4):
        world = World()
        calls = {
            "A": _create(world, "one"),
            "B": _create(world, "other"),
            "C": _append(world.process(), "said", fault),
        }
        results = run_in_order(world.data, calls, order)

        made = [results[name] for name in "AB"]
        assert isinstance(results["C"], AppendOutcome)
        assert all(isinstance(answer, CreateOutcome) for answer in made)
        created = [
            answer for answer in made if isinstance(answer, CreateOutcome) and answer.created
        ]
        assert world.texts() == ["said"]
        assert [world.record().head.title] == ([answer.summary.title for answer in created] or [""])


def test_a_create_beside_a_delete_leaves_an_empty_conversation_or_a_tombstone() -> None:
    """Where the deletion is not done yet, the create is to be sent again later."""
    seen: set[type] = set()
    for order in merged(C=3, D=9):
        world = World()
        world.process().append("secret")
        results = run_in_order(world.data, {"C": _create(world, "new"), "D": _delete(world)}, order)

        made, receipt = results["C"], results["D"]
        assert isinstance(made, CreateOutcome | UnavailableError)
        assert isinstance(receipt, Receipt)
        assert receipt.turns == 1
        assert world.texts() == []
        created = isinstance(made, CreateOutcome) and made.created
        assert (world.record().head.deleted is None) == created
        assert b"secret" not in world.stored().body
        seen.add(type(made))
    assert seen == {CreateOutcome, UnavailableError}


def test_a_patch_beside_a_delete_comes_before_it_or_finds_nothing() -> None:
    for order in product("PD", repeat=5):
        world = World()
        world.process().append("a")
        results = run_in_order(world.data, {"P": _patch(world), "D": _delete(world)}, order)

        assert isinstance(results["D"], Receipt)
        assert isinstance(results["P"], Summary | NotFoundError)
        assert world.record().head.deleted is not None
