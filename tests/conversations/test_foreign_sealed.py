"""Conversations with segments whose head another program wrote: it drops `sealed` and metadata."""

import json
from collections.abc import Callable

import pytest

from emulation.counting_store import CountingStore
from everturn.conversations.model.patch import Patch
from everturn.errors import UnavailableError
from everturn.ports.object_store import ObjectStore
from everturn.values.go_json import dumps
from fakes.interleaved_store import InterleavedStore
from fakes.wrapped_store import Answer, Verb, WrappedStore
from scenarios.process import CONVERSATION
from scenarios.sealed_world import (
    TS,
    fill,
    key_of,
    put_segment,
    remove_segment,
    rewritten_by_go,
    said,
    sealed_of,
    segment,
    segments_there,
    stored_texts,
)
from scenarios.world import World

COUNT = 60
TEXTS = [said(number) for number in range(COUNT)]

pytestmark = pytest.mark.usefixtures("small")


@pytest.fixture(params=[0, 60], ids=["equal times", "a minute apart"])
def long(world: World, request: pytest.FixtureRequest) -> World:
    """Return a world with a conversation of 60 turns in several segments."""
    fill(world.process(), COUNT, seconds=request.param)
    assert len(sealed_of(world).segments) >= 2
    return world


def test_a_head_without_its_segments_is_read_as_a_whole(long: World) -> None:
    rewritten_by_go(long, "from go")
    assert long.record().head.sealed is None

    page = long.process().page(0, limit=1_000)
    assert [turn.text for turn in page.turns] == [*TEXTS, "from go"]
    assert [turn.index for turn in page.turns] == list(range(COUNT + 1))
    assert long.process().read(last=1).turns[0].index == COUNT


def test_its_row_has_the_count_and_the_title_of_the_whole(long: World) -> None:
    rewritten_by_go(long, "from go")
    for _ in range(2):
        (row,) = long.process().list_page().rows
        assert (row.title, row.preview, row.turn_count) == (said(0), "from go", COUNT + 1)


def test_the_next_append_puts_it_right(long: World) -> None:
    named = sealed_of(long).names
    rewritten_by_go(long, "from go")

    outcome = long.process().append("mine")

    assert (outcome.first_turn, outcome.turn_count) == (COUNT + 1, COUNT + 2)
    assert stored_texts(long) == [*TEXTS, "from go", "mine"]
    assert sealed_of(long).names & named
    assert long.stored().meta["v"] == "1"
    store = CountingStore(long.data)
    assert long.process(store).read(last=2).turns[0].text == "from go"
    assert len(store.calls) == 1


def test_every_other_write_puts_it_right_too(long: World) -> None:
    named, there = sealed_of(long).names, segments_there(long)
    rewritten_by_go(long, "from go")
    long.process().patch(Patch(title="new"))
    assert stored_texts(long) == [*TEXTS, "from go"]

    rewritten_by_go(long)
    assert long.process().redact(COUNT).turn_count == COUNT + 1
    assert stored_texts(long) == [*TEXTS, ""]

    rewritten_by_go(long)
    assert long.process().pop(expected=COUNT + 1).turn_count == COUNT
    assert stored_texts(long) == TEXTS

    assert sealed_of(long).names == named
    rewritten_by_go(long)
    receipt = long.process().delete()
    assert (receipt.deleted["turns"], receipt.deleted["segments"]) == (COUNT, len(there))
    assert segments_there(long) == []


@pytest.mark.parametrize("times", [1, 3])
def test_go_may_append_again_and_again(long: World, times: int) -> None:
    said_by_go = [f"go {number}" for number in range(times)]
    for text in said_by_go:
        rewritten_by_go(long, text)
        assert [turn.text for turn in long.process().read().turns][-1] == text
    fill(long.process(), 40, start=COUNT)
    texts = [*TEXTS, *said_by_go, *map(said, range(COUNT, COUNT + 40))]
    assert stored_texts(long) == texts
    assert [turn.text for turn in long.process().read().turns] == texts


