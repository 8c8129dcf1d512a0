"""What is behind is counted right, in time, and with few requests; else it is left out."""

from collections.abc import Callable

import pytest

from consolidation.stranded import fail, mark
from emulation.counting_store import CountingStore
from everturn.consolidation.count_backlog import Backlog, count_backlog
from everturn.consolidation.token_quota import TokenUse
from everturn.errors import AccessDeniedError, EverturnError, MisconfiguredError, UnavailableError
from everturn.memory.index.record_cache import MemoryCache
from everturn.ports.object_store import ObjectStore
from everturn.ports.queue import JobQueue
from everturn.values.keys import Scope, quarantine_key
from fakes.listed_queue import ListedQueue
from fakes.wrapped_store import Answer, RefusingStore, Verb, WrappedStore
from scenarios.process import SCOPE
from scenarios.world import World

NOTHING = Backlog(pending=0, pending_turns=0, quarantined=0)


def count(
    world: World,
    *,
    data: ObjectStore | None = None,
    derived: ObjectStore | None = None,
    cache: MemoryCache | None = None,
    queue: JobQueue | None = None,
    daily_tokens: int = 0,
) -> Backlog:
    return count_backlog(
        data=data or world.data,
        derived=derived or world.derived,
        clock=world.clock,
        scope=SCOPE,
        cache=cache or MemoryCache(),
        queue=queue,
        tokens=TokenUse(derived or world.derived, world.clock, SCOPE.tenant, daily_tokens),
    )


class Slow(WrappedStore):
    """Takes its time for whatever begins so."""

    def __init__(self, world: World, prefix: str, seconds: float) -> None:
        super().__init__(world.data)
        self._world, self._prefix, self._seconds = world, prefix, seconds

    def _request(self, verb: Verb, key: str, send: Callable[[], Answer]) -> Answer:
        if key.startswith(self._prefix):
            self._world.clock.sleep(self._seconds)
        return super()._request(verb, key, send)


@pytest.fixture
def talking(world: World) -> World:
    """Five conversations of four turns; of c0 none is read, of c4 all are."""
    for number in range(5):
        world.process().append(*"abcd", to=f"c{number}")
        if number:
            mark(world, f"c{number}", number)
    return world


def test_of_nothing_nothing_is_behind(world: World) -> None:
    assert count(world) == NOTHING


def test_what_is_behind_is_counted_by_conversations_and_turns(talking: World) -> None:
    talking.clock.sleep(7)
    mark(talking, "c1", 2)
    written_ns = talking.clock.now_ns()
    mark(talking, "c9", 3, Scope("acme", "bob"))
    talking.clock.sleep(7)
    mark(talking, "elsewhere", 9, Scope("acme", "bob"))
    found = count(talking)
    assert (found.pending, found.pending_turns) == (4, 4 + 2 + 2 + 1)
    assert (found.last_success_ns, found.is_complete) == (written_ns, True)


def test_a_failure_is_no_success(talking: World) -> None:
    """Though it is written into the watermark: of as many as are read first where time is short."""
    succeeded_ns = talking.clock.now_ns()
    talking.clock.sleep(7)
    for number in range(9):
        talking.process().append("a", to=f"failing{number}")
        fail(talking, f"failing{number}")
    fail(talking, "c4")
    assert count(talking).last_success_ns == succeeded_ns


def test_where_nothing_but_failed_nothing_is_told_of_a_success(world: World) -> None:
    world.process().append("a", to="c0")
    fail(world, "c0")
    assert (count(world).last_success_ns, count(world).pending) == (None, 1)


def test_a_success_is_told_from_eight_watermarks_where_there_is_no_time_for_more(
    world: World,
) -> None:
    for number in range(20):
        mark(world, f"c{number}", 1)
        world.clock.sleep(1)
    error = UnavailableError("no answer")
    data = CountingStore(RefusingStore(world.data, "list", "c/", error))
    found = count(world, data=data)
    assert (found.pending, found.last_success_ns) == (None, world.clock.now_ns() - 10**9)
    read = sorted(key for verb, key in data.calls if verb == "get" and key.startswith("w/"))
    assert read == [f"w/acme/ann/c{number}.json" for number in range(12, 20)]


