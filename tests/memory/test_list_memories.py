"""Lists of memories: in the order of ids, page by page, each once, nobody else's."""

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulation.counting_store import CountingStore
from everturn.errors import InvalidRequestError, NotFoundError
from everturn.memory import read_memory
from everturn.values.cursors import MemoryCursor
from everturn.values.keys import Scope, memory_key
from memory.index.memories_planted import plant
from scenarios.memory_process import MemoryProcess, live, memory_process
from scenarios.world import World


@pytest.fixture
def process(world: World) -> MemoryProcess:
    return memory_process(world)


def _pages(process: MemoryProcess, **asked: object) -> Iterator[list[str]]:
    cursor: str | None = None
    while True:
        page = process.page(cursor=cursor, **asked)
        yield [view.memory.rid for view in page.views]
        cursor = page.next_cursor
        if cursor is None:
            return


@given(st.integers(0, 7), st.integers(1, 8))
def test_pages_hold_each_memory_once_in_order(count: int, limit: int) -> None:
    world = World()
    rids = plant(world, count)
    pages = list(_pages(memory_process(world), limit=limit))
    assert [rid for page in pages for rid in page] == rids
    assert all(len(page) == limit for page in pages[:-1])


def test_five_thousand_are_listed_in_parts(world: World) -> None:
    rids = plant(world, 5_000)
    counting = CountingStore(world.data)
    process = memory_process(world, data=counting)
    seen = [rid for page in _pages(process, limit=1_000) for rid in page]
    assert seen == rids
    listings = [prefix for verb, prefix in counting.calls if verb == "list"]
    # Pages of evenly spread ids are not all full: a part may need one more.
    assert len(listings) <= 6 * 8
    assert counting.verbs().count("get") <= 5_000 + 10


def test_a_cursor_goes_on_where_the_page_ended_whatever_came_or_went(
    process: MemoryProcess,
) -> None:
    rids = sorted(live(process.remember(f"Note {number}")).rid for number in range(6))
    first = process.page(limit=2)
    process.forget(rids[1])
    process.forget(rids[3])
    rest = process.page(cursor=first.next_cursor)
    assert [view.memory.rid for view in rest.views] == [rids[2], *rids[4:]]


def test_kinds_and_what_was_replaced_are_asked_for(process: MemoryProcess) -> None:
    old = live(process.remember("The port is 8080."))
    process.clock.sleep(1)
    new = process.change(old.rid, statement="The port is 9090.").view.memory
    goal = live(process.remember("Ship it.", "goal"))

    def listed(**asked: object) -> set[str]:
        return {view.memory.rid for view in process.page(**asked).views}

    assert listed() == {new.rid, goal.rid}
    assert listed(kind="goal") == {goal.rid}
    assert listed(kind="fact", superseded=True) == {old.rid, new.rid}
    assert listed(kind="event") == set()


def test_a_page_fits_into_an_answer(
    process: MemoryProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_memory, "_PAGE_BYTES", 4_000)
    for number in range(5):
        process.remember(f"{number} " + "long " * 300)
    pages = list(_pages(process))
    assert [len(page) for page in pages] == [1] * 5


def test_one_that_cannot_be_read_hides_no_other(world: World, process: MemoryProcess) -> None:
    bad, *good = plant(world, 4)
    world.data.overwrite(memory_key(world.scope, bad), b'{"id":')
    for reader in (process, memory_process(world), process):
        page = reader.page()
        assert ([view.memory.rid for view in page.views], page.skipped) == (good, 1)
    assert len(process.texts("planted")) == 3


def test_a_foreign_file_among_them_hides_no_other(world: World, process: MemoryProcess) -> None:
    rids = plant(world, 3)
    for name in ("notes.json", "we ird", "0" * 32, ".hidden.json"):
        world.data.overwrite(f"m/{world.scope.tenant}/{world.scope.actor}/{name}", b"{}")
    for reader in (process, memory_process(world)):
        assert [view.memory.rid for view in reader.page().views] == rids
        assert len(reader.texts("planted")) == 3


@pytest.mark.parametrize("cursor", ["x", "W10", "WzFd", "\u00e9"])
def test_what_is_no_cursor_is_refused(process: MemoryProcess, cursor: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        process.page(cursor=cursor)
    assert caught.value.field == "cursor"


BOB = Scope("acme", "bob")
FOREIGN = "The vault opens with zanzibar."

Look = Callable[[MemoryProcess, str], object]


def _texts_of(process: MemoryProcess) -> Iterator[str]:
    for query in ("", "vault", FOREIGN, "note", "everturn://memory/fact"):
        yield from process.texts(query, top_k=50, min_score=0.0)
        yield process.context(query).text
    yield process.pinned().text
    for superseded in (False, True):
        for cursor in (None, MemoryCursor("").encode(), MemoryCursor("0" * 32).encode()):
            page = process.page(superseded=superseded, cursor=cursor)
            yield from (view.memory.text for view in page.views)


def test_memories_of_another_actor_never_appear(world: World, process: MemoryProcess) -> None:
    """Whatever the query, the id or the cursor, also in one process that serves both."""
    ann = process
    rid = live(ann.remember(FOREIGN, pinned=True, kind="preference", subject="user")).rid
    assert any("zanzibar" in text for text in _texts_of(ann))
    bob = memory_process(world, scope=BOB)
    bob.cache, bob.memory_indexes, bob.indexes = ann.cache, ann.memory_indexes, ann.indexes
    bob.remember("A note of mine.")

    assert not any("zanzibar" in text for text in _texts_of(bob))
    for look in (
        lambda: bob.read(rid),
        lambda: bob.forget(rid),
        lambda: bob.change(rid, pinned=False),
        lambda: bob.change(rid, statement="Mine."),
        lambda: bob.promote(rid),
        lambda: bob.outcome(rid, "success", "k"),
    ):
        with pytest.raises(NotFoundError):
            look()
    assert live(bob.remember(FOREIGN, kind="preference", subject="user")).count == 1
    assert ann.read(rid).view.memory.pinned
