"""What a memory is once one turn of a source was taken back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.memory.model.codec import encode_memory, parse_memory
from everturn.memory.model.memory import MAX_WHOLE_SOURCES, Memory
from everturn.memory.model.retraction import without_source, without_turn
from memory.model.memories import (
    DAY_NS,
    START_NS,
    fact,
    in_conversation,
    ref_of,
    steps_of,
    told,
)

PORT = "The deploy port is 8080."


@pytest.mark.parametrize(
    ("first", "last", "number", "outcome"),
    [
        (3, 3, 3, "gone"), (3, 3, 2, "same"), (3, 5, 4, "silent"), (3, 5, 3, "silent"),
        (3, 5, 5, "silent"), (3, 5, 6, "same"), (3, 5, 2, "same"), (None, None, 0, "silent"),
        (0, 0, 0, "gone"),
    ],
)  # fmt: skip
def test_a_turn_takes_what_it_said_alone_and_the_quote_of_what_it_said_with_others(
    first: int | None, last: int | None, number: int, outcome: str
) -> None:
    memory = fact(PORT, in_conversation("a", first, last, "quote"), in_conversation("b"))
    left = without_turn(memory, ref_of("a"), number)
    assert left is not None
    if outcome == "same":
        assert left is memory
    elif outcome == "gone":
        assert left == without_source(memory, ref_of("a"))
    else:
        [source, other] = left.sources
        assert (source.first_turn, source.last_turn, source.quote) == (first, last, "")
        assert other == memory.sources[1]


def test_a_turn_takes_what_it_said_and_leaves_what_other_turns_said() -> None:
    memory = fact(
        PORT,
        in_conversation("a", 1, 1, "first"),
        in_conversation("a", 4, 6, "wide"),
        in_conversation("a", 5, 5, "secret"),
        in_conversation("b", 5, 5, "of another"),
    )
    left = without_turn(memory, ref_of("a"), 5)
    assert left is not None
    [source, other] = left.sources
    said = [(one.first_turn, one.last_turn, one.quote) for one in source.mentions]
    assert said == [(1, 1, "first"), (4, 6, "")]
    assert other == memory.sources[1]
    assert left.times_ns == (START_NS, START_NS + DAY_NS, START_NS + 3 * DAY_NS)
    assert b"secret" not in encode_memory(left)
    assert parse_memory(encode_memory(left), left.rid) == left


def test_sources_stay_in_order_when_the_newest_word_of_one_goes() -> None:
    memory = fact(
        PORT, in_conversation("a", 1, 1), in_conversation("b", 1, 1), in_conversation("a", 2, 2)
    )
    assert [one.conversation_id for one in memory.sources] == ["b", "a"]
    left = without_turn(memory, ref_of("a"), 2)
    assert left is not None
    assert [one.conversation_id for one in left.sources] == ["a", "b"]


@pytest.mark.parametrize(
    ("gone", "steps"),
    [(0, ["two", "kept"]), (1, ["one", "kept"]), (2, ["two", "kept", "one"])],
)
def test_a_turn_takes_what_it_said_of_a_pattern(gone: int, steps: list[str]) -> None:
    memory = told(
        (in_conversation("b", 0, 0), "kept"),
        (in_conversation("a", 0, 0, "one"), "one"),
        (in_conversation("a", 1, 1, "two"), "two"),
    )
    left = without_turn(memory, ref_of("a"), gone)
    assert steps_of(left)[0] == steps[0]
    assert sorted(steps_of(left)) == sorted(steps)
    assert left is memory or steps_of(left) != steps_of(memory)


def test_one_of_very_many_sources_stays_without_its_turns() -> None:
    names = [f"c{number}" for number in range(MAX_WHOLE_SOURCES + 1)]
    memory = fact(PORT, *(in_conversation(name, 1, 1, "quote") for name in names))
    assert without_turn(memory, ref_of("c0"), 1) is memory


def test_a_turn_that_was_the_only_source_takes_the_memory() -> None:
    assert without_turn(fact(PORT, in_conversation("a", 7, 7)), ref_of("a"), 7) is None


SAID_IN_TURNS = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(0, 3), st.sampled_from(("one", "two", "three"))),
    min_size=1,
    max_size=12,
)


@given(SAID_IN_TURNS, st.permutations(range(4)))
def test_in_whatever_order_turns_go_none_of_their_words_stays(
    said: list[tuple[str, int, str]], order: list[int]
) -> None:
    left: Memory | None = told(*((in_conversation(id_, n, n), step) for id_, n, step in said))
    gone: set[int] = set()
    for number in order:
        gone.add(number)
        left = left and without_turn(left, ref_of("a"), number)
        alive = {step for id_, n, step in said if id_ != "a" or n not in gone}
        assert left is None or set(steps_of(left)) <= alive
        assert left is None or parse_memory(encode_memory(left), left.rid) == left
    assert left is None or ref_of("a") not in left.refs
    assert (left is None) == all(id_ == "a" for id_, _, _ in said)
