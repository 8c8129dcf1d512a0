"""What a sweep does with one head, by its age: only what nobody wrote to meanwhile goes."""

from collections.abc import Callable

import pytest

from everturn.conversations.model.patch import Patch
from everturn.errors import NotFoundError
from everturn.ports.object_store import ABSENT
from everturn.upkeep.sweep_tasks import Swept
from everturn.values.keys import head_key
from fakes.faulty_store import Fault, FaultyStore
from fakes.interleaved_store import InterleavedStore
from scenarios.process import CONVERSATION, SCOPE
from scenarios.world import World
from upkeep.sweep_calls import DAY_S, HOUR_S, heads_there, sweep_call, swept_after
from upkeep.traces import put_traces, traces

MINUTE_S = 60.0


def _half_deleted(world: World) -> None:
    """A delete that put its tombstone and could do nothing more."""
    world.process().append("secret")
    put_traces(world)
    failing = FaultyStore(world.data, lambda verb: Fault.UNAVAILABLE if verb == "list" else None)
    assert not world.process(failing).delete().complete


def test_a_conversation_that_was_created_and_never_used_goes_after_a_day(world: World) -> None:
    world.process().create(title="planned", folder="f", metadata={"k": "v"})
    assert swept_after(world, DAY_S - HOUR_S).empty == 0
    assert swept_after(world, HOUR_S).empty == 1
    assert heads_there(world) == []
    assert world.process().append("a").first_turn == 0


def test_a_change_makes_it_young_again(world: World) -> None:
    world.process().create()
    world.clock.sleep(DAY_S - HOUR_S)
    world.process().patch(Patch(title="t"))
    assert swept_after(world, 2 * HOUR_S).empty == 0
    assert swept_after(world, DAY_S).empty == 1


def test_one_that_has_turns_stays(world: World) -> None:
    world.process().append("a")
    assert swept_after(world, 400 * DAY_S) == Swept(heads_read=1)


def test_an_append_that_comes_between_reading_and_removing_wins(world: World) -> None:
    world.process().create()
    world.clock.sleep(2 * DAY_S)
    store = InterleavedStore(
        world.data, before={("delete", 1): lambda: world.process().append("a")}
    )
    outcome = sweep_call(world, data=store)
    assert (outcome.complete, outcome.swept.empty) == (True, 0)
    assert world.texts() == ["a"]


def test_an_append_that_comes_between_listing_and_reading_wins(world: World) -> None:
    world.process().create()
    world.clock.sleep(2 * DAY_S)
    store = InterleavedStore(world.data, before={("get", 1): lambda: world.process().append("a")})
    assert sweep_call(world, data=store).swept == Swept(heads_read=1)
    assert world.texts() == ["a"]


def test_an_empty_one_that_was_used_keeps_what_it_knows_of_late_writers_for_90_days(
    world: World,
) -> None:
    process = world.process()
    process.append("a", to="popped")
    process.pop(expected=1, conversation_id="popped")
    process.append("a", to="anew")
    process.delete("anew")
    process.create("anew")
    assert swept_after(world, 89 * DAY_S).empty == 0
    assert swept_after(world, 2 * DAY_S).empty == 2


def test_an_empty_file_of_another_program_stays(world: World) -> None:
    world.place(b'{"conversation_id":"thread-1","turns":[],"updated":"2020-01-01T00:00:00Z"}')
    assert swept_after(world, 400 * DAY_S) == Swept(heads_read=1)
    assert heads_there(world) == [CONVERSATION]


@pytest.mark.parametrize(
    "body", [b"{", b'{"conversation_id":"other","turns":[],"deleted":{"x":1}}']
)
def test_a_file_that_cannot_be_read_is_left_and_told(world: World, body: bytes) -> None:
    world.place(body)
    assert swept_after(world, 400 * DAY_S) == Swept(heads_read=1, skipped=1)
    assert heads_there(world) == [CONVERSATION]


def test_a_deletion_that_was_left_half_done_is_finished_after_15_minutes(world: World) -> None:
    _half_deleted(world)
    assert swept_after(world, 14 * MINUTE_S).finished == 0
    assert swept_after(world, 2 * MINUTE_S).finished == 1
    assert world.record().head.is_done
    assert traces(world) == []


