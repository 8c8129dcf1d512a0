"""Making memories of what was found in turns, as often as need be."""

from collections import Counter

import pytest

from consolidation.consolidation_calls import mentions
from consolidation.consolidations import memories
from conversations.model.sealed_values import turn
from emulation.counting_store import CountingStore
from everturn.consolidation.window_step import Applied, apply_findings
from everturn.errors import AccessDeniedError
from everturn.extraction.answers.findings import Extracted
from everturn.memory.model.draft import MemoryDraft, new_memory
from everturn.memory.model.source import FIRST_NS
from everturn.memory.writer import MemoryWriter
from everturn.ports.object_store import ABSENT, ObjectStore
from everturn.values.go_json import JsonValue
from everturn.values.keys import memory_key
from fakes.wrapped_store import RefusingStore
from scenarios.memory_traces import body_at
from scenarios.process import CONVERSATION
from scenarios.world import World

DAY_S = 86_400


def _fact(
    statement: str, number: int = 0, quote: str = "", *, last: int | None = None
) -> Extracted:
    draft = MemoryDraft("fact", statement, provenance="derived")
    return Extracted(draft, number, number if last is None else last, quote or statement)


def _writer(world: World, store: ObjectStore | None = None) -> MemoryWriter:
    return MemoryWriter(store or world.data, world.clock, world.entropy, world.scope)


def _apply(
    world: World,
    *found: Extracted,
    values: dict[int, JsonValue] | None = None,
    store: ObjectStore | None = None,
) -> Applied:
    turns: dict[int, JsonValue] = {n: turn(n, ts="2024-05-24T10:00:00Z") for n in range(9)}
    return apply_findings(
        found,
        writer=_writer(world, store),
        conversation_id=CONVERSATION,
        values=turns if values is None else values,
    )


def test_each_is_created_or_said_once_more(world: World) -> None:
    assert _apply(world, _fact("a"), _fact("b", 1), _fact("A.", 2)) == Applied(2, 1)
    assert mentions(memories(world)["a"]) == [
        (CONVERSATION, 0, 0, "a"),
        (CONVERSATION, 2, 2, "A."),
    ]


def test_a_memory_takes_two_requests_and_one_that_is_known_takes_one(world: World) -> None:
    counting = CountingStore(world.data)
    _apply(world, _fact("a"), store=counting)
    assert Counter(counting.verbs()) == {"get": 1, "put": 1}
    _apply(world, _fact("a"), store=counting)
    assert Counter(counting.verbs()) == {"get": 2, "put": 1}


VALUES: list[JsonValue] = [
    turn(0, ts="2024-05-24T10:00:00Z"),
    turn(0, ts="2031-05-24T10:00:00Z"),
    {"role": "user", "text": "no time"},
    {"role": "user", "text": "no time", "ts": "yesterday"},
    {"role": "user", "text": "no time", "ts": 7},
    "no turn",
    None,
]


@pytest.mark.parametrize("value", VALUES)
def test_applied_again_later_it_changes_nothing(world: World, value: JsonValue) -> None:
    """Whatever the time of its turn is, and however late the second delivery comes."""
    found = (_fact("a"), _fact("b", 0, "other words"))
    assert _apply(world, *found, values={0: value}) == Applied(created=2)
    before = memories(world)
    for _ in range(3):
        world.clock.sleep(DAY_S)
        assert _apply(world, *found, values={0: value}) == Applied()
    assert memories(world) == before


@pytest.mark.parametrize(
    ("ts", "seen_ns"),
    [
        ("2024-05-24T10:00:00Z", 1_716_544_800 * 10**9),
        ("2024-05-24T12:00:00+02:00", 1_716_544_800 * 10**9),
        ("1601-01-01T00:00:00Z", FIRST_NS),
        ("0001-01-01T00:00:00Z", FIRST_NS),
    ],
)
def test_what_a_turn_says_was_said_when_it_was(world: World, ts: str, seen_ns: int) -> None:
    """Before 1678 as early as a memory can be."""
    _apply(world, _fact("a"), values={0: turn(0, ts=ts)})
    assert memories(world)["a"].first_seen_ns == seen_ns


@pytest.mark.parametrize("value", VALUES[1:])
def test_a_turn_ahead_of_the_clock_or_without_a_time_is_said_now(
    world: World, value: JsonValue
) -> None:
    _apply(world, _fact("a"), values={0: value})
    assert memories(world)["a"].first_seen_ns == world.clock.now_ns()


def test_what_was_said_over_several_turns_was_said_in_the_last(world: World) -> None:
    values: dict[int, JsonValue] = {
        3: turn(3, ts="2024-05-24T10:00:00Z"),
        4: turn(4, ts="2024-05-25T10:00:00Z"),
    }
    _apply(world, _fact("a", 3, "a", last=4), values=values)
    assert memories(world)["a"].first_seen_ns == (1_716_544_800 + DAY_S) * 10**9


@pytest.mark.parametrize(
    "refused",
    [
        Extracted(MemoryDraft("wisdom", "a"), 0, 0, "a"),
        Extracted(MemoryDraft("fact", " "), 0, 0, "a"),
        Extracted(MemoryDraft("fact", "..."), 0, 0, "a"),
        Extracted(MemoryDraft("fact", "x" * 4_001), 0, 0, "a"),
        Extracted(MemoryDraft("fact", "a", subject="x" * 201), 0, 0, "a"),
        Extracted(MemoryDraft("fact", "a", importance=11), 0, 0, "a"),
        Extracted(MemoryDraft("fact", "a", spec={"steps": ["b"]}), 0, 0, "a"),
        Extracted(MemoryDraft("pattern"), 0, 0, "a"),
        Extracted(MemoryDraft("pattern", spec={"steps": "b"}), 0, 0, "a"),
        Extracted(MemoryDraft("fact", "a"), 2, 1, "a"),
        Extracted(MemoryDraft("fact", "a"), -1, 1, "a"),
        Extracted(MemoryDraft("fact", "a"), 0, 0, "x" * 2_001),
    ],
)
def test_what_may_be_no_memory_is_refused_and_its_neighbours_are_made(
    world: World, refused: Extracted
) -> None:
    assert _apply(world, _fact("one"), refused, _fact("two")) == Applied(created=2, refused=1)
    assert sorted(memories(world)) == ["one", "two"]


def test_a_file_that_cannot_be_read_is_passed_over_counted_and_left_as_it_is(world: World) -> None:
    key = memory_key(world.scope, new_memory(MemoryDraft("fact", "broken")).rid)
    world.data.put(key, b"{", expect=ABSENT)
    assert _apply(world, _fact("broken"), _fact("two")) == Applied(created=1, refused=1)
    assert body_at(world.data, key) == b"{"


def test_a_store_that_refuses_for_good_says_so(world: World) -> None:
    refusing = RefusingStore(world.data, "put", "m/", AccessDeniedError("403"))
    with pytest.raises(AccessDeniedError):
        _apply(world, _fact("a"), store=refusing)
