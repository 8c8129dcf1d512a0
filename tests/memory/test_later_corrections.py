"""What holds from another time on than that at which it was said."""

import pytest

from everturn.values.timestamps import NANOSECONDS
from scenarios.memory_process import MemoryProcess, live, memory_process
from scenarios.world import World

DAY_NS = 86_400 * NANOSECONDS
OLD, NEW = "The rate is 20.", "The rate is 30."


@pytest.fixture
def process(world: World) -> MemoryProcess:
    return memory_process(world)


def rates(process: MemoryProcess, **asked: object) -> list[str]:
    return [text for text in process.texts("rate", **asked) if "rate" in text]


def test_what_begins_later_hides_nothing_until_then(world: World, process: MemoryProcess) -> None:
    rid = live(process.remember(OLD)).rid
    begins_ns = world.clock.now_ns() + 30 * DAY_NS
    new = process.change(rid, statement=NEW, valid_from_ns=begins_ns).view.memory.rid
    other = memory_process(world)
    for one in (process, other):
        assert rates(one) == [OLD]
        assert [view.memory.rid for view in one.page().views] == [rid]
    world.clock.sleep(31 * 86_400)
    for one in (process, other):
        assert [text.partition(" (since")[0] for text in rates(one)] == [NEW]
        assert [view.memory.rid for view in one.page().views] == [new]
        assert rates(one, as_of_ns=begins_ns - 1) == [OLD]


def test_what_was_to_begin_later_and_was_forgotten_leaves_what_holds(
    world: World, process: MemoryProcess
) -> None:
    rid = live(process.remember(OLD)).rid
    begins_ns = world.clock.now_ns() + 30 * DAY_NS
    new = process.change(rid, statement=NEW, valid_from_ns=begins_ns).view.memory.rid
    process.forget(new)
    assert rates(process) == [OLD]


@pytest.mark.parametrize("days", [-30, 30])
def test_when_a_correction_begins_can_be_corrected(
    world: World, process: MemoryProcess, days: int
) -> None:
    rid = live(process.remember(OLD)).rid
    world.clock.sleep(60 * 86_400)
    said_ns = world.clock.now_ns()
    new = process.change(rid, statement=NEW, valid_from_ns=said_ns).view.memory.rid
    begins_ns = said_ns + days * DAY_NS
    moved = process.change(new, valid_from_ns=begins_ns).view
    assert moved.valid_from_ns == begins_ns
    history = process.read(new).history
    assert [(one.statement, one.until_ns) for one in history] == [(OLD, begins_ns), (NEW, None)]
    assert history[1].since_ns == begins_ns
    assert rates(process) == ([OLD] if days > 0 else [f"{NEW} (since 2026-01-31)"])


def test_what_never_held_is_in_the_history_all_the_same(
    world: World, process: MemoryProcess
) -> None:
    rid = live(process.remember(OLD)).rid
    process.change(rid, statement=NEW, valid_from_ns=world.clock.now_ns() - DAY_NS)
    assert [one.statement for one in process.read(rid).history] == [NEW, OLD]


def test_a_date_that_is_shown_is_that_of_what_holds_now(
    world: World, process: MemoryProcess
) -> None:
    """Said again later it holds since then, not since it held first."""
    rid = live(process.remember(OLD, valid_from_ns=world.clock.now_ns() - 300 * DAY_NS)).rid
    world.clock.sleep(86_400)
    process.change(rid, statement=NEW)
    world.clock.sleep(86_400)
    process.remember(OLD)
    [text] = rates(process)
    assert text == f"{OLD} (since 2026-01-03)"
