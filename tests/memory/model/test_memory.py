"""What follows from the sources of a memory.

Counts, strength, times, text, and what is left of it.
"""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.memory.model.draft import MemoryDraft, new_memory
from everturn.memory.model.memory import MAX_EARLIER, MAX_WHOLE_SOURCES, Memory
from everturn.memory.model.source import Outcome, Source
from memory.model.drawn_memories import all_said, live_memories
from memory.model.memories import DAY_NS, START_NS, fact, in_conversation, pattern, ref_of, steps_of

TEA = new_memory(MemoryDraft("fact", "Dana likes tea."))
REFS = [f"{number:016x}" for number in range(40)]

_few = st.lists(
    st.builds(Source, st.sampled_from(REFS[:6]), st.integers(1, 9)), min_size=1, max_size=12
)
_many = st.permutations([Source(ref, number % 7) for number, ref in enumerate(REFS)])


def _sums(memory: Memory) -> tuple[object, ...]:
    whole = {source.ref for source in memory.sources}
    return memory.count, memory.strength, frozenset(memory.refs), memory.starts, whole


@given(_few, st.data())
def test_the_order_in_which_sources_come_makes_no_difference(
    sources: list[Source], data: st.DataObject
) -> None:
    """Writers race, and a replay may come after what it preceded."""
    shuffled = data.draw(st.permutations(sources))
    assert _sums(all_said(sources, TEA)) == _sums(all_said(shuffled, TEA))


@given(_many)
def test_of_many_sources_the_newest_are_whole_in_whatever_order_they_come(
    sources: Sequence[Source],
) -> None:
    memory = all_said(sources, TEA)
    newest = sorted(sources, key=lambda one: (one.at_ns, one.ref))[-MAX_WHOLE_SOURCES:]
    assert list(memory.sources) == newest
    assert (memory.count, len(memory.more)) == (40, 40 - MAX_WHOLE_SOURCES)
    assert set(memory.refs) == set(REFS)


@given(_few)
def test_a_replay_of_any_source_changes_nothing(sources: list[Source]) -> None:
    memory = all_said(sources, TEA)
    assert all_said(sources, memory) == memory


@given(_few)
def test_a_source_counts_once_however_often_it_says_so(sources: list[Source]) -> None:
    memory = all_said(sources, TEA)
    assert memory.count == len({source.ref for source in sources})
    assert memory.first_seen_ns == min(source.at_ns for source in sources)
    assert memory.last_seen_ns == max(source.at_ns for source in sources)
    assert memory.times_ns == tuple(sorted(memory.times_ns))


def test_a_source_that_is_one_of_very_many_counts_once_when_it_comes_again() -> None:
    memory = all_said([Source(ref, at) for at, ref in enumerate(REFS)], TEA)
    assert REFS[0] in memory.refs
    assert REFS[0] not in {source.ref for source in memory.sources}
    again = memory.with_source(Source(REFS[0], 100))
    assert again.count == 40
    assert again.sources[-1].times_ns == (0, 100)


def test_a_source_keeps_each_time_at_which_it_said_so() -> None:
    first, second = Source(REFS[0], 1, "a", 3, 4, "first"), Source(REFS[0], 2, "a", 9, 9, "second")
    [source] = all_said([first, second], TEA).sources
    assert source.mentions == (*first.mentions, *second.mentions)


def test_the_keys_of_requests_and_sources_are_known_also_of_a_forgotten_one() -> None:
    """The same request sent again is told by its key."""
    memory = all_said([Source(REFS[0], 1, key=REFS[7]), Source(REFS[1], 2)], TEA)
    assert memory.keys == memory.forgotten(9).keys == {REFS[0], REFS[1], REFS[7]}


def test_one_that_went_with_its_sources_is_as_if_it_had_never_been() -> None:
    left = all_said([Source(REFS[0], 1)], TEA).gone(9, [REFS[0]])
    assert (left.is_gone, left.is_forgotten, left.text) == (True, True, "")
    assert (left.starts, left.replaces, left.all_refs) == ((), (), (REFS[0],))


@pytest.mark.parametrize(
    ("sources", "outcomes", "strength"),
    [
        (1, "", 0.5), (2, "", 0.6), (3, "", 0.7), (6, "", 1.0), (40, "", 1.0), (1, "s", 0.6),
        (1, "p", 0.5), (1, "f", 0.3), (1, "fff", 0.0), (3, "fs", 0.6), (6, "f", 0.8),
    ],
)  # fmt: skip
def test_strength_grows_with_sources_and_with_how_it_went(
    sources: int, outcomes: str, strength: float
) -> None:
    memory = all_said([Source(ref, 1) for ref in REFS[:sources]], pattern(("z", "step")))
    memory = replace(memory, sources=memory.sources[1:])
    statuses = {"s": "success", "p": "partial", "f": "failure"}
    for ref, letter in zip(REFS, outcomes, strict=False):
        status = statuses[letter]
        memory = memory.with_outcome(Outcome(ref, status, 1))  # type: ignore[arg-type]
    assert memory.count == sources
    assert memory.strength == strength


