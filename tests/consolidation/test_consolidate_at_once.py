"""Some workers on one conversation, with models that never say the same: one of them decides."""

from dataclasses import dataclass, replace

import pytest

from consolidation.consolidation_calls import (
    TEXTS,
    assert_nothing_waits,
    mentions,
    places,
    read,
    told,
)
from consolidation.consolidations import PlannedExtractor, mark_of, memories
from consolidation.watched_marks import WatchedMarks
from everturn.adapters.system_clock import SeededEntropy
from everturn.conversations.model.extraction_window import Window
from everturn.errors import EverturnError
from everturn.extraction.answers.findings import Findings
from fakes.nth_request import NthRequest, crash
from fakes.schedule import Call, run_in_order
from scenarios.process import CONVERSATION
from scenarios.world import World

pytestmark = pytest.mark.slow

DATA = [nth for name, nth in places() if name == "data"]


@dataclass
class FickleModel(PlannedExtractor):
    """Says the same of a window in other words each time, as models do; or nothing at all."""

    who: str = ""
    is_silent: bool = False

    def extract(self, window: Window) -> Findings:
        """Say what the turns say, and which of all extractions this is."""
        found = super().extract(window)
        if self.is_silent:
            return replace(found, memories=())
        number = len(self.windows)
        return replace(
            found,
            memories=tuple(
                replace(
                    one, draft=replace(one.draft, statement=f"{self.who} {number}: {one.quote}")
                )
                for one in found.memories
            ),
        )


def _fickle(who: str, *, is_silent: bool = False) -> FickleModel:
    return FickleModel(longest=2, tokens=10, who=who, is_silent=is_silent)


def _assert_one_extraction_each(world: World) -> None:
    """Of each window that both found something in, what one extraction found is remembered."""
    said = [text.split(": ") for text in memories(world)]
    for first in range(0, len(TEXTS), 2):
        window = TEXTS[first : first + 2]
        assert sorted(words for _, words in said if words in window) == sorted(window)
        assert len({who for who, words in said if words in window}) == 1
    for text, memory in memories(world).items():
        number = TEXTS.index(text.split(": ")[1])
        assert mentions(memory) == [(CONVERSATION, number, number, TEXTS[number])]
    assert mark_of(world).turns == len(TEXTS)
    assert_nothing_waits(world)


def _watched() -> tuple[World, WatchedMarks]:
    world = told()
    watched = WatchedMarks(world.data)
    world.data = watched
    return world, watched


def _crashed(world: World, extractor: PlannedExtractor, nth: int) -> None:
    """Let a worker end after so many requests, if it makes as many."""
    try:
        read(world, extractor, data=NthRequest(world.data, nth, crash, after=True))
    except KeyboardInterrupt:
        return


@pytest.mark.parametrize("nth", DATA)
@pytest.mark.parametrize("after", [False, True])
def test_two_workers_decide_once(nth: int, *, after: bool) -> None:
    world, watched = _watched()
    second = _fickle("second")
    store = NthRequest(world.data, nth, lambda: read(world, second), after=after)
    read(world, _fickle("first"), data=store)
    _assert_one_extraction_each(world)
    assert not watched.strays
    assert watched.decisions == 2
    assert [move[1:] for move in watched.moves] == [(0, 2), (2, 4)]
    read(world, _fickle("third"))
    _assert_one_extraction_each(world)


@pytest.mark.parametrize("nth", DATA)
@pytest.mark.parametrize("again", [1, 3, 5, 6, 7, 8, 9, 12, 16])
def test_two_workers_decide_once_wherever_the_second_crashes(nth: int, again: int) -> None:
    world, watched = _watched()
    store = NthRequest(world.data, nth, lambda: _crashed(world, _fickle("second"), again))
    read(world, _fickle("first"), data=store)
    _assert_one_extraction_each(world)
    assert not watched.strays


@pytest.mark.parametrize("nth", DATA)
@pytest.mark.parametrize("later", range(8))
def test_two_workers_decide_once_wherever_the_first_crashes(nth: int, later: int) -> None:
    world, watched = _watched()
    crashing = NthRequest(world.data, nth + later, crash, after=True)
    store = NthRequest(crashing, nth, lambda: read(world, _fickle("second")))
    try:
        read(world, _fickle("first"), data=store)
    except KeyboardInterrupt:
        read(world, _fickle("third"))
    _assert_one_extraction_each(world)
    assert not watched.strays


def _in_drawn_order(world: World, seed: int, **workers: PlannedExtractor) -> None:
    """Run workers at once, their requests in an order that the seed chooses."""
    draw = SeededEntropy(f"order {seed}")
    # Long runs of one worker, and short ones: each worker makes up to 40 requests.
    longest = 1 + seed % 9
    order = [
        name
        for _ in range(60)
        for name in [[*workers][int(draw.share() * len(workers))]] * int(1 + draw.share() * longest)
    ]
    calls = {name: _call(world, extractor) for name, extractor in workers.items()}
    results = run_in_order(world.data, calls, order)
    assert not [one for one in results.values() if isinstance(one, EverturnError)]


def _call(world: World, extractor: PlannedExtractor) -> Call:
    return lambda store: read(world, extractor, data=store)


@pytest.mark.parametrize("seed", range(300))
def test_three_workers_in_any_order_decide_once(seed: int) -> None:
    world, watched = _watched()
    _in_drawn_order(world, seed, A=_fickle("a"), B=_fickle("b"), C=_fickle("c"))
    assert not watched.strays
    assert watched.decisions == 2
    _assert_one_extraction_each(world)


@pytest.mark.parametrize("seed", range(300))
def test_in_any_order_nothing_moves_past_what_somebody_decided(seed: int) -> None:
    """Whoever is first decides: that nothing is worth it, or what is; never a half of it."""
    world, watched = _watched()
    _in_drawn_order(world, seed, A=_fickle("a"), B=_fickle("b", is_silent=True))
    assert not watched.strays
    assert mark_of(world).turns == len(TEXTS)
    assert_nothing_waits(world)
    found = {text.split(": ")[1] for text in memories(world)}
    assert {len(found & {*TEXTS[at : at + 2]}) for at in (0, 2)} <= {0, 2}
