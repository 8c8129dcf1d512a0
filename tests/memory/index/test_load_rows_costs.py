"""How many requests it takes to know the rows of all memories."""

from emulation.counting_store import CountingStore
from memory.index.loaded_rows import load
from memory.index.memories_planted import plant
from scenarios.memory_process import MemoryProcess, memory_process
from scenarios.memory_traces import stored_rows
from scenarios.world import World

COUNT = 40


def _counted(world: World) -> tuple[MemoryProcess, CountingStore, CountingStore]:
    data, derived = CountingStore(world.data), CountingStore(world.derived)
    return memory_process(world, data=data, derived=derived), data, derived


def test_warm_it_is_one_list_of_a_thousand(world: World) -> None:
    plant(world, 999)
    process, data, derived = _counted(world)
    load(process)
    data.calls.clear()
    derived.calls.clear()
    load(process)
    assert (data.verbs(), derived.verbs()) == (["list"], [])


def test_after_one_change_it_is_one_get_more(world: World) -> None:
    plant(world, 999)
    process, data, derived = _counted(world)
    load(process)
    memory_process(world).remember("New.")
    data.calls.clear()
    derived.calls.clear()
    load(process)
    assert (data.verbs(), derived.verbs()) == (["list", "get"], [])


def test_cold_it_is_a_list_and_a_get_of_each_store_and_no_write(world: World) -> None:
    plant(world, 999)
    load(memory_process(world))
    process, data, derived = _counted(world)
    load(process)
    assert (data.verbs(), derived.verbs()) == (["list"], ["list", "get"])


def test_an_empty_scope_is_one_list(world: World) -> None:
    process, data, derived = _counted(world)
    assert load(process).rows == {}
    assert (data.verbs(), derived.verbs()) == (["list"], [])


def test_a_few_news_are_not_worth_a_write_and_many_are(world: World) -> None:
    plant(world, COUNT)
    load(memory_process(world))
    process, _, derived = _counted(world)
    load(process)
    for number in range(15):
        process.remember(f"News {number}.")
        load(process)
    assert "overwrite" not in derived.verbs()
    process.remember("One more.")
    load(process)
    assert derived.verbs().count("overwrite") == 1
    assert len(stored_rows(world)) == COUNT + 16
