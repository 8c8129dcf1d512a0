"""Rows of memories: what the listing says is true, whatever this process and the index hold."""

from collections.abc import Callable

import pytest

from everturn.adapters.memory_store import MemoryStore
from everturn.errors import AccessDeniedError, UnavailableError
from everturn.memory.index import files, load_rows
from everturn.memory.index.row import MemoryRow, encode_rows
from everturn.ports.object_store import ANY
from everturn.storage.budget import Budget
from everturn.values.keys import Scope, memory_key, memory_rows_prefix
from fakes.faulty_store import Fault, FaultyStore
from fakes.slow_store import SlowStore
from fakes.wrapped_store import RefusingStore
from memory.index.loaded_rows import assert_true, load
from memory.index.memories_planted import plant
from scenarios.memory_process import live, memory_process
from scenarios.memory_traces import stored_rows
from scenarios.world import World

COUNT = 40


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let 10 memories be in one bucket and 24 in buckets of one digit."""
    monkeypatch.setattr(files, "_FEW", 10)
    monkeypatch.setattr(files, "_SOME", 24)


def _bucket_keys(world: World) -> list[str]:
    return list(world.derived.list(memory_rows_prefix(world.scope)).keys)


def test_a_memory_that_another_process_wrote_a_moment_ago_is_there(world: World) -> None:
    plant(world, COUNT)
    warm, writer = memory_process(world), memory_process(world)
    load(warm)
    rid = live(writer.remember("New.")).rid
    assert rid in load(warm).rows
    assert rid in load(memory_process(world)).rows


def test_what_others_changed_deleted_or_forgot_is_as_it_is_now(world: World) -> None:
    rids = plant(world, COUNT)
    warm, other = memory_process(world), memory_process(world)
    load(warm)
    other.change(rids[0], pinned=True)
    other.remember("Planted 7 it is.", source="k")
    other.forget(rids[1])
    world.data.delete(memory_key(world.scope, rids[2]), expect=ANY)
    for process in (warm, memory_process(world)):
        assert_true(world, load(process))


def test_a_deleted_memory_leaves_the_buckets_with_the_next_cold_reader(world: World) -> None:
    """Its terms must not outlive it, whoever deleted the record and how."""
    rids = plant(world, COUNT)
    load(memory_process(world))
    world.data.delete(memory_key(world.scope, rids[0]), expect=ANY)
    for number in range(10):
        memory_process(world).remember(f"News {number}.")
    load(memory_process(world))
    assert rids[0] not in {row.rid for row in stored_rows(world)}


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut": lambda body: body[: len(body) // 2],
    "changed": lambda body: body[:99] + bytes([body[99] ^ 1]) + body[100:],
    "foreign": lambda _: b'{"rows":[]}',
    "of nobody": lambda _: encode_rows([]),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_file_that_is_damaged_or_foreign_is_made_again(world: World, damage: str) -> None:
    plant(world, COUNT)
    load(memory_process(world))
    [key] = _bucket_keys(world)
    good = stored_rows(world)
    world.derived.overwrite(key, DAMAGE[damage](encode_rows(good)))
    assert_true(world, load(memory_process(world)))
    assert stored_rows(world) == good


def test_a_row_that_lies_about_another_version_is_not_believed(world: World) -> None:
    rids = plant(world, COUNT)
    rows = load(memory_process(world)).rows
    lies = [rows[rid]._replace(etag='"other"', terms="ff" * 4) for rid in rids]
    world.derived.overwrite(_bucket_keys(world)[0], encode_rows(lies))
    assert_true(world, load(memory_process(world)))


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("counts", [(10, 20), (20, 10), (10, 60), (60, 20), (20, 60), (60, 10)])
def test_more_or_fewer_memories_are_in_other_buckets(counts: tuple[int, int], world: World) -> None:
    for count in counts:
        rids = plant(world, count)
        listed = world.data.list(f"m/{world.scope.tenant}/{world.scope.actor}/").keys
        for key in set(listed) - {memory_key(world.scope, rid) for rid in rids}:
            world.data.delete(key, expect=ANY)
        for process in (memory_process(world), memory_process(world)):
            assert_true(world, load(process))
    rows = stored_rows(world)
    assert {row.rid for row in rows} <= set(rids)
    assert len(rows) == len({row.rid for row in rows})


@pytest.mark.usefixtures("few")
def test_two_processes_that_differ_in_depth_stay_true(world: World) -> None:
    plant(world, 20)
    first = memory_process(world)
    load(first)
    plant(world, 60)
    second = memory_process(world)
    load(second)
    first.remember("Another.")
    for process in (first, second, memory_process(world)):
        assert_true(world, load(process))


@pytest.mark.parametrize("verb", ["list", "get", "overwrite"])
def test_an_index_that_does_not_answer_costs_time_alone(world: World, verb: str) -> None:
    plant(world, COUNT)
    for _ in range(2):
        derived = FaultyStore(
            world.derived, lambda asked: Fault.UNAVAILABLE if asked == verb else None
        )
        assert_true(world, load(memory_process(world, derived=derived)))
    assert_true(world, load(memory_process(world)))


@pytest.mark.parametrize("verb", ["list", "get"])
def test_a_store_that_does_not_answer_is_told(world: World, verb: str) -> None:
    plant(world, 3)
    data = FaultyStore(world.data, lambda asked: Fault.UNAVAILABLE if asked == verb else None)
    with pytest.raises(UnavailableError):
        load(memory_process(world, data=data))


def test_what_the_store_refuses_is_pending_and_asked_for_again(world: World) -> None:
    """It may be sound, and may hold what somebody looks for."""
    rids = plant(world, COUNT)
    refused = memory_key(world.scope, rids[0])
    process = memory_process(
        world, data=RefusingStore(world.data, "get", refused, AccessDeniedError("403"))
    )
    for _ in range(2):
        loaded = load(process)
        assert (loaded.pending, loaded.unreadable) == (1, frozenset())
        assert len(loaded.rows) == COUNT - 1
    process.data = world.data
    assert_true(world, load(process))


def test_what_is_not_read_in_time_is_read_by_the_next_calls(
    world: World,
) -> None:
    """And nothing that was read is read again."""
    plant(world, 200)

    data = SlowStore(world.data, world.clock, 0.1)
    process = memory_process(world, data=data)
    pending: list[int] = []
    while not pending or pending[-1]:
        pending.append(load(process).pending)
        assert len(pending) < 10
    assert pending == sorted(pending, reverse=True)
    assert len(pending) > 2
    assert data.gets == 200
    assert_true(world, load(process))


def test_the_newest_are_read_first(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load_rows, "_WAVE", 1)
    plant(world, COUNT)
    world.clock.sleep(5)
    rid = live(memory_process(world).remember("New.")).rid
    budgets = iter([False, True])
    monkeypatch.setattr(Budget, "is_over", property(lambda _: next(budgets)))
    loaded = load(memory_process(world))
    assert (list(loaded.rows), loaded.pending) == ([rid], COUNT)


def test_rows_of_another_actor_are_never_taken(world: World) -> None:
    """Not even where both have a memory of one id and one etag."""
    bob = Scope("acme", "bob")
    plant(world, COUNT)
    load(memory_process(world))
    body = encode_rows(stored_rows(world))
    world.derived.overwrite(memory_rows_prefix(bob) + "0", body)
    plant(world, 1, bob)
    assert len(load(memory_process(world, scope=bob)).rows) == 1


def test_a_store_whose_pages_are_short_is_listed_whole(world: World) -> None:
    short = World(data=MemoryStore(world.clock, page_keys=7))
    plant(short, COUNT)
    loaded = load(memory_process(short))
    assert [row.rid for row in loaded.current()] == sorted(loaded.rows)
    assert len(loaded.rows) == COUNT


def test_current_rows_are_what_nothing_came_in_the_place_of(world: World) -> None:
    process = memory_process(world)
    old = live(process.remember("The port is 8080.")).rid
    process.clock.sleep(1)
    new = process.change(old, statement="The port is 9090.").view.memory.rid
    loaded = load(process)

    def rids(rows: list[MemoryRow]) -> list[str]:
        return [row.rid for row in rows]

    assert rids(loaded.current()) == [new]
    assert set(loaded.rows) == {old, new}
