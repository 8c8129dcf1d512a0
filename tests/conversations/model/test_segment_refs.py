"""What a head says of its segments."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversations.model.sealed_values import NOW, OTHER, OWN, sealed_parts, tiled, write_ids
from everturn.conversations.model.head import Head, parse_record
from everturn.conversations.model.segment_refs import (
    Sealed,
    SegmentRef,
    is_segment_name,
    parse_sealed,
    segment_name,
    tiles,
)
from everturn.errors import CorruptRecordError
from everturn.values.go_json import JsonObject, dumps
from strategies.json_values import json_values, times_ns

NAME = "000000000000-000000000002-" + OWN
ENTRY: JsonObject = {"name": NAME, "newest": "2026-03-01T10:00:00Z"}


@given(sealed_parts)
def test_what_a_head_says_reads_back_equal(sealed: Sealed) -> None:
    assert parse_sealed(sealed.json()) == sealed


def test_the_field_names_the_turns_the_segments_and_the_title() -> None:
    assert tiled([(3, OWN, NOW)], "t").json() == {"turns": 3, "segs": [ENTRY], "title": "t"}
    assert tiled([(3, OWN, NOW)]).json() == {"turns": 3, "segs": [ENTRY]}


@given(st.integers(0, 10**12 - 1), st.integers(0, 10**12 - 1), write_ids, times_ns)
def test_a_name_says_which_turns_a_segment_holds(
    one: int, other: int, write_id: str, newest_ns: int
) -> None:
    first, last = sorted((one, other))
    ref = SegmentRef(segment_name(first, last, write_id), newest_ns)
    assert is_segment_name(ref.name)
    assert (ref.first, ref.last, ref.count) == (first, last, last - first + 1)


@given(st.integers(0, 10**12 - 1), st.integers(0, 10**12 - 1), write_ids)
def test_names_sort_as_their_first_turns(one: int, other: int, write_id: str) -> None:
    names = [segment_name(first, 10**12 - 1, write_id) for first in (one, other)]
    assert (names[0] < names[1]) is (one < other)


@pytest.mark.parametrize(
    "text",
    [
        "",
        NAME[:-1],
        NAME + "x",
        NAME + ".json",
        NAME + "\n",
        "000000000003-000000000002-" + OWN,
        "00000000000a-000000000002-" + OWN,
        "\u0660" * 12 + "-000000000002-" + OWN,
        "000000000000-000000000002-" + "!" * 16,
        "000000000000_000000000002-" + OWN,
    ],
)
def test_another_text_is_no_name_of_a_segment(text: str) -> None:
    assert not is_segment_name(text)


@given(sealed_parts, st.integers(0, 210), st.integers(0, 210))
def test_exactly_the_segments_with_turns_of_a_range_hold_it(
    sealed: Sealed, one: int, other: int
) -> None:
    first, last = sorted((one, other))
    wanted = [
        ref
        for ref in sealed.segments
        if set(range(ref.first, ref.last + 1)) & set(range(first, last + 1))
    ]
    assert list(sealed.holding(first, last)) == wanted


def test_counts_times_and_names_are_those_of_all_segments() -> None:
    sealed = tiled([(3, OWN, 7), (2, OTHER, 5)])
    assert (sealed.turns, sealed.newest_ns) == (5, 7)
    assert sealed.names == {NAME, "000000000003-000000000004-" + OTHER}


def test_one_segment_takes_the_place_of_another() -> None:
    sealed = tiled([(3, OWN, 7), (2, OWN, 5)], "old")
    new = SegmentRef("000000000003-000000000004-" + OTHER, 5)
    assert sealed.with_replaced(sealed.segments[1], new, title="new") == Sealed(
        (sealed.segments[0], new), "new"
    )


@pytest.mark.parametrize(
    ("ranges", "whole"),
    [
        ([(0, 2)], True),
        ([(0, 2), (3, 3), (4, 9)], True),
        ([(1, 2)], False),
        ([(0, 2), (4, 5)], False),
        ([(0, 2), (2, 5)], False),
        ([(0, 2), (0, 2)], False),
    ],
)
def test_segments_tile_from_turn_0_without_a_gap(
    ranges: list[tuple[int, int]], *, whole: bool
) -> None:
    assert tiles([SegmentRef(segment_name(*ends, OWN), 0) for ends in ranges]) is whole


MALFORMED: dict[str, JsonObject] = {
    "no list": {"turns": 3, "segs": {}},
    "no segment": {"turns": 0, "segs": []},
    "no turns": {"segs": [ENTRY]},
    "another count": {"turns": 4, "segs": [ENTRY]},
    "a text as count": {"turns": "3", "segs": [ENTRY]},
    "a gap": {"turns": 3, "segs": [{**ENTRY, "name": NAME.replace("0-", "1-", 1)}]},
    "twice": {"turns": 3, "segs": [ENTRY, ENTRY]},
    "a bare name": {"turns": 3, "segs": [NAME]},
    "no name": {"turns": 3, "segs": [{"newest": ENTRY["newest"]}]},
    "another name": {"turns": 3, "segs": [{**ENTRY, "name": "../up"}]},
    "no time": {"turns": 3, "segs": [{"name": NAME}]},
    "another time": {"turns": 3, "segs": [{**ENTRY, "newest": "soon"}]},
    "a number as time": {"turns": 3, "segs": [{**ENTRY, "newest": 5}]},
    "a number as title": {"turns": 3, "segs": [ENTRY], "title": 5},
    "null as title": {"turns": 3, "segs": [ENTRY], "title": None},
}


@pytest.mark.parametrize("value", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_field_makes_the_record_corrupt(value: JsonObject) -> None:
    """Nobody would know the numbers of the head's own turns."""
    body = Head("c1", foreign=(("sealed", dumps(value)),)).encode()
    with pytest.raises(CorruptRecordError):
        parse_record(body, name="c1")


@given(st.dictionaries(st.sampled_from(["turns", "segs", "title"]), json_values))
def test_whatever_the_field_holds_it_reads_or_is_refused(value: JsonObject) -> None:
    try:
        sealed = parse_sealed(value)
    except ValueError:
        return
    assert sealed.json()["turns"] == value["turns"]


def test_times_of_the_zero_year_of_go_survive() -> None:
    """Go writes the zero time where a turn has none."""
    sealed = tiled([(1, OWN, -62_135_596_800_000_000_000)])
    assert parse_sealed(sealed.json()) == sealed
