"""A pass over all scopes: bounded, gone on with, and nothing that is due is missed."""

import pytest

from emulation.counting_store import CountingStore
from emulation.s3_endpoint import fresh_store
from everturn.adapters.aws.s3_clients import S3Clients
from everturn.adapters.memory_store import MemoryStore
from everturn.adapters.system_clock import ManualClock
from everturn.conversations.model.segment_refs import segment_name
from everturn.errors import UnavailableError
from everturn.ports.object_store import ABSENT, StoredObject
from everturn.upkeep.sweep_pass import parse_sweep_pass
from everturn.upkeep.sweep_tasks import Swept
from everturn.values.keys import SWEEP_KEY, Scope, segment_key
from fakes.faulty_store import Fault, FaultyStore, scripted
from fakes.interleaved_store import InterleavedStore
from scenarios.process import CONVERSATION, SCOPE
from scenarios.world import World
from upkeep.sweep_calls import DAY_S, HOUR_S, heads_there, sweep_call, swept_after

HASHED = Scope("tenänt", "user/ann")


def _wide_world(page_keys: int = 4) -> World:
    """Many scopes: each has a conversation never used, one in use, and a deletion half done."""
    world = World(page_keys=page_keys)
    for scope in (SCOPE, HASHED, *(Scope("acme", f"u{n}") for n in range(5))):
        process = world.process(scope=scope)
        process.create("empty")
        process.append("a", to="used")
        process.append("a", to="half")
        failing = FaultyStore(world.data, lambda v: Fault.UNAVAILABLE if v == "list" else None)
        assert not world.process(failing, scope=scope).delete("half").complete
    world.clock.sleep(2 * DAY_S)
    return world


def _state(world: World) -> list[tuple[str, bytes]]:
    found = [(key, world.data.get(key)) for key in _keys(world)]
    return [(key, stored.body) for key, stored in found if isinstance(stored, StoredObject)]


def _keys(world: World) -> list[str]:
    keys: list[str] = []
    page = world.data.list("")
    keys += page.keys
    while page.more:
        page = world.data.list("", start_after=keys[-1])
        keys += page.keys
    return keys


def test_a_pass_sweeps_every_scope_and_leaves_what_is_in_use() -> None:
    world = _wide_world()
    outcome = sweep_call(world)
    assert outcome.complete
    assert outcome.swept == Swept(empty=7, finished=7, heads_read=21)
    assert heads_there(world) == ["half", "used"]
    assert heads_there(world, HASHED) == ["half", "used"]
    assert world.process(scope=HASHED).read("used").record.head.turn_count == 1


@pytest.mark.parametrize("reads", range(1, 30))
def test_a_pass_that_stops_anywhere_is_gone_on_with_to_the_same_end(reads: int) -> None:
    whole, parts = _wide_world(), _wide_world()
    wanted = sweep_call(whole)
    swept, calls = Swept(), 0
    while not (outcome := sweep_call(parts, reads=reads)).complete:
        swept, calls = swept + outcome.swept, calls + 1
        assert calls < 40
    assert swept + outcome.swept == wanted.swept
    assert _state(parts) == _state(whole)


def test_a_call_without_any_time_left_still_does_a_step() -> None:
    world = _wide_world()
    calls = 1
    while not sweep_call(world, seconds=0).complete:
        calls += 1
        assert calls < 20
    assert calls > 2


def test_the_next_pass_opens_only_the_heads_that_came_of_age(world: World) -> None:
    for number in range(20):
        world.process().append("a", to=f"c{number}")
    assert swept_after(world, 2 * DAY_S).heads_read == 20
    world.process().append("b", to="c7")
    assert swept_after(world, HOUR_S).heads_read == 1
    assert swept_after(world, HOUR_S).heads_read == 0
    assert swept_after(world, DAY_S).heads_read == 1
    assert swept_after(world, DAY_S).heads_read == 0


def test_a_pass_of_a_quiet_store_is_its_listings_and_its_own_state(world: World) -> None:
    for number in range(20):
        world.process().append("a", to=f"c{number}")
    swept_after(world, 2 * DAY_S)
    world.clock.sleep(HOUR_S)
    data, derived = CountingStore(world.data), CountingStore(world.derived)
    assert sweep_call(world, data=data, derived=derived).complete
    assert data.calls == [("list", f"{kind}/") for kind in "cscwx"]
    assert derived.verbs() == ["get", "overwrite", "list", "overwrite"]


def test_a_head_that_could_not_be_read_is_due_again(world: World) -> None:
    world.process().create("empty")
    world.clock.sleep(2 * DAY_S)
    faulty = FaultyStore(world.data, scripted({("get", 1): Fault.UNAVAILABLE}))
    outcome = sweep_call(world, data=faulty)
    assert (outcome.complete, outcome.swept.failed) == (True, 1)
    assert swept_after(world, HOUR_S).empty == 1