def test_one_that_says_more_than_there_is_takes_nothing_off(talking: World) -> None:
    for number in range(4):
        mark(talking, f"c{number}", 4)
    mark(talking, "c4", 99)
    assert (count(talking).pending, count(talking).pending_turns) == (0, 0)


def test_quarantined_turns_are_counted_over_pages() -> None:
    world = World(page_keys=3)
    for number in range(8):
        world.data.overwrite(quarantine_key(SCOPE, f"c{number % 2}", number), b"{}")
    world.data.overwrite(quarantine_key(Scope("acme", "ann2"), "c", 0), b"{}")
    assert count(world).quarantined == 8


def test_a_second_look_reads_only_watermarks_that_moved(talking: World) -> None:
    cache = MemoryCache()
    count(talking, cache=cache)
    data = CountingStore(talking.data)
    count(talking, data=data, cache=cache)
    assert sorted(data.calls) == [("list", f"{kind}/acme/ann/") for kind in "cqw"]
    mark(talking, "c1", 2)
    data.calls.clear()
    assert count(talking, data=data, cache=cache).pending_turns == 4 + 2 + 2 + 1
    assert [call for call in data.calls if call[0] == "get"] == [("get", "w/acme/ann/c1.json")]


@pytest.mark.parametrize(("prefix", "seconds"), [("w/acme/ann/c", 1.1), ("c/", 9)])
def test_what_takes_too_long_is_left_out_and_said(
    world: World, prefix: str, seconds: float
) -> None:
    for number in range(300):
        world.process().append("a", to=f"c{number}")
    mark(world, "c299", 1)
    mark(world, "c298", 1)
    found = count(world, data=Slow(world, prefix, 2 * seconds))
    assert (found.pending, found.pending_turns, found.is_complete) == (None, None, False)
    assert found.quarantined == 0
    assert found.last_success_ns is not None


@pytest.mark.parametrize("error", [UnavailableError("503"), AccessDeniedError("403")])
@pytest.mark.parametrize(
    ("verb", "prefix", "lost"),
    [
        ("list", "w/", {"pending", "pending_turns", "last_success_ns"}),
        ("get", "w/", {"pending", "pending_turns", "last_success_ns"}),
        ("list", "c/", {"pending", "pending_turns"}),
        ("list", "q/", {"quarantined"}),
    ],
)
def test_what_a_store_does_not_answer_is_left_out_and_nothing_else(
    talking: World, verb: Verb, prefix: str, lost: set[str], error: EverturnError
) -> None:
    whole = count(talking)
    found = count(talking, data=RefusingStore(talking.data, verb, prefix, error))
    missing = {name for name in ("pending", "pending_turns", "last_success_ns", "quarantined")
               if getattr(found, name) is None}  # fmt: skip
    assert missing == lost
    assert not found.is_complete
    assert {getattr(found, name) for name in lost} == {None}
    assert found.depth == whole.depth is None


@pytest.mark.parametrize("error", [UnavailableError("away"), MisconfiguredError("none")])
def test_a_queue_that_is_away_costs_its_own_numbers_alone(
    talking: World, error: EverturnError
) -> None:
    class Away(ListedQueue):
        def count_dead(self) -> int:
            raise error

    found = count(talking, queue=Away(talking.clock, max_depth=9))
    assert (found.depth, found.in_flight, found.dead) == (0, 0, None)
    assert found.pending == 4
    assert found.is_complete


def test_it_says_whether_the_tokens_of_today_are_used_up(world: World) -> None:
    assert count(world).is_spent is False
    TokenUse(world.derived, world.clock, SCOPE.tenant, 100).add(100)
    assert count(world, daily_tokens=101).is_spent is False
    assert count(world, daily_tokens=100).is_spent is True
    away = RefusingStore(world.derived, "get", "i/", UnavailableError("away"))
    assert count(world, daily_tokens=100, derived=away).is_spent is False
