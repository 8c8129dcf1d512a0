"""One source of a memory: when it said so, again and again."""

from hypothesis import given
from hypothesis import strategies as st

from everturn.memory.model.source import Mention, Source, further, parse_source
from memory.model.drawn_memories import sources

REF = "0" * 16
_times = st.lists(st.integers(0, 40), min_size=1, max_size=30)


@given(sources)
def test_a_source_is_read_as_it_was_written(source: Source) -> None:
    assert parse_source(source.to_json()) == source


@given(_times)
def test_the_first_time_and_the_newest_are_kept(times: list[int]) -> None:
    """What was said again and again tells nothing new, and a record must not grow for it."""
    source = Source(REF, times[0])
    for at_ns in times[1:]:
        source = source.again(Source(REF, at_ns))
    first, *others = sorted(set(times))
    assert source.times_ns == (first, *others[-15:])


@given(_times)
def test_of_one_among_very_many_the_first_and_the_last_time_are_kept(times: list[int]) -> None:
    source = Source(REF, times[0])
    for at_ns in times[1:]:
        source = source.again(Source(REF, at_ns))
    left = further(source)
    assert set(left.times_ns) == {min(times), max(times)}


def test_each_time_keeps_its_turns_and_its_quote() -> None:
    """One turn that is taken back must not take along what another said."""
    first = Source(REF, 1, "a", 3, 4, "first", key="k" * 16)
    again = first.again(Source(REF, 2, "a", 9, 9, "second"))
    assert again == Source(REF, 2, "a", 9, 9, "second", earlier=first.mentions)
    assert again.again(first) == again == Source(REF, 2, "a", 9, 9, "second").again(first)


def test_a_source_of_which_nothing_is_left_is_none() -> None:
    source = Source(REF, 1, "a", 3, 4, "first")
    assert source.with_mentions(()) is None
    assert source.with_mentions(source.mentions) == source


@given(st.permutations(range(4)))
def test_each_time_keeps_its_turns_its_quote_and_its_key_in_any_order(order: list[int]) -> None:
    said = [Source(REF, at, "c", at, at + 1, f"q{at}", f"{at}" * 16, f"{at}" * 16) for at in order]
    source = said[0]
    for one in [*said[1:], *said]:
        source = source.again(one)
    assert source.mentions == tuple(
        Mention(at, at, at + 1, f"q{at}", f"{at}" * 16, f"{at}" * 16) for at in range(4)
    )
    assert source.conversation_id == "c"
    assert source.with_mentions(source.mentions[:1]) == said[order.index(0)]
    assert source.with_mentions(()) is None


def test_what_a_source_said_of_a_pattern_is_its_newest_word() -> None:
    old, new = Source(REF, 1, said="a" * 16), Source(REF, 2, said="b" * 16)
    assert old.again(new).said == new.again(old).said == "b" * 16
