"""What went with a conversation does not come back by a late write, and leaves no trace."""

import pytest

from everturn.adapters.system_clock import ManualClock
from everturn.memory.model.draft import SourceDraft
from everturn.ports.object_store import StoredObject
from everturn.values.keys import memory_key
from fakes.content_etags import ContentEtags
from fakes.faulty_store import Fault, FaultyStore, scripted
from scenarios.memory_process import live, memory_process
from scenarios.memory_sources import index, memories, say, turn
from scenarios.memory_traces import assert_nothing_of, stored_memory, stored_rows
from scenarios.process import CONVERSATION
from scenarios.sealed_world import everything
from scenarios.world import World

SECRET = "The vault opens with zanzibar."
LATE = 10**6
HOUR_S, DAY_S = 3_600, 24 * 3_600


@pytest.fixture
def talking() -> World:
    """Return a world in which a conversation says something; equal bytes have one etag in it."""
    clock = ManualClock()
    world = World(data=ContentEtags(clock), clock=clock)
    world.process().append("the vault opens with zanzibar", "more")
    return world


def _late(world: World) -> FaultyStore:
    """Return a store whose first put lands when it is told to; the second is done."""
    return FaultyStore(world.data, scripted({("put", 1): Fault.DELAYED}), delay=LATE)


def _rid() -> str:
    return live(memory_process(World()).remember(SECRET)).rid


def test_a_first_put_that_lands_after_the_delete_brings_nothing_back(talking: World) -> None:
    store = _late(talking)
    say(talking, SECRET, turn(0, 0, "the vault"), store=store)
    assert talking.process().delete().complete
    store.land_all()
    assert memories(talking) == {}
    assert_nothing_of(talking, _rid(), "zanzibar")


@pytest.mark.parametrize("turns", [turn(0), SourceDraft(CONVERSATION)])
def test_a_reinforcement_that_lands_after_the_delete_brings_nothing_back(
    talking: World, turns: SourceDraft
) -> None:
    """A source that came and went leaves another version, whatever it says."""
    say(talking, SECRET, "other")
    store = _late(talking)
    say(talking, SECRET, turns, store=store)
    assert talking.process().delete().complete
    store.land_all()
    assert [one.conversation_id for one in memories(talking)[SECRET].sources] == ["other"]


def test_one_that_was_said_again_and_deleted_again_stays_gone(talking: World) -> None:
    say(talking, SECRET)
    talking.process().delete()
    talking.process().create()
    store = _late(talking)
    say(talking, SECRET, store=store)
    assert memories(talking)[SECRET].count == 1
    assert talking.process().delete().complete
    store.land_all()
    assert memories(talking) == {}


def test_a_redaction_leaves_the_same(talking: World) -> None:
    store = _late(talking)
    say(talking, SECRET, turn(0, 0, "the vault"), store=store)
    assert talking.process().redact(0).complete
    store.land_all()
    assert memories(talking) == {}
    assert_nothing_of(talking, _rid(), "zanzibar")


def test_what_is_left_says_nothing_and_is_nowhere_to_be_seen(talking: World) -> None:
    say(talking, SECRET, turn(0, 0, "the vault"))
    index(talking)
    talking.process().delete()
    assert stored_memory(talking, _rid()).is_gone
    process = memory_process(talking)
    assert process.page(superseded=True).views == []
    assert process.texts("vault") == []
    assert CONVERSATION.encode() not in _stored(talking)
    assert_nothing_of(talking, _rid(), "zanzibar")


def _stored(world: World) -> bytes:
    stored = world.data.get(memory_key(world.scope, _rid()))
    return stored.body if isinstance(stored, StoredObject) else b""


def test_it_may_be_said_again_by_anybody(talking: World) -> None:
    say(talking, SECRET, turn(0))
    talking.process().delete()
    process = memory_process(talking)
    remembered = process.remember(SECRET, explicit=False)
    assert live(remembered).count == 1
    assert process.texts("vault") == [SECRET]


@pytest.mark.parametrize(("after_s", "left"), [(HOUR_S // 2, True), (2 * HOUR_S, False)])
def test_whoever_looks_again_removes_it_once_no_write_can_be_on_its_way(
    talking: World, after_s: int, *, left: bool
) -> None:
    say(talking, SECRET, turn(0))
    assert talking.process().redact(0).complete
    talking.clock.sleep(after_s)
    assert talking.process().delete().complete
    assert bool(_stored(talking)) is left


def test_the_sweep_removes_it_after_a_day(talking: World) -> None:
    say(talking, SECRET, turn(0))
    index(talking)
    talking.process().delete()
    say(talking, "Another.", "other")
    talking.clock.sleep(DAY_S)
    assert talking.process().sweep().complete
    assert _stored(talking) == b""
    assert set(memories(talking)) == {"Another."}
    memory_process(talking).retrieve("another")
    assert_nothing_of(talking, _rid(), "zanzibar")


def test_a_sweep_keeps_what_was_said_again_since(talking: World) -> None:
    say(talking, SECRET, turn(0))
    talking.process().delete()
    say(talking, SECRET, "other")
    talking.clock.sleep(DAY_S)
    assert talking.process().sweep().complete
    assert [one.conversation_id for one in memories(talking)[SECRET].sources] == ["other"]


def test_an_outcome_goes_with_its_conversation(talking: World) -> None:
    process = memory_process(talking)
    rid = live(process.remember(kind="pattern", spec={"name": "Deploy"}, source="k")).rid
    process.outcome(rid, "failure", SourceDraft(CONVERSATION))
    process.outcome(rid, "success", "k2")
    index(talking)
    before = stored_memory(talking, rid)
    assert talking.process().delete().deleted["memories"] == 0
    after = stored_memory(talking, rid)
    assert [one.status for one in after.outcomes] == ["success"]
    assert after.strength > before.strength
    assert after.count == 1


def test_a_row_names_the_conversations_of_outcomes(talking: World) -> None:
    """Else no delete would find them."""
    process = memory_process(talking)
    rid = live(process.remember(kind="pattern", spec={"name": "Deploy"}, source="k")).rid
    process.outcome(rid, "failure", SourceDraft(CONVERSATION))
    index(talking)
    [row] = stored_rows(talking)
    assert (len(row.sources), row.coverage) == (2, 1)


def test_no_two_writes_have_the_same_bytes(talking: World) -> None:
    """A store's version may be made of them."""
    say(talking, SECRET, "other")
    before = everything(talking)
    say(talking, SECRET, turn(0))
    talking.process().delete()
    assert everything(talking) != before
    assert _stored(talking) not in before
