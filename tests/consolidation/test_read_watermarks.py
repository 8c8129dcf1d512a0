"""How watermarks are read: what a file says, and how few requests that takes."""

import pytest

from emulation.counting_store import CountingStore
from everturn.consolidation.read_watermarks import Watermarks
from everturn.conversations.model.watermark import Watermark, parse_watermark
from everturn.errors import CorruptRecordError, UnavailableError
from everturn.memory.index.record_cache import MemoryCache
from everturn.values.keys import head_key, watermark_key
from scenarios.world import World


@pytest.fixture
def store(world: World) -> CountingStore:
    for number in range(3):
        key = watermark_key(world.scope, f"c{number}")
        world.data.overwrite(key, b'{"conversation_id":"c%d","turns":%d}' % (number, number))
    return CountingStore(world.data)


def opened(world: World, store: CountingStore, cache: MemoryCache) -> Watermarks:
    return Watermarks(store=store, scope=world.scope, cache=cache)


def test_each_is_read_once_and_never_where_there_is_none(
    world: World, store: CountingStore
) -> None:
    cache = MemoryCache()
    for number in range(3):
        marks = opened(world, store, cache)
        heads = [head_key(world.scope, id_) for id_ in ("c0", "c1", "c2", "none", "../c1")]
        assert [marks.of(head) for head in heads] == [0, 1, 2, 0, 0]
        assert store.verbs() == ["list", *(["get"] * 3 if number == 0 else [])]
        store.calls.clear()


def test_one_that_moved_is_read_again_and_one_that_went_is_none(
    world: World, store: CountingStore
) -> None:
    cache = MemoryCache()
    head = head_key(world.scope, "c1")
    assert opened(world, store, cache).of(head) == 1
    world.data.overwrite(watermark_key(world.scope, "c1"), b'{"turns":7,"hash":"x"}')
    assert opened(world, store, cache).of(head) == 7
    listed = opened(world, store, cache)
    world.data.overwrite(watermark_key(world.scope, "c1"), b'{"turns":8}')
    assert listed.of(head) == 7


def test_one_that_moved_after_it_was_listed_is_none(world: World, store: CountingStore) -> None:
    cache = MemoryCache()
    listed = opened(world, store, cache)
    moved = Watermark("c1", 9, read_ns=world.clock.now_ns())
    world.data.overwrite(watermark_key(world.scope, "c1"), moved.encode())
    assert listed.of(head_key(world.scope, "c1")) == 0
    assert listed.last_read_ns == moved.read_ns
    again = opened(world, store, cache)
    assert (again.of(head_key(world.scope, "c1")), again.last_read_ns) == (9, moved.read_ns)


def test_when_turns_were_read_last_is_told_by_what_was_read_or_kept(
    world: World, store: CountingStore
) -> None:
    cache, said_ns = MemoryCache(), world.clock.now_ns()
    for number, read_ns in enumerate((0, said_ns + 5, said_ns)):
        mark = Watermark(f"c{number}", 1, read_ns=read_ns)
        world.data.overwrite(watermark_key(world.scope, f"c{number}"), mark.encode())
    for _ in range(2):
        marks = opened(world, store, cache)
        told = [marks.last_read_ns]
        for number in (0, 2, 1):
            marks.of(head_key(world.scope, f"c{number}"))
            told.append(marks.last_read_ns)
        assert told == [None, None, said_ns, said_ns + 5]


def test_one_that_goes_after_it_was_listed_is_none(world: World, store: CountingStore) -> None:
    marks = opened(world, store, MemoryCache())
    key = watermark_key(world.scope, "c1")
    found = world.data.get(key)
    assert found is not None
    world.data.delete_many([key])
    assert marks.of(head_key(world.scope, "c1")) == 0


def test_a_store_that_does_not_answer_is_no_watermark_of_nothing(world: World) -> None:
    class Failing(CountingStore):
        def get(self, *_: object, **__: object) -> None:
            raise UnavailableError("no answer")

    world.data.overwrite(watermark_key(world.scope, "c1"), b'{"turns":1}')
    marks = Watermarks(store=Failing(world.data), scope=world.scope, cache=MemoryCache())
    with pytest.raises(UnavailableError):
        marks.of(head_key(world.scope, "c1"))


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"7", b"{}", b'{"turns":null}', b'{"turns":1.5}', b'{"turns":-1}',
             b'{"turns":true}', b'{"turns":"1"}', b"\xff", b"[" * 100_000],
)  # fmt: skip
def test_what_says_no_number_of_turns_is_no_watermark(body: bytes) -> None:
    with pytest.raises(CorruptRecordError):
        parse_watermark(body)


def test_a_watermark_may_say_more() -> None:
    assert parse_watermark(b'{"conversation_id":"c","turns":12,"hash":"ab"}\n').turns == 12
