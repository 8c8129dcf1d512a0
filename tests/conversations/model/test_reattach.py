"""A head that another program read before turns were sealed, joined to the segments again."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversations.model.sealed_values import OTHER, OWN, at, encoded, head_of, turn
from everturn.conversations.model.encoded_turns import StoredTurn, redacted, split_run
from everturn.conversations.model.head import Record, parse_record
from everturn.conversations.model.reattach import Rejoined, rejoin
from everturn.conversations.model.sealing import make_segment
from everturn.conversations.model.turn_identity import Follower
from everturn.values.go_json import JsonObject, JsonValue

Folder = dict[str, Record]
GO = turn(500, "from go")


def put(
    folder: Folder, turns: Sequence[JsonObject], first: int, end: int, *, write_id: str = OWN
) -> None:
    """Put the segment of turns [first, end) into a folder."""
    held = turns[first:end]
    stored = [StoredTurn(*pair) for pair in zip(encoded(held), held, strict=True)]
    segment = make_segment(head_of([]), first, stored, Follower.of(turns[end]), write_id)
    folder[segment.ref.name] = parse_record(segment.body, name="c1")


def joined(folder: Folder, tail: Sequence[JsonValue]) -> Rejoined:
    """Return the record of a head with these turns, whatever they are."""
    values: list[JsonObject] = [value for value in tail if isinstance(value, dict)]
    return rejoin(Record(head_of(values), tuple(values)), folder)


def whole(folder: Folder, tail: Sequence[JsonValue]) -> list[JsonValue]:
    """Return all turns of that record, those of its segments first."""
    head, values = (record := joined(folder, tail).record).head, list(record.values)
    assert values
    assert [one.value for one in split_run(head.turns_json)] == values
    refs = head.sealed.segments if head.sealed else ()
    turns = [*(value for ref in refs for value in folder[ref.name].values), *values]
    assert len(turns) == head.turn_count
    return turns


def thread(count: int, *, ts: str = "") -> list[JsonObject]:
    return [turn(number, ts=ts) for number in range(count)]


@pytest.mark.parametrize("ts", ["", at(0)])
@pytest.mark.parametrize(("read_from", "read_to"), [(4, 9), (3, 5), (8, 10), (1, 2), (4, 12)])
def test_turns_that_it_never_saw_come_before_its_own(ts: str, read_from: int, read_to: int) -> None:
    turns, folder = thread(20, ts=ts), Folder()
    for first, end in ((0, 4), (4, 8), (8, 12)):
        put(folder, turns, first, end)
    assert whole(folder, [*turns[read_from:read_to], GO]) == [*turns[:12], GO]


@pytest.mark.parametrize("ts", ["", at(0)])
def test_a_head_of_which_nothing_is_new_adds_nothing(ts: str) -> None:
    turns, folder = thread(20, ts=ts), Folder()
    put(folder, turns, 0, 6)
    assert whole(folder, turns[2:5]) == turns[:6]
    put(folder, turns, 6, 12)
    assert whole(folder, turns[5:8]) == turns[:12]


def test_where_it_goes_on_as_the_segment_says_the_segment_stays_named() -> None:
    turns, folder = thread(20), Folder()
    put(folder, turns, 0, 8)
    record = joined(folder, turns[4:12]).record
    assert record.head.sealed is not None
    assert [*record.values] == turns[8:12]


def test_the_longer_segment_counts_beside_the_one_that_it_took_in() -> None:
    turns, folder = thread(20), Folder()
    put(folder, turns, 0, 4)
    put(folder, turns, 0, 9, write_id=OTHER)
    assert whole(folder, [*turns[4:7], GO]) == [*turns[:9], GO]
    assert whole(folder, turns[9:]) == turns


def test_equal_turns_on_both_sides_of_an_end_are_all_kept() -> None:
    """In a batch of equal times only the turn that followed tells one case from the other."""
    turns = [*thread(3, ts=at(0)), *(turn(0, "yes") for _ in range(6)), turn(7, ts=at(0))]
    folder = Folder()
    put(folder, turns, 0, 6)
    assert whole(folder, [*turns[6:], GO]) == [*turns, GO]


def test_a_turn_that_was_redacted_since_stays_so() -> None:
    turns, folder = thread(20), Folder()
    blank = redacted(turns[6], text="").value
    assert isinstance(blank, dict)
    after = [*turns[:6], blank, *turns[7:]]
    put(folder, after, 0, 10)
    assert whole(folder, [*turns[4:9], GO]) == [*after[:10], GO]


def test_an_older_text_in_the_segment_of_a_lost_attempt_does_not_come_back() -> None:
    """The head has the redacted turn, and goes on as the segment does."""
    turns, folder = thread(20), Folder()
    put(folder, turns, 0, 4)
    put(folder, turns, 0, 10, write_id=OTHER)
    blank = redacted(turns[6], text="").value
    tail = [*turns[4:6], blank, *turns[7:12]]
    assert whole(folder, [*tail, GO]) == [*turns[:4], *tail, GO]


def test_what_it_wrote_and_was_sealed_since_is_said_once() -> None:
    turns = [*thread(8), GO, *(turn(number) for number in range(9, 20))]
    folder = Folder()
    put(folder, turns, 0, 12)
    new = turn(600, "from go again")
    assert whole(folder, [*turns[3:5], GO, new]) == [*turns[:12], new]


def test_a_head_that_begins_with_turn_0_is_whole_and_says_what_it_lacks() -> None:
    turns, folder = thread(60), Folder()
    put(folder, turns, 0, 40)
    found = joined(folder, [*turns[:5], GO])
    assert (found.record.head.sealed, found.is_all) == (None, False)
    assert joined(folder, [*turns, GO]).is_all


@pytest.mark.parametrize("tail", [[], [turn(99)], [turn(0, "other")], [{"role": "user"}]])
def test_a_head_that_meets_none_is_left_as_it_is_and_says_so(tail: list[JsonValue]) -> None:
    turns, folder = thread(12), Folder()
    put(folder, turns, 0, 8)
    found = joined(folder, tail)
    assert ([*found.record.values], found.is_all) == (tail, False)


def test_redacted_turns_of_a_whole_head_are_none_that_it_lacks() -> None:
    turns, folder = thread(12), Folder()
    put(folder, turns, 0, 8)
    blank = [redacted(value, text="").value for value in turns]
    assert joined(folder, [*turns[:7], blank[7], *turns[8:]]).is_all
    assert joined(folder, [blank[0], *turns[1:]]).is_all


@st.composite
def stale_reads(draw: st.DrawFn) -> tuple[Folder, list[JsonObject], list[JsonObject]]:
    """Draw a folder, the turns that the head read long ago held, and all turns that there are."""
    count = draw(st.integers(4, 24))
    steps = draw(st.lists(st.integers(0, 1), min_size=count, max_size=count))
    times = [at(sum(steps[: number + 1])) for number in range(count)]
    turns = [turn(number, ts=ts) for number, ts in enumerate(times)]
    ends = sorted(draw(st.sets(st.integers(2, count - 1), min_size=1, max_size=4)))
    first = draw(st.integers(1, ends[-1] - 1))
    end = draw(st.integers(first + 1, count))
    folder = Folder()
    for start, stop in zip([0, *ends], ends, strict=False):
        put(folder, turns, start, stop)
        if draw(st.booleans()) and stop - start > 1:
            put(folder, turns, start, stop - 1, write_id=OTHER)
    return folder, turns[first:end], turns[: max(ends[-1], end)]


@given(stale_reads())
def test_whenever_it_read_all_sealed_turns_are_there_once_and_in_order(
    drawn: tuple[Folder, list[JsonObject], list[JsonObject]],
) -> None:
    folder, known, there = drawn
    assert whole(folder, [*known, GO]) == [*there, GO]
    assert whole(folder, known) == there
