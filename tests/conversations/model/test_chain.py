"""The sealed part found again after another program dropped what the head said of it."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversations.model.sealed_values import OTHER, OWN, at, encoded, head_of, turn
from everturn.conversations.model.encoded_turns import StoredTurn, redacted
from everturn.conversations.model.head import Record, parse_record
from everturn.conversations.model.reattach import Rejoined, find_chain, rejoin
from everturn.conversations.model.sealing import make_segment
from everturn.conversations.model.turn_identity import Follower, said_turns
from everturn.values.go_json import JsonObject, JsonValue

Folder = dict[str, Record]


def put(
    folder: Folder,
    turns: Sequence[JsonObject],
    first: int,
    end: int,
    *,
    write_id: str = OWN,
    next_ts: str | None = None,
) -> str:
    """Put the segment of turns [first, end) into a folder; its name.

    It is followed by the turn at `end`, or by one that was never written.
    """
    held = turns[first:end]
    stored = [StoredTurn(*pair) for pair in zip(encoded(held), held, strict=True)]
    follower = Follower.of(turns[end] if next_ts is None else turn(-1, "unsaid", ts=next_ts))
    segment = make_segment(head_of([]), first, stored, follower, write_id)
    folder[segment.ref.name] = parse_record(segment.body, name="c1")
    return segment.ref.name


def found(folder: Folder, tail: Sequence[JsonValue]) -> list[str]:
    """Return the names of the chain that is found."""
    chain = find_chain(said_turns(tail), folder)
    return [ref.name for ref in chain.refs] if chain else []


def joined(folder: Folder, tail: Sequence[JsonObject]) -> Rejoined:
    """Return the record of a head with these turns."""
    return rejoin(Record(head_of(tail), tuple(tail)), folder)


def thread(count: int, *, ts: str = "") -> list[JsonObject]:
    return [turn(number, ts=ts) for number in range(count)]


def as_redacted(turns: Sequence[JsonObject], number: int) -> list[JsonObject]:
    value = redacted(turns[number], text="").value
    assert isinstance(value, dict)
    return [*turns[:number], value, *turns[number + 1 :]]


def test_without_segments_a_head_is_whole() -> None:
    assert find_chain(said_turns(thread(3)), {}) is None


def test_segments_that_tile_and_meet_the_head_are_found_with_times_and_title() -> None:
    turns, folder = thread(10), Folder()
    names = [put(folder, turns, 0, 3), put(folder, turns, 3, 4), put(folder, turns, 4, 8)]
    sealed = joined(folder, turns[8:]).record.head.sealed
    assert sealed is not None
    assert [ref.name for ref in sealed.segments] == names
    assert [ref.newest_ns for ref in sealed.segments] == [folder[name].newest_ns for name in names]
    assert (sealed.turns, sealed.title) == (8, "turn 0")


@pytest.mark.parametrize(("first", "end"), [(1, 3), (0, 2)])
def test_segments_with_a_gap_are_none(first: int, end: int) -> None:
    turns, folder = thread(10), Folder()
    put(folder, turns, first, end)
    put(folder, turns, 3, 8)
    assert found(folder, turns[8:]) == []


def test_a_file_that_was_restored_as_a_whole_needs_no_segments() -> None:
    turns, folder = thread(10), Folder()
    put(folder, turns, 0, 4)
    put(folder, turns, 4, 8)
    assert found(folder, turns) == []


@pytest.mark.parametrize("ts", ["", at(0)])
def test_a_whole_file_needs_none_also_where_one_of_its_turns_was_redacted_or_popped(
    ts: str,
) -> None:
    """The segment of a lost attempt holds the old text; it must not come back."""
    turns, folder = thread(12, ts=ts), Folder()
    put(folder, turns, 0, 8)
    assert found(folder, as_redacted(turns, 5)) == []
    assert found(folder, [*turns[:7], turn(99, "said instead", ts=ts)]) == []


def test_turns_of_another_conversation_have_no_chain() -> None:
    turns, folder = thread(10), Folder()
    put(folder, turns, 0, 8)
    assert found(folder, thread(40)[30:]) == []
    assert found(folder, []) == []


@pytest.mark.parametrize("ts", ["", at(0)])
@pytest.mark.parametrize("end", [2, 5, 7, 8, 9])
def test_the_segment_of_an_attempt_that_lost_is_left_out(ts: str, end: int) -> None:
    """Whatever it ends with, and where all times are equal the turns themselves tell."""
    turns, folder = thread(10, ts=ts), Folder()
    put(folder, turns, 0, end, write_id=OTHER)
    won = [put(folder, turns, 0, 5), put(folder, turns, 5, 8)]
    chain = found(folder, turns[8:])
    assert [value for name in chain for value in folder[name].values] == turns[:8]
    # One that ends where another one does holds the same turns.
    assert chain == won or end in {5, 8}


@pytest.mark.parametrize("write_id", ["A" * 16, "z" * 16])
def test_of_twins_the_one_that_meets_the_turns_counts(write_id: str) -> None:
    """A lost attempt sealed the same turns before a turn of its own, which was never written."""
    turns, folder = thread(10), Folder()
    name = put(folder, turns, 0, 8)
    put(folder, turns, 0, 8, write_id=write_id, next_ts=at(77))
    assert found(folder, turns[8:]) == [name]


@pytest.mark.parametrize("write_id", ["A" * 16, "z" * 16])
def test_of_twins_inside_a_chain_the_one_that_meets_the_next_segment_counts(write_id: str) -> None:
    turns, folder = thread(10), Folder()
    names = [put(folder, turns, 0, 4), put(folder, turns, 4, 8)]
    put(folder, turns, 0, 4, write_id=write_id, next_ts=at(77))
    assert found(folder, turns[8:]) == names


@pytest.mark.parametrize("write_id", ["A" * 16, "z" * 16])
@pytest.mark.parametrize("number", [0, 2, 3])
def test_of_twins_the_redacted_one_is_the_later(write_id: str, number: int) -> None:
    turns, folder = thread(10), Folder()
    put(folder, turns, 0, 4)
    rest = put(folder, turns, 4, 8)
    twin = put(folder, as_redacted(turns, number), 0, 4, write_id=write_id)
    assert found(folder, turns[8:]) == [twin, rest]


def test_the_title_is_that_of_the_redacted_twin() -> None:
    turns, folder = thread(10), Folder()
    put(folder, turns, 0, 8)
    put(folder, as_redacted(turns, 0), 0, 8, write_id=OTHER)
    sealed = joined(folder, turns[8:]).record.head.sealed
    assert sealed is not None
    assert sealed.title == "turn 1"


@pytest.mark.parametrize("same", [1, 2, 5])
def test_equal_turns_of_equal_time_on_both_sides_of_an_end_keep_the_chain(same: int) -> None:
    """They are legal: a batch of `yes, yes` may be sealed between the two."""
    turns = [*thread(6), *(turn(6, "yes") for _ in range(2 * same)), turn(7)]
    folder = Folder()
    names = [put(folder, turns, 0, 3), put(folder, turns, 3, 6 + same)]
    assert found(folder, turns[6 + same :]) == names


def test_a_time_that_another_program_wrote_otherwise_is_the_same_time() -> None:
    turns, folder = thread(10), Folder()
    name = put(folder, turns, 0, 8)
    other = {**turns[8], "ts": "2026-03-01T11:00:08.000+01:00"}
    assert found(folder, [other, turns[9]]) == [name]


def test_turns_without_any_time_are_told_by_what_they_say() -> None:
    turns: list[JsonObject] = [{"role": "user", "text": str(number)} for number in range(10)]
    folder = Folder()
    put(folder, turns, 0, 8)
    assert len(found(folder, turns[8:])) == 1
    assert found(folder, turns) == []


def test_turns_that_are_none_do_not_hinder_the_search() -> None:
    turns, folder = thread(10), Folder()
    name = put(folder, turns, 0, 8)
    assert found(folder, [turns[8], 5, None, {"x": 1}]) == [name]
    assert found(folder, [5, turns[8]]) == []


@st.composite
def histories(draw: st.DrawFn) -> tuple[Folder, list[str], list[JsonObject]]:
    """Draw a folder with the segments that count, those of lost attempts, and the head's turns."""
    count = draw(st.integers(2, 24))
    steps = draw(st.lists(st.integers(0, 1), min_size=count, max_size=count))
    times = [at(sum(steps[: number + 1])) for number in range(count)]
    turns = [turn(number, ts=ts) for number, ts in enumerate(times)]
    ends = sorted(draw(st.sets(st.integers(1, count - 1), min_size=1, max_size=4)))
    folder, names = Folder(), list[str]()
    for first, end in zip([0, *ends], ends, strict=False):
        names.append(put(folder, turns, first, end))
    for number in range(draw(st.integers(0, 4))):
        first = draw(st.sampled_from([0, *ends[:-1]]))
        end = draw(st.integers(first + 1, count - 1))
        unsaid = draw(st.booleans())
        next_ts = at(99) if unsaid else None
        put(folder, turns, first, end, write_id=f"{number}" * 16, next_ts=next_ts)
    return folder, names, turns


@given(histories())
def test_whatever_lost_attempts_left_the_turns_are_those_that_were_written(
    history: tuple[Folder, list[str], list[JsonObject]],
) -> None:
    """Segments of lost attempts may stand for the same turns: then it does not matter which."""
    folder, names, turns = history
    first_of_head = folder[names[-1]].head.turn_count + int(names[-1][:12])
    chain = found(folder, turns[first_of_head:])
    values = [value for name in chain for value in folder[name].values]
    assert values == turns[:first_of_head]
    assert found(folder, turns) == []
