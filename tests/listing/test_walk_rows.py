"""A walk over all rows: what it reads, what it shows where the cache and the store differ."""

import pytest

from everturn.conversations.model.head import Head
from everturn.errors import UnavailableError
from everturn.listing.list_conversations import Filters, list_conversations
from everturn.listing.model.cache_root import CacheLimits
from everturn.ports.object_store import ANY
from everturn.values.keys import head_key
from fakes.content_etags import ContentEtags
from fakes.faulty_store import Fault, FaultyStore, scripted
from fakes.interleaved_store import InterleavedStore
from fakes.wrapped_store import WrappedStore
from listing.long_list import NAMES, SHORT, body, files, filled, ids, index_file, opened
from scenarios.process import SCOPE
from scenarios.world import World


@pytest.fixture
def long(world: World) -> World:
    """Twelve conversations, the last one newest, in four runs."""
    return filled(world)


def test_rows_come_newest_first_and_only_the_runs_that_are_looked_at_are_read(long: World) -> None:
    store = InterleavedStore(long.derived)
    with opened(long, derived=store, limits=SHORT) as walk:
        assert ids(walk) == NAMES[::-1]
        assert walk.read == 0
    assert len(store.verbs) == 1 + 1 + 4

    store = InterleavedStore(long.derived)
    page = list_conversations(
        data=long.data, derived=store, clock=long.clock, scope=SCOPE, limit=2, limits=SHORT
    )
    assert [row.conversation_id for row in page.rows] == NAMES[:-3:-1]
    # All twelve spots fit into the first chunk: their four runs are read together.
    assert store.verbs == ["get"] * 6


def test_an_index_and_runs_that_are_lost_cost_all_heads_once(long: World) -> None:
    for key in files(long):
        long.derived.overwrite(key, b"lost")
    with opened(long) as walk:
        assert ids(walk) == ids(walk) == NAMES[::-1]
        assert walk.read == 12


def test_a_lost_run_costs_its_own_heads_once(long: World) -> None:
    index = index_file(long)
    lost = next(name for name in files(long) if name != index)
    long.derived.delete(lost, expect=ANY)
    with opened(long) as walk:
        assert ids(walk) == ids(walk) == NAMES[::-1]
        assert walk.read == 3
    with opened(long) as walk:
        assert ids(walk) == NAMES[::-1]
        assert walk.read == 0


def test_a_file_with_the_content_of_another_is_a_lost_one(long: World) -> None:
    first, second = files(long)[:2]
    long.derived.overwrite(first, body(long, second))
    with opened(long) as walk:
        assert ids(walk) == NAMES[::-1]


def test_an_etag_that_comes_again_brings_back_no_row_twice() -> None:
    """As S3's do: the index knows A, the root knew B, and the file is A again."""
    world = World()
    world.data = ContentEtags(world.clock)
    bodies = {
        text: Head("c00").with_turns(
            [f'{{"role":"user","text":"{text}"}}'.encode()], updated_ns=1
        ).encode()
        for text in "AB"
    }  # fmt: skip
    filled(world)
    for text in "ABA":
        world.place(bodies[text], "c00")
        if text == "A":
            for name in NAMES[1:5]:
                world.process().append("more", to=name)
        with opened(world) as walk:
            assert len(ids(walk)) == 12
    with opened(world) as walk:
        last = [listed.row.title for listed in walk.newest_first()][-1]
        assert (last, walk.read) == ("A", 0)


def test_a_head_that_changes_while_its_run_is_lost_comes_where_it_stood(long: World) -> None:
    index = index_file(long)
    for name in files(long):
        if name != index:
            long.derived.delete(name, expect=ANY)
    other = long.process()
    store = InterleavedStore(long.data, after={("list", 1): lambda: other.append("new", to="c03")})
    page = list_conversations(
        data=store, derived=long.derived, clock=long.clock, scope=SCOPE, limits=SHORT
    )
    shown = [row.conversation_id for row in page.rows]
    assert shown == ["c03", *(name for name in NAMES[::-1] if name != "c03")]


