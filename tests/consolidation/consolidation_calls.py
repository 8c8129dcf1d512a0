"""A conversation to consolidate while a test steps in at any request, and what must come of it."""

from collections.abc import Iterator, Sequence
from typing import Final

from consolidation.consolidations import (
    PlannedExtractor,
    mark_of,
    memories,
    run,
    staged,
    staged_from,
)
from everturn.consolidation.outcome import Consolidated
from everturn.memory.model.memory import Memory
from everturn.ports.object_store import ObjectStore
from fakes import nth_request
from scenarios.process import CONVERSATION
from scenarios.sealed_world import everything
from scenarios.world import World

TEXTS: Final = (
    "The zanzibar vault opens at noon.",
    "Dana likes tea.",
    "The port is 8080.",
    "The lisbon office moved to Porto.",
)
"""What the conversation says; the first and the last turn are taken back by some tests."""

_TWO_DAYS_S: Final = 2 * 86_400


def told(texts: Sequence[str] = TEXTS) -> World:
    """Return a world with a conversation that says so, each turn a second after the other."""
    world = World()
    for text in texts:
        world.process().append(text)
        world.clock.sleep(1)
    return world


def planned() -> PlannedExtractor:
    """Return an extractor that reads two turns at once and uses tokens."""
    return PlannedExtractor(longest=2, tokens=10)


def read(
    world: World,
    extractor: PlannedExtractor,
    *,
    data: ObjectStore | None = None,
    derived: ObjectStore | None = None,
) -> Consolidated:
    """Consolidate, with tokens counted."""
    return run(world, extractor, data=data, derived=derived, daily_tokens=10_000)


def places() -> Iterator[tuple[str, int]]:
    """Yield every request of a call that reads the conversation in two windows."""
    world = told()
    return nth_request.places(
        world.data,
        world.derived,
        lambda data, derived: read(world, planned(), data=data, derived=derived),
    )


def mentions(memory: Memory) -> list[tuple[str | None, int | None, int | None, str]]:
    """Return where a memory was said: conversation, turns, and the words."""
    return [
        (source.conversation_id, one.first_turn, one.last_turn, one.quote)
        for source in memory.sources
        for one in source.mentions
    ]


def assert_each_once(world: World, texts: Sequence[str] = TEXTS) -> None:
    """Each turn is a memory that cites it once; all were read, and nothing waits."""
    found = memories(world)
    assert sorted(found) == sorted({*texts} - {""})
    for number, text in enumerate(texts):
        if text:
            assert mentions(found[text]) == [(CONVERSATION, number, number, text)]
            assert found[text].count == 1
    # It stays where it was when the newest turn is taken back.
    assert mark_of(world).turns >= len(texts)
    assert_nothing_waits(world)


def assert_nothing_waits(world: World) -> None:
    """What is staged still is behind the watermark, and goes with the next sweep after a day."""
    turns = mark_of(world).turns
    assert all(staged_from(key) < turns for key in staged(world))
    if staged(world):
        world.clock.sleep(_TWO_DAYS_S)
        world.process().sweep()
        assert not staged(world)


def assert_nowhere(world: World, *words: str) -> None:
    """No object of either store holds one of the words."""
    stored = everything(world).lower()
    for word in words:
        assert word.lower().encode() not in stored, word
