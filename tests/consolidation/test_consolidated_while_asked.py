"""What is consolidated while somebody asks is in the answer: as a turn, as a memory, or as both."""

import json

import pytest

from emulation.counting_store import CountingStore
from everturn.consolidation.read_watermarks import Watermarks
from everturn.memory.index.record_cache import MemoryCache
from everturn.values.keys import head_key, watermark_key
from fakes.nth_request import NthRequest
from scenarios.memory_process import memory_process
from scenarios.process import CONVERSATION
from scenarios.world import World

SAID = "The locker code is MARK-77120431."
QUERY = "what is my locker code"
NTHS = range(1, 15)


def talking() -> World:
    """Return a world where something was said that is not consolidated, and what was before."""
    world = World()
    world.process().append("Hello.", SAID)
    move(world, 1)
    memory_process(world).remember("The port is 8080.")
    return world


def move(world: World, turns: int) -> None:
    """Move the watermark."""
    body = json.dumps({"conversation_id": CONVERSATION, "turns": turns}).encode()
    world.data.overwrite(watermark_key(world.scope, CONVERSATION), body)


def consolidate(world: World) -> None:
    """Make a memory of what was said, then move the watermark, as consolidation does."""
    memory_process(world).remember(SAID)
    move(world, 2)


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("is_warm", [False, True])
@pytest.mark.parametrize("nth", NTHS)
def test_it_is_in_the_answer_whenever_it_happens(nth: int, *, is_warm: bool, after: bool) -> None:
    world = talking()
    process = memory_process(world)
    if is_warm:
        process.retrieve(QUERY)
    process.data = NthRequest(world.data, nth, lambda: consolidate(world), after=after)
    assert any(SAID in text for text in process.texts(QUERY))


def test_so_many_places_are_all_there_are() -> None:
    world = talking()
    store = NthRequest(world.data)
    memory_process(world, data=store).retrieve(QUERY)
    assert 3 < store.count <= max(NTHS)


def test_a_watermark_that_moved_since_it_was_listed_counts_as_none(world: World) -> None:
    move(world, 1)
    cache = MemoryCache()
    marks = Watermarks(store=world.data, scope=world.scope, cache=cache)
    move(world, 2)
    head = head_key(world.scope, CONVERSATION)
    assert marks.of(head) == 0
    store = CountingStore(world.data)
    again = Watermarks(store=store, scope=world.scope, cache=cache)
    assert (again.of(head), again.of(head)) == (2, 2)
    assert store.verbs() == ["list", "get"]


def test_watermarks_are_listed_before_memories(world: World) -> None:
    """One request that nothing else waits beside; without turns there is none."""
    memory_process(world).remember("The port is 8080.")
    for way in ("retrieve", "context"):
        store = CountingStore(world.data)
        getattr(memory_process(world, data=store), way)("port")
        prefixes = [key[:2] for verb, key in store.calls if verb == "list"]
        assert prefixes[0] == "w/"
        assert prefixes.count("w/") == 1
    store = CountingStore(world.data)
    memory_process(world, data=store).retrieve("port", kinds=("fact",))
    assert [verb for verb, key in store.calls if key.startswith("w/")] == []
