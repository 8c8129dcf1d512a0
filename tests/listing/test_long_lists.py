"""What a list of thousands of conversations costs, and that it costs no more."""

from collections import Counter

import pytest

from everturn.adapters.memory_store import MemoryStore
from everturn.adapters.system_clock import ManualClock
from everturn.conversations.model.head import Head
from everturn.listing.list_conversations import ConversationPage, list_conversations
from everturn.listing.model.cache_root import CacheLimits
from everturn.ports.object_store import ABSENT
from everturn.values.keys import head_key, list_cache_key, list_files_prefix
from fakes.interleaved_store import InterleavedStore
from scenarios.process import SCOPE
from scenarios.world import World

COUNT = 6_000
PAGE_KEYS = 500
LIMITS = CacheLimits(whole_rows=500, recent_rows=100, run_rows=500)


class Costs:
    """A list, and the requests that it took by verb."""

    def __init__(self, world: World, limit: int = 50, cursor: str | None = None) -> None:
        data, derived = InterleavedStore(world.data), InterleavedStore(world.derived)
        self.page: ConversationPage = list_conversations(
            data=data, derived=derived, clock=world.clock, scope=SCOPE, limit=limit,
            cursor=cursor, limits=LIMITS,
        )  # fmt: skip
        self.data, self.derived = Counter(data.verbs), Counter(derived.verbs)


@pytest.fixture(scope="module")
def long() -> World:
    clock = ManualClock()
    world = World(clock=clock, data=MemoryStore(clock, page_keys=PAGE_KEYS))
    turn = b'{"role":"user","text":"hello","ts":"2026-01-01T00:00:00Z"}'
    for number in range(COUNT):
        name = f"c{number * 7_919 % COUNT:05}"
        head = Head(name).with_turns([turn], updated_ns=clock.now_ns() + number)
        world.data.put(head_key(SCOPE, name), head.encode(), expect=ABSENT)
    clock.sleep(1)
    Costs(world)
    return world


def test_an_unchanged_list_is_its_pages_and_three_files_of_the_cache(long: World) -> None:
    """Root, index, and the run that holds the page."""
    costs = Costs(long)
    assert len(costs.page.rows) == 50
    assert costs.data == {"list": COUNT // PAGE_KEYS}
    assert costs.derived == {"get": 3}


def test_one_changed_head_is_one_read_and_one_small_write_more(long: World) -> None:
    long.process().append("again", to="c03000")
    costs = Costs(long)
    assert costs.page.rows[0].conversation_id == "c03000"
    assert costs.data == {"list": COUNT // PAGE_KEYS, "get": 1}
    assert costs.derived == {"get": 3, "put": 1}
    assert Costs(long).data == {"list": COUNT // PAGE_KEYS}


def test_a_page_deep_down_costs_what_the_first_one_costs(long: World) -> None:
    cursor = Costs(long, limit=1_000).page.next_cursor
    for _ in range(3):
        cursor = Costs(long, limit=1_000, cursor=cursor).page.next_cursor
    costs = Costs(long, cursor=cursor)
    assert len(costs.page.rows) == 50
    assert (costs.data["get"], costs.derived["get"]) == (0, 3)


def test_changes_all_over_the_list_leave_the_cache_small_and_pages_cheap(long: World) -> None:
    """1,500 appends in 15 lists: each writes the root, or folds it."""
    size = _bytes(long)
    for turn in range(15):
        for number in range(100):
            long.process().append("again", to=f"c{(turn * 401 + number * 61) % COUNT:05}")
            long.clock.sleep(60)
        assert len(Costs(long).page.rows) == 50
    assert _bytes(long) < 3 * size
    assert Costs(long).derived["get"] <= 4


def _bytes(world: World) -> int:
    files = world.derived.list(list_files_prefix(SCOPE)).sizes
    root = world.derived.list(list_cache_key(SCOPE)).sizes
    return sum(files) + sum(root)
