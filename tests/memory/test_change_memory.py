"""Correcting, pinning and weighing a memory, while nobody else writes."""

from typing import Any

import pytest

from everturn.errors import InvalidRequestError, NotFoundError
from everturn.memory.model.draft import SourceDraft
from everturn.memory.model.source import FIRST_NS, LAST_NS
from scenarios.memory_process import MemoryProcess, live, memory_process
from scenarios.memory_traces import stored_memory
from scenarios.world import World

OLD, NEW, THIRD = "The port is 8080.", "The port is 9090.", "The port is 7070."
STEPS = {"name": "Deploy", "steps": ["one"]}
OTHERS = {"name": "Deploy", "steps": ["two"]}


@pytest.fixture
def process(world: World) -> MemoryProcess:
    return memory_process(world)


def _later(process: MemoryProcess, seconds: int = 10) -> int:
    process.clock.sleep(seconds)
    return process.clock.now_ns()


def test_8080_then_9090_then_8080_again(world: World, process: MemoryProcess) -> None:
    """The last word holds, each held in its time, and the history shows all three."""
    first = live(process.remember(OLD, source="one"))
    t1 = process.clock.now_ns()
    t2 = _later(process)
    changed = process.change(first.rid, statement=NEW)
    assert (changed.superseded, changed.view.memory.statement) == (first.rid, NEW)
    new_rid = changed.view.memory.rid
    t3 = _later(process)
    again = process.remember(OLD, source="two")
    assert (live(again).rid, again.created) == (first.rid, False)
    _later(process)

    for reader in (process, memory_process(world)):
        assert reader.texts("port") == [OLD]
        times = {t1: [OLD], t2 - 1: [OLD], t2: [NEW], t3 - 1: [NEW], t3: [OLD], t1 - 1: []}
        for at_ns, held in times.items():
            assert reader.texts("port", as_of_ns=at_ns) == held
        for rid in (first.rid, new_rid):
            found = reader.read(rid)
            assert found.view.memory.rid == first.rid
            assert (found.view.valid_from_ns, found.view.valid_to_ns) == (t3, None)
            assert [(one.statement, one.since_ns, one.until_ns) for one in found.history] == [
                (OLD, t1, t2), (NEW, t2, t3), (OLD, t3, None),
            ]  # fmt: skip
        assert [view.memory.rid for view in reader.page().views] == [first.rid]
        both = {view.memory.rid: view for view in reader.page(superseded=True).views}
        assert both[new_rid].superseded_by == first.rid
        assert both[new_rid].valid_to_ns == t3


def test_what_is_said_in_the_same_second_as_a_correction_is_older(process: MemoryProcess) -> None:
    rid = live(process.remember(OLD)).rid
    process.change(rid, statement=NEW)
    assert process.texts("port") == [NEW]


def test_a_correction_is_the_last_word_whatever_clock_the_others_had(
    process: MemoryProcess,
) -> None:
    ahead = SourceDraft(key="k", at_ns=process.clock.now_ns() + 100 * 10**9)
    rid = live(process.remember(OLD, source=ahead)).rid
    process.change(rid, statement=NEW)
    assert process.texts("port") == [NEW]


def test_a_correction_may_hold_since_long_ago_or_only_later(process: MemoryProcess) -> None:
    now_ns = process.clock.now_ns()
    rid = live(process.remember(OLD)).rid
    process.clock.sleep(100)
    new = process.change(rid, statement=NEW, valid_from_ns=now_ns + 50 * 10**9)
    assert new.view.valid_from_ns == now_ns + 50 * 10**9
    assert process.texts("port", as_of_ns=now_ns + 49 * 10**9) == [OLD]
    assert process.texts("port", as_of_ns=now_ns + 50 * 10**9)[0].startswith(NEW)


def test_an_id_of_long_ago_is_corrected_as_its_successor(process: MemoryProcess) -> None:
    first = live(process.remember(OLD)).rid
    _later(process)
    second = process.change(first, statement=NEW).view.memory.rid
    _later(process)
    third = process.change(first, statement=THIRD)
    assert third.superseded == second
    assert process.texts("port") == [THIRD]
    assert [entry.statement for entry in process.read(first).history] == [OLD, NEW, THIRD]


