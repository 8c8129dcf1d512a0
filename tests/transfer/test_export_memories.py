"""An export carries memories, whole, and what was forgotten without text."""

import json

import pytest

from everturn.memory.model.codec import encode_memory
from everturn.values.keys import Scope, memory_key
from scenarios.memory_process import memory_process
from scenarios.memory_sources import memories, say
from scenarios.process import SCOPE
from scenarios.world import World
from transfer.export_calls import lines_of, page_of, put_document_of, walked
from transfer.memory_lines import PORT, TEA, exported, told


@pytest.fixture
def world() -> World:
    """Return a world of three memories."""
    return told()


def test_memories_come_last_whole_as_they_are_stored(world: World) -> None:
    put_document_of(world, "notes", "k", 1)
    page = page_of(world)
    assert (page.conversations, page.documents, page.memories) == (1, 1, 3)
    assert ["memory" in line for line in lines_of(page)] == [False, False, True, True, True]
    [port] = [line for line in exported(world) if line.get("statement") == PORT]
    assert [source.get("quote") for source in port["sources"]] == ["a quote", None]
    [deploy] = [line for line in exported(world) if line["kind"] == "pattern"]
    assert deploy["earlier"][0]["spec"]["steps"] == ["first"]


def test_what_was_forgotten_has_a_line_without_text_and_what_cannot_be_read_is_named(
    world: World,
) -> None:
    stored = memories(world)
    memory_process(world).forget(stored[TEA].rid)
    world.data.overwrite(memory_key(SCOPE, "0" * 32), b"{")
    world.data.overwrite(memory_key(SCOPE, "1" * 32), encode_memory(stored[PORT]))
    page = page_of(world)
    assert (page.memories, page.skipped) == (3, 2)
    [line] = [line for line in exported(world) if "forgotten" in line]
    assert line["id"] == stored[TEA].rid
    assert "tea" not in json.dumps(line)
    skipped = [line["skipped"] for line in lines_of(page) if "skipped" in line]
    assert skipped == [{"memory": "0" * 32}, {"memory": "1" * 32}]


@pytest.mark.parametrize("limit", range(1, 7))
def test_pages_of_any_limit_say_each_thing_once(world: World, limit: int) -> None:
    put_document_of(world, "notes", "k", 1)
    for number in range(20):
        say(world, f"Number {number}.", None)
    assert walked(world, limit=limit) == walked(world)
    assert len(exported(world)) == 23


def test_another_actor_exports_none_of_them(world: World) -> None:
    assert exported(World(data=world.data, scope=Scope("acme", "bob"))) == []


def test_a_memory_whose_sources_are_gone_has_no_line(world: World) -> None:
    say(world, "Of that conversation alone.")
    world.process().delete()
    assert {line.get("statement") for line in exported(world)} == {PORT, TEA, None}
    assert "gone" not in json.dumps(exported(world))
