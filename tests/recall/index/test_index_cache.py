"""What a process keeps between two recalls, within its bounds."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.recall.index.index_cache import IndexCache
from everturn.storage.lru_cache import BoundedCache
from fakes.interleaved_store import InterleavedStore
from scenarios.recall_process import recaller, texts
from scenarios.sealed_world import fill, said
from scenarios.world import World


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 12)), max_size=40))
def test_what_was_used_last_is_kept_within_the_bound(kept: list[tuple[int, int]]) -> None:
    cache: BoundedCache[int] = BoundedCache(20)
    model: dict[int, int] = {}

    for key, size in kept:
        cache.keep(key, size, size)
        model.pop(key, None)
        model[key] = size
        while sum(model.values()) > 20:
            model.pop(next(iter(model)))

        # Asked for in the order of keeping, so that nothing changes its place.
        assert {each: cache.get(each) for each in list(model)} == model
        assert all(cache.get(each) is None for each in range(6) if each not in model)


def test_one_above_the_bound_is_not_kept_and_drives_nothing_out() -> None:
    cache: BoundedCache[str] = BoundedCache(10)
    cache.keep("small", "a", 4)

    cache.keep("huge", "b", 11)

    assert (cache.get("small"), cache.get("huge")) == ("a", None)


def test_one_that_grew_above_the_bound_is_kept_no_more() -> None:
    cache: BoundedCache[str] = BoundedCache(10)
    cache.keep("it", "old", 4)
    cache.keep("it", "new", 11)

    assert cache.get("it") is None


def test_what_is_dropped_gives_its_room_back() -> None:
    cache: BoundedCache[str] = BoundedCache(10)
    cache.keep("a", "a", 9)
    cache.drop("a")
    cache.drop("a")
    cache.keep("b", "b", 9)

    assert (cache.get("a"), cache.get("b")) == (None, "b")


def test_threads_do_not_break_the_count() -> None:
    cache: BoundedCache[int] = BoundedCache(100)

    def work(own: int) -> None:
        for number in range(300):
            cache.keep((own, number % 7), number, 10)
            cache.get((own, number % 5))
            cache.drop((own, number % 3))

    threads = [threading.Thread(target=work, args=(own,)) for own in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert cache._bytes == 10 * len(cache._kept) <= 100


@pytest.mark.parametrize("bound", [0, 10_000])
@pytest.mark.usefixtures("small")
def test_a_process_without_room_still_finds_everything(world: World, bound: int) -> None:
    fill(world.process(), 40)
    store = InterleavedStore(world.data)
    process = recaller(world, data=store)
    process.indexes = IndexCache(index_bytes=bound, segment_bytes=bound)

    for number in (3, 30, 3):
        assert texts(process.recall(said(number)))[0] == said(number)


def test_many_conversations_push_out_the_one_used_longest_ago(world: World) -> None:
    writer, store = world.process(), InterleavedStore(world.derived)
    for to in ("one", "two", "three"):
        writer.append("my port", to=to)
    process = recaller(world, derived=store)
    process.recall("port", to="one")
    size = process.indexes.indexes._bytes
    process.indexes = IndexCache(index_bytes=2 * size + size // 2)
    for to in ("one", "two", "three"):
        process.recall("port", to=to)
    store.verbs.clear()

    process.recall("port", to="three")
    process.recall("port", to="two")
    assert store.verbs == []
    process.recall("port", to="one")
    assert store.verbs == ["get"]
