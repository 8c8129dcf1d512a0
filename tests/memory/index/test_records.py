"""Records of memories are read once, as they are now, and one that is not had costs no other."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from emulation.counting_store import CountingStore
from everturn.errors import AccessDeniedError, UnavailableError
from everturn.memory.index.record_cache import MemoryCache, MemoryRecords, StoredMemory, Unreadable
from everturn.ports.object_store import ANY, ObjectStore
from everturn.values.keys import memory_key
from fakes.faulty_store import Fault, FaultyStore, scripted
from fakes.wrapped_store import Answer, Verb, WrappedStore
from memory.index.memories_planted import plant
from scenarios.memory_process import memory_process
from scenarios.memory_traces import stored_memory
from scenarios.world import World


@contextmanager
def records(
    world: World, store: ObjectStore | None = None, cache: MemoryCache | None = None
) -> Iterator[MemoryRecords]:
    with ThreadPoolExecutor(2) as executor:
        yield MemoryRecords(store or world.data, world.scope, cache or MemoryCache(), executor)


def _etags(world: World) -> dict[str, str]:
    page = world.data.list("m/")
    pairs = zip(page.keys, page.etags, strict=True)
    return {key.rpartition("/")[2].removesuffix(".json"): etag for key, etag in pairs}


def test_what_is_known_at_its_version_is_not_read_again(world: World) -> None:
    plant(world, 5)
    counting, cache = CountingStore(world.data), MemoryCache()
    for _ in range(2):
        with records(world, counting, cache) as read:
            assert set(read.memories(_etags(world))) == set(_etags(world))
    assert counting.verbs() == ["get"] * 5


def test_one_that_changed_is_given_as_it_is_now(world: World) -> None:
    [rid] = plant(world, 1)
    known = _etags(world)
    memory_process(world).change(rid, pinned=True)
    with records(world) as read:
        found = read.read(known)[rid]
    assert found == StoredMemory(stored_memory(world, rid), _etags(world)[rid])


def test_one_that_is_gone_is_none_and_a_forgotten_one_no_memory(world: World) -> None:
    gone, forgotten, kept = plant(world, 3)
    known = _etags(world)
    world.data.delete(memory_key(world.scope, gone), expect=ANY)
    memory_process(world).forget(forgotten)
    with records(world) as read:
        assert read.read(known)[gone] is None
        assert set(read.memories(known)) == {kept}


class Refusing(WrappedStore):
    """Reads nothing at one key."""

    refused = ""

    def _request(self, verb: Verb, key: str, send: Callable[[], Answer]) -> Answer:
        if verb == "get" and key == self.refused:
            raise AccessDeniedError("403")
        return send()


def test_one_that_is_refused_or_corrupt_hides_no_other(world: World) -> None:
    refused, corrupt, kept = plant(world, 3)
    world.data.overwrite(memory_key(world.scope, corrupt), b"{")
    known = _etags(world)
    store = Refusing(world.data)
    store.refused = memory_key(world.scope, refused)
    with records(world, store) as read:
        found = read.read(known)
        assert found[refused] == Unreadable(known[refused], refused=True)
        assert found[corrupt] == Unreadable(known[corrupt])
        assert set(read.memories(known)) == {kept}


def test_a_store_that_does_not_answer_is_told(world: World) -> None:
    plant(world, 3)
    store = FaultyStore(world.data, scripted({("get", 2): Fault.UNAVAILABLE}))
    with records(world, store) as read, pytest.raises(UnavailableError):
        read.read(_etags(world))