@pytest.mark.parametrize("fault", [Fault.LOST_REQUEST, Fault.LOST_RESPONSE, Fault.UNAVAILABLE])
def test_a_removal_without_a_clear_answer_is_tried_again(world: World, fault: Fault) -> None:
    world.process().create("empty")
    world.clock.sleep(2 * DAY_S)
    faulty = FaultyStore(world.data, scripted({("delete", 1): fault}))
    assert sweep_call(world, data=faulty).swept.failed == 1
    swept_after(world, HOUR_S)
    assert heads_there(world) == []


def test_a_listing_that_fails_keeps_what_was_done(world: World) -> None:
    for number in range(3):
        world.process().create(f"e{number}")
    world.clock.sleep(2 * DAY_S)
    faulty = FaultyStore(world.data, scripted({("list", 2): Fault.UNAVAILABLE}))
    with pytest.raises(UnavailableError):
        sweep_call(world, data=faulty)
    stored = world.derived.get(SWEEP_KEY)
    assert isinstance(stored, StoredObject)
    assert parse_sweep_pass(stored.body).stage == "segments"
    assert sweep_call(world).complete


@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b'{"stage":"heads"}', b'{"after":7}', b"\xff"])
def test_a_lost_state_only_costs_another_pass(world: World, body: bytes) -> None:
    world.process().create("empty")
    swept_after(world, HOUR_S)
    world.derived.overwrite(SWEEP_KEY, body)
    assert swept_after(world, 2 * DAY_S).empty == 1


def test_what_ages_while_a_pass_goes_on_is_due_in_the_next(world: World) -> None:
    """All of a pass looks at the instant at which it began."""
    world.process().append("a", to="a-used")
    world.clock.sleep(2 * DAY_S)
    world.process().create("z-empty")
    assert not sweep_call(world, reads=1).complete
    world.clock.sleep(2 * DAY_S)
    outcome = sweep_call(world)
    assert (outcome.complete, outcome.swept.empty) == (True, 0)
    assert swept_after(world, 0).empty == 1


def test_ages_are_by_the_clock_of_the_store(world: World) -> None:
    """A process whose own clock is a year ahead removes nothing early."""
    world.process().create("empty")
    ahead = World(data=world.data)
    ahead.derived = world.derived
    ahead.clock.sleep(365 * DAY_S)
    assert sweep_call(ahead).swept == Swept()
    assert heads_there(world) == ["empty"]


@pytest.mark.parametrize(("process_s", "derived_s"), [(0, 26 * HOUR_S), (26 * HOUR_S, 0)])
def test_nothing_is_old_that_only_one_of_two_clocks_takes_for_old(
    world: World, process_s: float, derived_s: float
) -> None:
    """A segment whose head is about to be written survives a derived store that is ahead."""
    process, derived = ManualClock(), ManualClock()
    process.sleep(process_s)
    derived.sleep(derived_s)
    apart = World(data=world.data, clock=process)
    apart.derived = MemoryStore(derived)
    world.process().append("a")
    world.process().create("empty")
    key = segment_key(SCOPE, CONVERSATION, segment_name(0, 0, "w" * 16))
    world.data.put(key, b"{}", expect=ABSENT)
    assert sweep_call(apart).swept == Swept()
    assert world.data.get(key) is not None


def test_objects_that_are_no_heads_are_never_opened(world: World) -> None:
    strange = ["c/acme/ann/x.txt", "c/acme/ann/deep/x.json", "c/x.json", "c/acme/ann/~x.json"]
    for key in strange:
        world.data.put(key, b"{}", expect=ABSENT)
    world.clock.sleep(2 * DAY_S)
    data = InterleavedStore(world.data)
    assert sweep_call(world, data=data).complete
    assert "get" not in data.verbs
    assert sorted(strange) == _keys(world)


def test_an_unclear_write_of_its_state_is_an_error(world: World) -> None:
    derived = FaultyStore(world.derived, scripted({("overwrite", 1): Fault.LOST_REQUEST}))
    with pytest.raises(UnavailableError):
        sweep_call(world, derived=derived)


def test_a_bucket_is_swept_by_its_own_times(moto_clients: S3Clients) -> None:
    """Its times are whole seconds; nothing young goes, and the next pass has nothing to do."""
    store = fresh_store(moto_clients)
    world = World(data=store)
    world.process().create("empty")
    world.process().append("a", to="used")
    for _ in range(2):
        outcome = sweep_call(world, derived=store)
        assert (outcome.complete, outcome.swept) == (True, Swept())
    assert heads_there(world) == ["empty", "used"]