def test_a_file_that_go_restored_as_a_whole_stays_whole(long: World) -> None:
    """From a copy of its own: the segments lie there and are not counted twice."""
    turns = [turn.value for turn in long.process().read().turns]
    rewritten_by_go(long, "from go", turns=turns)

    assert [turn.text for turn in long.process().read().turns] == [*TEXTS, "from go"]
    outcome = long.process().append("mine")

    assert outcome.first_turn == COUNT + 1
    assert stored_texts(long) == [*TEXTS, "from go", "mine"]


def test_a_small_file_of_go_costs_one_listing_more(world: World) -> None:
    fill(world.process(), 3)
    rewritten_by_go(world, "from go")
    store = CountingStore(world.data)
    assert len(world.process(store).read().turns) == 4
    assert store.verbs() == ["get", "list"]


def test_a_turn_that_was_redacted_does_not_come_back(long: World) -> None:
    old = sealed_of(long).holding(5, 5)[0].name
    body = segment(long, old).body
    long.process().redact(5)
    # What a crash left behind: the segment with the old text.
    put_segment(long, old, body)
    rewritten_by_go(long, "from go")

    texts = [turn.text for turn in long.process().read().turns]
    assert texts == [*TEXTS[:5], "", *TEXTS[6:], "from go"]


def test_segments_of_lost_attempts_are_not_taken_for_those_that_count(long: World) -> None:
    """They hold the same turns up to another one, or end before a turn that nobody wrote."""
    first = sealed_of(long).segments[0]
    body = json.loads(segment(long, first.name).body)
    shorter = {**body, "turns": body["turns"][:-3], "next": body["turns"][-3]["ts"]}
    name = f"{0:012d}-{first.last - 3:012d}-{'0' * 16}"
    put_segment(long, name, dumps(shorter).encode())
    for letter in "0z":
        twin = f"{0:012d}-{first.last:012d}-{letter * 16}"
        put_segment(long, twin, dumps({**body, "next": TS}).encode())
    rewritten_by_go(long, "from go")

    assert [turn.text for turn in long.process().read().turns] == [*TEXTS, "from go"]


def test_equal_turns_on_both_sides_of_a_segments_end_are_all_there(world: World) -> None:
    for _ in range(40):
        world.process().append("yes", "yes", ts=TS)
    world.process().append("no", ts="2025-05-05T05:05:06Z")
    rewritten_by_go(world, "from go")

    turns = world.process().read().turns
    assert [turn.text for turn in turns] == ["yes"] * 80 + ["no", "from go"]


def test_a_segment_that_goes_while_all_are_read_is_looked_for_again(long: World) -> None:
    orphan = f"{0:012d}-{0:012d}-{'z' * 16}"
    body = json.loads(segment(long, sealed_of(long).segments[0].name).body)
    put_segment(long, orphan, dumps({**body, "turns": body["turns"][:1]}).encode())
    rewritten_by_go(long, "from go")
    store = InterleavedStore(long.data, after={("list", 1): lambda: remove_segment(long, orphan)})

    page = long.process(store).read()

    assert [turn.text for turn in page.turns] == [*TEXTS, "from go"]
    assert store.verbs.count("list") == 2


class _Missing(WrappedStore):
    """A store that lists a segment and never has it."""

    def __init__(self, inner: ObjectStore, key: str) -> None:
        super().__init__(inner)
        self._key = key

    def _request(self, verb: Verb, key: str, send: Callable[[], Answer]) -> Answer:
        if verb == "get" and key == self._key:
            return None  # type: ignore[return-value]  # what a get of an absent key answers
        return send()


def test_segments_that_never_rest_are_an_error_of_the_store_that_passes(long: World) -> None:
    name = sealed_of(long).segments[0].name
    rewritten_by_go(long, "from go")
    with pytest.raises(UnavailableError):
        long.process(_Missing(long.data, key_of(long, name))).read()


def test_the_head_of_another_conversation_beside_it_has_no_part_in_it(long: World) -> None:
    long.process().append("a", to=f"{CONVERSATION}-2")
    assert len(long.process().read(f"{CONVERSATION}-2").turns) == 1