def test_the_last_word_of_a_source_on_how_it_went_counts() -> None:
    memory = pattern(("a", "step"))
    said = [Outcome(REFS[0], "success", 2), Outcome(REFS[0], "failure", 1)]
    for outcome in [*said, *said]:
        memory = memory.with_outcome(outcome)
    assert memory.outcomes == (said[0],)


def test_a_pattern_is_proven_by_three_sources() -> None:
    assert not pattern(("a", "x"), ("b", "x"), ("a", "x")).is_proven
    assert pattern(("a", "x"), ("b", "x"), ("c", "x")).is_proven
    assert not fact("x", *map(in_conversation, "abcd")).is_proven


def test_steps_of_a_newer_source_take_the_place_of_older_ones() -> None:
    memory = pattern(("a", "one"), ("b", "two"), ("c", "two"), ("d", "three"))
    assert steps_of(memory) == ["three", "one", "two"]
    assert [one.replaced_ns for one in memory.earlier] == [START_NS + DAY_NS, START_NS + 3 * DAY_NS]


def test_steps_of_an_older_source_are_earlier_ones() -> None:
    memory, late = pattern(("a", "one")), pattern(("b", "two"))
    source = replace(late.sources[0], at_ns=START_NS - 1)
    again = memory.reinforced(late, source)
    assert steps_of(again) == ["one", "two"]
    assert again.reinforced(late, source) == again


def test_so_many_earlier_steps_are_kept_the_newest() -> None:
    memory = pattern(*((f"c{number}", f"step {number}") for number in range(MAX_EARLIER + 4)))
    assert steps_of(memory)[:2] == [f"step {MAX_EARLIER + 3}", "step 3"]
    assert len(memory.earlier) == MAX_EARLIER


def test_steps_that_come_back_are_no_earlier_ones_any_more() -> None:
    assert steps_of(pattern(("a", "one"), ("b", "two"), ("c", "one"))) == ["one", "two"]


def test_what_is_said_again_adds_and_takes_nothing_away() -> None:
    first = TEA.with_source(Source(REFS[0], 1))
    again = new_memory(
        MemoryDraft("fact", "dana likes tea", pinned=True, hard=True, valid_from_ns=5)
    )
    stronger = first.reinforced(again, Source(REFS[1], 2))
    kept = stronger.reinforced(TEA, Source(REFS[2], 3))
    assert (kept.pinned, kept.hard, kept.valid_from_ns, kept.count) == (True, True, 5, 3)
    assert kept.statement == "Dana likes tea."


def test_it_weighs_what_was_said_last_of_its_weight() -> None:
    first = TEA.with_source(Source(REFS[0], 1))
    heavy = new_memory(MemoryDraft("fact", "DANA likes tea", importance=9))
    assert first.reinforced(heavy, Source(REFS[1], 2)).importance == TEA.importance
    weighed = first.reinforced(heavy, Source(REFS[1], 2), 2)
    assert weighed.importance == 2
    assert weighed.reinforced(TEA, Source(REFS[2], 3)).importance == 2


def test_a_memory_holds_from_the_time_that_it_names_and_again_from_when_it_is_said_again() -> None:
    memory = replace(all_said([Source(REFS[0], 5), Source(REFS[1], 9)], TEA), valid_from_ns=2)
    assert memory.starts == ((2, 5), (9, 9))
    assert replace(memory, valid_from_ns=None).starts == ((5, 5), (9, 9))


@pytest.mark.parametrize(
    ("subject", "statement", "text"),
    [
        ("", "likes tea", "likes tea"),
        ("user", "likes tea", "likes tea"),
        ("USER ", "likes tea", "likes tea"),
        ("Dana", "likes tea", "Dana: likes tea"),
        ("Dana", "dana likes tea", "dana likes tea"),
        ("Dana", "Danas tea", "Dana: Danas tea"),
        ("Dana Roe", "Roe met Dana", "Roe met Dana"),
    ],
)
def test_whom_it_is_about_comes_first_where_that_is_not_clear(
    subject: str, statement: str, text: str
) -> None:
    assert new_memory(MemoryDraft("fact", statement, subject=subject)).text == text


@given(live_memories, st.integers(1, 9))
def test_of_a_forgotten_memory_its_id_its_times_and_its_edges_are_left(
    memory: Memory, now_ns: int
) -> None:
    left = memory.forgotten(now_ns)
    assert left.is_forgotten
    assert (left.rid, left.kind, left.replaces) == (memory.rid, memory.kind, memory.replaces)
    assert left.times_ns == memory.times_ns
    bare = Memory(
        left.rid, left.kind, valid_from_ns=memory.valid_from_ns, replaces=left.replaces,
        forgotten_ns=now_ns,
        once_said_ns=left.times_ns, once_refs=left.once_refs,
    )  # fmt: skip
    assert left == bare


def test_a_uri_names_kind_and_id() -> None:
    assert TEA.uri == f"everturn://memory/fact/{TEA.rid}"


def test_a_source_is_named_by_a_hash_of_its_conversation() -> None:
    assert fact("x", in_conversation("a")).refs == (ref_of("a"),)
