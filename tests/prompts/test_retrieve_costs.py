"""What a retrieve and a context cost in requests on a quiet store."""

import json

import pytest

from everturn.values.keys import watermark_key
from fakes.fake_embedder import FakeEmbedder
from fakes.interleaved_store import InterleavedStore
from scenarios.memory_process import MemoryProcess, memory_process
from scenarios.process import CONVERSATION, Process
from scenarios.world import World

MEMORIES = 40


class _Costs:
    """A process, and the requests that it makes of each store."""

    def __init__(self, world: World) -> None:
        self.data, self.derived = InterleavedStore(world.data), InterleavedStore(world.derived)
        self.process: MemoryProcess = memory_process(
            world, FakeEmbedder(), data=self.data, derived=self.derived
        )

    def settle(self) -> None:
        """Forget what was asked for until now."""
        self.data.verbs.clear()
        self.derived.verbs.clear()

    def seen(self) -> tuple[list[str], list[str]]:
        """The verbs since then, sorted: two searches ask at once."""
        return sorted(self.data.verbs), sorted(self.derived.verbs)


@pytest.fixture
def writer(world: World) -> Process:
    writer = world.process()
    for number in range(3):
        writer.append(f"The code of {number} is Alpha.", to=f"c{number}")
        body = json.dumps({"conversation_id": f"c{number}", "turns": 0}).encode()
        world.data.overwrite(watermark_key(world.scope, f"c{number}"), body)
    process = memory_process(world)
    for number in range(MEMORIES):
        process.remember(f"The port of service {number} is 80{number:02}.")
    process.retrieve("port")
    return writer


def test_a_warm_retrieve_lists_memories_heads_and_watermarks_and_reads_nothing(
    world: World, writer: Process
) -> None:
    """And of the derived store the cache of the list, which other processes write."""
    del writer
    costs = _Costs(world)
    costs.process.retrieve("port of service 7")
    costs.settle()
    costs.process.retrieve("port of service 7")
    assert costs.seen() == (["list"] * 3, ["get"])


def test_without_turns_a_warm_retrieve_is_one_request(world: World, writer: Process) -> None:
    del writer
    costs = _Costs(world)
    for _ in range(2):
        costs.settle()
        costs.process.retrieve("port of service 7", kinds=("fact",))
    assert costs.seen() == (["list"], [])


def test_a_retrieve_reads_what_changed_and_nothing_else(world: World, writer: Process) -> None:
    costs = _Costs(world)
    costs.process.retrieve("port of service 7")
    memory_process(world).remember("The port of service 99 is 8099.")
    costs.settle()
    costs.process.retrieve("port of service 7", kinds=("fact",))
    assert costs.seen()[0].count("get") == 1
    assert set(costs.seen()[0]) == {"get", "list"}
    writer.append("The code is Bravo.", to="c1")
    costs.settle()
    costs.process.retrieve("code", kinds=("turn",))
    assert costs.seen()[0].count("list") == 3
    assert costs.seen()[0].count("get") <= 3


def test_a_cold_retrieve_reads_buckets_and_not_memories(world: World, writer: Process) -> None:
    """The records of its snippets, and no other; rows and vectors are one file each here."""
    del writer
    costs = _Costs(world)
    costs.process.retrieve("port of service 7", kinds=("fact",), top_k=4)
    data, derived = costs.seen()
    assert data == ["get"] * 16 + ["list"]
    assert derived == ["get", "get", "list", "list"]


def test_a_warm_context_lists_memories_once(world: World, writer: Process) -> None:
    writer.append("We spoke of the port.", "And of the weather.")
    costs = _Costs(world)
    for _ in range(2):
        costs.settle()
        costs.process.context("port of service 7", conversation_id=CONVERSATION, goal="Deploy.")
    data, derived = costs.seen()
    assert data.count("list") == 3
    # The newest turns, then the recall's own look at the head.
    assert data.count("get") == 2
    assert derived == ["get"]


def test_a_warm_pinned_block_is_one_request(world: World, writer: Process) -> None:
    del writer
    memory_process(world).remember("My name is Ada.", subject="user")
    costs = _Costs(world)
    costs.process.pinned()
    costs.settle()
    costs.process.pinned()
    assert costs.seen() == (["list"], [])
