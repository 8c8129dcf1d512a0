"""What a memory is once a source was taken back."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.memory.model.codec import encode_memory, parse_memory
from everturn.memory.model.draft import SourceDraft
from everturn.memory.model.identity import source_ref
from everturn.memory.model.memory import MAX_WHOLE_SOURCES, Memory
from everturn.memory.model.retraction import without_source, without_turn
from everturn.memory.model.source import Outcome
from memory.model.memories import (
    DAY_NS,
    START_NS,
    fact,
    in_conversation,
    pattern,
    ref_of,
    steps_of,
)

PORT = "The deploy port is 8080."
NAMES = "abcd"


def test_a_source_goes_with_its_quote_its_time_and_its_outcome() -> None:
    memory = fact(PORT, in_conversation("a", 3, 4, "secret"), in_conversation("b", 1, 1, "kept"))
    memory = memory.with_outcome(Outcome(ref_of("a"), "failure", START_NS))
    left = without_source(memory, ref_of("a"))
    assert left is not None
    assert [source.conversation_id for source in left.sources] == ["b"]
    assert (left.count, left.first_seen_ns, left.outcomes) == (1, START_NS + DAY_NS, ())
    assert (left.statement, left.rid) == (memory.statement, memory.rid)
    assert b"secret" not in encode_memory(left)
    assert ref_of("a").encode() not in encode_memory(left)


def test_an_outcome_of_a_conversation_that_said_nothing_else_goes() -> None:
    memory = fact(PORT, in_conversation("a"))
    tried = memory.with_outcome(Outcome(ref_of("b"), "failure", START_NS))
    assert without_source(tried, ref_of("b")) == memory


def test_a_memory_without_another_source_is_gone() -> None:
    assert without_source(fact(PORT, in_conversation("a")), ref_of("a")) is None


@pytest.mark.parametrize("other", [SourceDraft(), SourceDraft(key="k")])
def test_what_the_user_said_himself_outlives_the_conversation(other: SourceDraft) -> None:
    left = without_source(fact(PORT, in_conversation("a"), other), ref_of("a"))
    assert left is not None
    assert left.count == 1


def test_a_source_that_said_it_again_and_again_goes_with_all_its_times() -> None:
    memory = fact(PORT, in_conversation("a"), in_conversation("b"), in_conversation("a"))
    left = without_source(memory, ref_of("a"))
    assert left is not None
    assert left.times_ns == (START_NS + DAY_NS,)


def test_of_very_many_sources_the_oldest_goes_as_well() -> None:
    names = [f"c{number}" for number in range(MAX_WHOLE_SOURCES + 3)]
    memory = fact(PORT, *map(in_conversation, names))
    assert not any(source.conversation_id == "c0" for source in memory.sources)
    left = without_source(memory, ref_of("c0"))
    assert left is not None
    assert left.count == memory.count - 1
    assert ref_of("c0") not in left.refs


@pytest.mark.parametrize("ref", [ref_of("b"), source_ref("key", "a"), source_ref("direct", "")])
def test_a_memory_of_other_sources_stays_as_it_is(ref: str) -> None:
    memory = fact(PORT, in_conversation("a", 1, 1, "quote"))
    assert without_source(memory, ref) is memory
    assert without_turn(memory, ref, 1) is memory


def test_what_was_forgotten_has_no_source_to_lose() -> None:
    forgotten = fact(PORT, in_conversation("a")).forgotten(START_NS)
    assert without_source(forgotten, ref_of("a")) is forgotten


@pytest.mark.parametrize(
    ("said", "gone", "steps"),
    [
        ([("a", "one"), ("b", "two")], "b", ["one"]),
        ([("a", "one"), ("b", "two")], "a", ["two"]),
        ([("a", "one"), ("b", "two"), ("c", "three")], "c", ["two", "one"]),
        ([("a", "one"), ("b", "two"), ("c", "three")], "b", ["three", "one"]),
        ([("a", "one"), ("b", "two"), ("c", "two")], "c", ["two", "one"]),
        ([("a", "one"), ("b", "two"), ("c", "one")], "c", ["two", "one"]),
        ([("a", "one"), ("b", "two"), ("c", "one")], "a", ["one", "two"]),
        ([("a", "one"), ("b", "two"), ("b", "three")], "b", ["one"]),
        ([("a", "one"), ("a", "two"), ("b", "three")], "a", ["three"]),
        ([("a", "one"), ("b", "two"), ("a", "three")], "b", ["three", "one"]),
    ],
)
def test_a_pattern_says_what_the_newest_of_the_other_sources_said(
    said: list[tuple[str, str]], gone: str, steps: list[str]
) -> None:
    """The steps as it is then, and as it was before."""
    left = without_source(pattern(*said), ref_of(gone))
    assert sorted(steps_of(left)[1:]) == sorted(steps[1:])
    assert steps_of(left)[0] == steps[0]


def test_a_pattern_whose_other_sources_left_no_words_is_gone() -> None:
    memory = pattern(("a", "one"), ("b", "two"))
    assert without_source(replace(memory, earlier=()), ref_of("b")) is None


def test_a_pattern_that_the_user_worded_anew_keeps_his_words() -> None:
    """No source is known to have said them."""
    memory, other = pattern(("a", "one"), ("b", "two")), pattern(("x", "mine"))
    left = without_source(replace(memory, spec=other.spec), ref_of("b"))
    assert steps_of(left) == ["mine", "one"]


HISTORIES = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(("one", "two", "three"))), min_size=1
)


@given(HISTORIES, st.permutations(NAMES))
def test_in_whatever_order_sources_go_none_of_their_words_stays(
    said: list[tuple[str, str]], order: list[str]
) -> None:
    """Each word that is shown was said by a conversation that is still there."""
    left: Memory | None = pattern(*said)
    gone: set[str] = set()
    for name in order:
        left = left and without_source(left, ref_of(name))
        gone.add(name)
        alive = {step for id_, step in said if id_ not in gone}
        assert left is None or set(steps_of(left)) <= alive
        assert left is None or parse_memory(encode_memory(left), left.rid) == left
    assert left is None


@given(HISTORIES, st.sampled_from(NAMES))
def test_taking_back_twice_is_taking_back_once(said: list[tuple[str, str]], name: str) -> None:
    once = without_source(pattern(*said), ref_of(name))
    assert once is None or without_source(once, ref_of(name)) is once


@given(HISTORIES, st.sampled_from(NAMES))
def test_what_other_sources_said_last_is_never_lost(said: list[tuple[str, str]], name: str) -> None:
    """As long as one of them said what stood there, or stood there before."""
    left = without_source(pattern(*said), ref_of(name))
    others = [step for id_, step in said if id_ != name]
    assert (left is not None) == bool(others)