def test_a_correction_takes_over_whom_it_is_about_and_how_much_it_matters(
    process: MemoryProcess,
) -> None:
    old = live(process.remember(OLD, subject="Deploys", importance=9, pinned=True, hard=True))
    _later(process)
    new = process.change(old.rid, statement=NEW).view.memory
    assert (new.subject, new.importance, new.pinned, new.hard) == ("Deploys", 9, True, True)
    _later(process)
    lighter = process.change(old.rid, statement=THIRD, importance=2, pinned=False).view.memory
    assert (lighter.importance, lighter.pinned, lighter.hard) == (2, False, True)


def test_a_correction_to_what_was_known_weighs_what_it_says(process: MemoryProcess) -> None:
    old = live(process.remember(OLD, importance=2)).rid
    known = live(process.remember(NEW, importance=9, pinned=True)).rid
    _later(process)
    changed = process.change(old, statement=NEW, importance=3, pinned=False).view.memory
    assert (changed.rid, changed.importance, changed.pinned) == (known, 3, False)
    assert process.texts("port") == [NEW]


def test_the_same_in_other_words_stays_one_memory(process: MemoryProcess) -> None:
    rid = live(process.remember(OLD, importance=9)).rid
    changed = process.change(rid, statement=OLD.upper(), pinned=True, importance=3, valid_from_ns=5)
    assert changed.superseded is None
    memory = changed.view.memory
    assert (memory.rid, memory.statement) == (rid, OLD.upper())
    assert (memory.pinned, memory.importance, memory.valid_from_ns) == (True, 3, 5)
    assert process.texts("port")[0].startswith(OLD.upper())


def test_another_spec_of_a_name_is_in_the_history_and_older_words_do_not_undo_it(
    world: World, process: MemoryProcess
) -> None:
    rid = live(process.remember(kind="pattern", spec=STEPS, source="one")).rid
    before_ns = _later(process)
    _later(process)
    process.change(rid, spec=OTHERS, pinned=True)
    late = memory_process(world)
    late.clock = type(world.clock)(before_ns)
    late.remember(kind="pattern", spec={"name": "Deploy", "steps": ["late"]}, source="late")
    memory = stored_memory(world, rid)
    assert memory.spec is not None
    assert (memory.spec.to_json(), memory.pinned) == (OTHERS, True)
    said = [one.spec.steps if one.spec else () for one in process.read(rid).history]
    assert sorted(said) == [("late",), ("one",), ("two",)]
    assert said[-1] == ("two",)


@pytest.mark.parametrize(
    ("field", "patch"),
    [
        ("statement", {"statement": " "}),
        ("statement", {"statement": "..."}),
        ("spec", {"statement": "x", "spec": {"steps": ["a"]}}),
        ("spec", {"spec": {"steps": ["a"]}}),
        ("importance", {"importance": 11}),
        ("importance", {"statement": NEW, "importance": -1}),
        ("valid_from", {"valid_from_ns": LAST_NS + 1}),
        ("valid_from", {"valid_from_ns": FIRST_NS - 1}),
        ("valid_from", {"statement": NEW, "valid_from_ns": LAST_NS + 1}),
    ],
)
def test_a_wrong_field_is_refused_and_nothing_changes(
    world: World, process: MemoryProcess, field: str, patch: dict[str, Any]
) -> None:
    rid = live(process.remember(OLD)).rid
    before = world.data.list("m/")
    with pytest.raises(InvalidRequestError) as caught:
        process.change(rid, **patch)
    assert caught.value.field == field
    assert world.data.list("m/") == before


def test_a_memory_in_the_far_future_or_past_hides_no_other(process: MemoryProcess) -> None:
    process.remember("The sun is out.", valid_from_ns=LAST_NS)
    process.remember("The sun is on.", valid_from_ns=FIRST_NS)
    process.remember("The sun is up.")
    assert len(process.texts("sun")) == 3
    assert process.texts("sun", as_of_ns=0)[0].startswith("The sun is on.")


@pytest.mark.parametrize("rid", ["", "x", "0" * 32, "../a"])
def test_an_unknown_id_is_not_there(process: MemoryProcess, rid: str) -> None:
    process.remember(OLD)
    with pytest.raises(NotFoundError):
        process.change(rid, statement=NEW)


def test_only_patterns_have_outcomes(process: MemoryProcess) -> None:
    rid = live(process.remember(OLD)).rid
    with pytest.raises(InvalidRequestError):
        process.outcome(rid, "success", "k")