def test_a_deletion_that_cannot_be_finished_yet_is_due_in_every_pass(world: World) -> None:
    _half_deleted(world)
    world.clock.sleep(HOUR_S)
    for _ in range(3):
        faulty = FaultyStore(
            world.derived, lambda verb: Fault.UNAVAILABLE if verb == "delete_many" else None
        )
        outcome = sweep_call(world, derived=faulty)
        assert (outcome.complete, outcome.swept.failed) == (True, 1)
        world.clock.sleep(HOUR_S)
    assert swept_after(world, 0).finished == 1


def test_a_tombstone_too_large_to_be_told_by_its_size_is_finished_after_a_day(
    world: World,
) -> None:
    names = ",".join(f'"{number:012d}-{number:012d}-{"w" * 16}"' for number in range(2_000))
    world.data.put(
        head_key(SCOPE, CONVERSATION),
        b'{"conversation_id":"thread-1","turns":[],"updated":"2026-01-01T00:00:00Z","deleted":'
        b'{"segs":[' + names.encode() + b'],"turns":2000,"done":false}}',
        expect=ABSENT,
    )
    assert swept_after(world, HOUR_S) == Swept()
    assert swept_after(world, DAY_S).finished == 1


def test_a_tombstone_that_is_done_goes_after_90_days(world: World) -> None:
    world.process().append("a")
    world.process().delete()
    assert swept_after(world, 89 * DAY_S).tombstones == 0
    assert swept_after(world, 2 * DAY_S).tombstones == 1
    assert heads_there(world) == []


def test_a_tombstone_in_whose_place_a_conversation_is_created_stays_that(world: World) -> None:
    world.process().append("a")
    world.process().delete()
    world.clock.sleep(91 * DAY_S)
    store = InterleavedStore(world.data, before={("delete", 1): lambda: world.process().create()})
    assert sweep_call(world, data=store).swept.tombstones == 0
    assert world.record().head.deleted is None


def test_nothing_expires_unless_the_setting_says_so(world: World) -> None:
    world.process().append("a")
    assert swept_after(world, 5_000 * DAY_S).expired == 0
    assert world.texts() == ["a"]


def test_an_idle_conversation_is_deleted_with_all_that_lies_beside_it(world: World) -> None:
    world.process().append("secret")
    put_traces(world)
    assert swept_after(world, 29 * DAY_S, idle_days=30).expired == 0
    assert swept_after(world, 2 * DAY_S, idle_days=30).expired == 1
    assert world.record().head.is_done
    assert traces(world) == []
    with pytest.raises(NotFoundError):
        world.process().read()


def test_a_turn_keeps_a_conversation_from_expiring(world: World) -> None:
    world.process().append("a")
    world.clock.sleep(29 * DAY_S)
    world.process().append("b")
    assert swept_after(world, 29 * DAY_S, idle_days=30).expired == 0
    assert swept_after(world, 2 * DAY_S, idle_days=30).expired == 1


def test_a_shorter_setting_reaches_what_is_older_already(world: World) -> None:
    world.process().append("a")
    assert swept_after(world, 100 * DAY_S).expired == 0
    assert swept_after(world, HOUR_S, idle_days=90).expired == 1


@pytest.mark.parametrize("verb", ["get", "put"])
def test_a_turn_that_comes_while_it_expires_saves_it(world: World, verb: str) -> None:
    world.process().append("a")
    world.clock.sleep(31 * DAY_S)
    append: Callable[[], object] = lambda: world.process().append("b")  # noqa: E731 - a step of a race
    place = ("get", 1) if verb == "get" else ("put", 1)
    store = InterleavedStore(world.data, before={place: append})  # type: ignore[dict-item]  # a literal
    assert sweep_call(world, data=store, idle_days=30).swept.expired == 0
    assert world.texts() == ["a", "b"]


def test_a_file_whose_own_time_is_later_does_not_expire_before(world: World) -> None:
    """Another program's clock, or a restored backup: the later of both times counts."""
    world.place(
        b'{"conversation_id":"thread-1","turns":[{"role":"user","text":"a"}],'
        b'"updated":"2026-06-01T00:00:00Z"}'
    )
    assert swept_after(world, 31 * DAY_S, idle_days=30).expired == 0