def test_one_that_moved_above_the_cursor_is_for_the_next_walk(long: World) -> None:
    first = list_conversations(
        data=long.data, derived=long.derived, clock=long.clock, scope=SCOPE, limit=4, limits=SHORT
    )
    index = index_file(long)
    for name in files(long):
        if name != index:
            long.derived.delete(name, expect=ANY)
    other = long.process()
    store = InterleavedStore(long.data, after={("list", 1): lambda: other.append("new", to="c03")})
    rest = list_conversations(
        data=store, derived=long.derived, clock=long.clock, scope=SCOPE, limit=20,
        cursor=first.next_cursor, limits=SHORT,
    )  # fmt: skip
    shown = [row.conversation_id for row in rest.rows]
    assert shown == [name for name in NAMES[7::-1] if name != "c03"]


def test_filters_look_at_no_more_rows_than_allowed_and_give_a_cursor(long: World) -> None:
    limits = CacheLimits(whole_rows=4, recent_rows=3, run_rows=3, walked_rows=5)
    cursor, pages = None, []
    for _ in range(3):
        page = list_conversations(
            data=long.data, derived=long.derived, clock=long.clock, scope=SCOPE, cursor=cursor,
            filters=Filters(title_part="c06"), limits=limits,
        )  # fmt: skip
        pages.append([row.conversation_id for row in page.rows])
        cursor = page.next_cursor
    assert (pages, cursor) == ([[], ["c06"], []], None)


class _SlowStore(WrappedStore):
    """Every read takes a second of the clock."""

    def __init__(self, world: World) -> None:
        super().__init__(world.data)
        self._clock = world.clock

    def _request(self, verb, key, send):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        self._clock.sleep(verb == "get")
        return super()._request(verb, key, send)


def test_a_list_of_too_many_new_heads_is_made_in_several_calls(world: World) -> None:
    """It says so, and each call goes on where the last one ended."""
    for number in range(300):
        world.process().append("a", to=f"c{number:03}")
    limits = CacheLimits(whole_rows=4, recent_rows=3, run_rows=50, reading_s=100)
    left = []
    for _ in range(2):
        with (
            pytest.raises(UnavailableError, match="a list is being made") as caught,
            opened(world, data=_SlowStore(world), limits=limits),
        ):
            pass
        left.append(str(caught.value).rpartition("=")[2])
    assert left == ["172", "44"]
    with opened(world, data=_SlowStore(world), limits=limits) as walk:
        assert len(ids(walk)) == 300


def test_the_heads_written_last_are_read_first(world: World) -> None:
    """So that the runs of such a list hold rows that stand together."""
    for number in range(200):
        world.process().append("a", to=f"c{number:03}")
        world.clock.sleep(1)
    limits = CacheLimits(whole_rows=4, recent_rows=3, run_rows=50, reading_s=0)
    store = InterleavedStore(world.data)
    keys: list[str] = []

    def note(verb, key, send):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        if verb == "get":
            keys.append(key)
        return send()

    store._request = note  # type: ignore[method-assign]
    with pytest.raises(UnavailableError), opened(world, data=store, limits=limits):
        pass
    assert sorted(keys) == [head_key(SCOPE, f"c{number:03}") for number in range(72, 200)]


def test_an_index_that_the_store_does_not_give_now_is_not_made_anew(long: World) -> None:
    """Reading all heads would take far longer than asking again."""
    before = files(long)
    store = FaultyStore(long.derived, scripted({("get", 2): Fault.UNAVAILABLE}))
    with pytest.raises(UnavailableError), opened(long, derived=store):
        pass
    assert files(long) == before


def test_a_walk_by_the_newest_turn_puts_a_foreign_head_where_its_turn_is(world: World) -> None:
    filled(world)
    turn = b'{"role":"user","text":"x","ts":"2026-01-01T00:00:05.5Z"}'
    world.place(Head("foreign").with_turns([turn], updated_ns=5).encode(), "foreign")
    for _ in range(3):
        with opened(world) as walk:
            found = [listed.row.conversation_id for listed in walk.newest_turn_first()]
            assert found == [*NAMES[:5:-1], "foreign", *NAMES[5::-1]]
            assert ids(walk)[-1] == "foreign"
        for name in NAMES[8:]:
            # More than a root holds beside an index: the foreign row goes into it.
            world.process().append("to fold", to=name)
            world.clock.sleep(1)
