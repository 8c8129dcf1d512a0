"""Rows of turns against a plain list.

Cut, joined, given vectors, taken over where nothing changed.
"""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cpu_time import cpu_limit
from everturn.conversations.model.turn import Turn, readable_turn
from everturn.recall.index.build_rows import is_row_of, make_rows, renewed
from everturn.recall.index.turn_rows import HAS_TEXT, NO_TIME, READABLE, TRIED, join_rows, no_rows
from everturn.recall.language.terms import hash_of_text, matchable_text
from scenarios.recalled_turns import START_NS, assert_same_rows, minutes, named, turn, turns, units


@given(turns())
def test_each_turn_has_one_row_that_is_its_own(drawn: list[Turn | None]) -> None:
    rows = make_rows(drawn, 3)

    assert len(rows) == len(drawn)
    assert rows.vectors.shape == (len(drawn), 3)
    assert all(is_row_of(one, rows, at) for at, one in enumerate(drawn))
    assert int(rows.widths.sum()) == len(rows.terms) == len(rows.counts)


@given(turns())
def test_a_row_says_what_its_turn_says(drawn: list[Turn | None]) -> None:
    rows = make_rows(drawn, 0)

    for at, one in enumerate(drawn):
        if one is None:
            assert (rows.flags[at], rows.sizes[at], rows.times[at]) == (0, 0, NO_TIME)
            continue
        matchable = matchable_text(one.text)
        assert int(rows.hashes[at]) == hash_of_text(matchable)
        assert rows.sizes[at] == len(one.text.encode("utf-8", "surrogatepass"))
        assert bool(rows.flags[at] & HAS_TEXT) == bool(matchable)
        assert rows.flags[at] & READABLE
        assert named(rows)[at] == (one.role, one.value.get("name") or one.role)


@given(turns(), st.data())
def test_parts_joined_are_the_whole(drawn: list[Turn | None], data: st.DataObject) -> None:
    rows = make_rows(drawn, 2).with_vectors(np.arange(len(drawn)), units("v", len(drawn), 2))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(drawn)), max_size=4)))
    edges = [0, *cuts, len(drawn)]

    parts = [rows.part(a, b) for a, b in pairwise(edges)]

    assert_same_rows(join_rows(parts), rows)


@given(turns(), turns())
def test_rows_that_are_brought_up_to_date_are_those_made_anew(
    before: list[Turn | None], now: list[Turn | None]
) -> None:
    known = make_rows(before, 2)

    assert_same_rows(renewed(now, known), make_rows(now, 2))


@given(turns(), st.data())
def test_a_vector_is_taken_over_exactly_where_the_turn_is_the_same(
    drawn: list[Turn | None], data: st.DataObject
) -> None:
    known = make_rows(drawn, 2).with_vectors(np.arange(len(drawn)), units("v", len(drawn), 2))
    now = [one if data.draw(st.booleans()) else turn(at, "else") for at, one in enumerate(drawn)]

    rows = renewed([*now, turn(len(now), "new")], known)

    kept = [one == was for one, was in zip(now, drawn, strict=True)]
    assert list(rows.scales > 0) == [*kept, False]


@pytest.mark.parametrize(
    "other",
    [
        turn(0, "said  so", time_ns=START_NS),
        turn(0, "said so", time_ns=START_NS + 1),
        turn(0, "said so"),
        turn(0, "said so", role="tool", time_ns=START_NS),
        turn(0, "said so", name="Ann", time_ns=START_NS),
        turn(0, "said so <recalled_memory>x</recalled_memory>", time_ns=START_NS),
        None,
    ],
)
def test_a_turn_that_differs_in_anything_needed_has_another_row(other: Turn | None) -> None:
    """Its size counts as well: the budget is kept by it."""
    rows = make_rows([turn(0, "said so", time_ns=START_NS)], 0)

    assert not is_row_of(other, rows, 0)


def test_names_that_no_row_has_any_more_are_not_kept() -> None:
    """Who said a turn that was taken back is no more in the file than what was said."""
    rows = make_rows([turn(0, "a", name="Ann"), turn(1, "b", name="Secret Person")], 0)

    assert "Secret Person" not in renewed([turn(0, "a", name="Ann")], rows).names


def test_a_vector_of_noughts_marks_a_row_as_tried() -> None:
    vectors = units("v", 2, 4)
    vectors[1] = 0

    rows = make_rows([turn(0, "a"), turn(1, "b"), turn(2, "c")], 4)
    given_ = rows.with_vectors(np.array([0, 1]), vectors)

    assert list(given_.flags & TRIED > 0) == [False, True, False]
    assert list(given_.wanted) == [False, True, True]
    assert list(rows.wanted) == [True, True, True]


def test_a_turn_without_words_wants_no_vector() -> None:
    rows = make_rows([None, turn(1, ""), turn(2, "<recalled_memory>x"), turn(3, "!")], 4)

    assert list(rows.wanted) == [False, False, False, True]


@given(st.integers(0, 5), st.integers(1, 400))
def test_a_stored_vector_is_off_by_half_a_step_at_most(count: int, dimensions: int) -> None:
    vectors = units("q", count, dimensions)
    rows = make_rows(minutes(["x"] * count), dimensions).with_vectors(np.arange(count), vectors)

    back = rows.vectors.astype(np.float64) * rows.scales[:, None]

    assert (np.abs(back - vectors) <= rows.scales[:, None] * 0.5001).all()


@pytest.mark.parametrize("many", [255, 256, 1_000])
def test_a_word_said_very_often_counts_255_times(many: int) -> None:
    rows = make_rows([turn(0, "port " * many)], 0)

    assert list(rows.counts) == [255]
    assert list(rows.lengths) == [many]


def test_rows_nobody_looked_at_cannot_be_found() -> None:
    rows = join_rows([no_rows(2, 0), make_rows([turn(2, "a")], 0)])

    assert list(rows.flags & READABLE > 0) == [False, False, True]


def test_the_cosine_of_two_rows_is_that_of_their_vectors() -> None:
    vectors = units("c", 3, 64)
    rows = make_rows(minutes(["a", "b", "c"]), 64).with_vectors(np.arange(3), vectors)
    exact = vectors.astype(np.float64) @ vectors.astype(np.float64).T

    assert rows.cosine(0, rows, 2) == pytest.approx(exact[0, 2], abs=0.01)
    assert rows.links[:, 0] == pytest.approx([exact[0, 1], exact[0, 2]], abs=0.01)
    assert list(rows.links[:, 2]) == [0, 0]


def test_rows_do_not_change_when_others_are_made_of_them() -> None:
    rows = make_rows(minutes(["a", "b"]), 2)
    copy = replace(rows)
    rows.with_vectors(np.arange(2), units("v", 2, 2))

    assert_same_rows(rows, copy)
    assert not rows.scales.any()


@pytest.mark.parametrize("ts", ["0001-01-01T00:00:00Z", "1677-01-01T00:00:00Z", "yesterday", ""])
def test_a_time_that_cannot_be_is_none(ts: str) -> None:
    """Go writes a time that was never set as the first of January of the year 1."""
    said = readable_turn(0, {"role": "user", "text": "a", "ts": ts})
    rows = make_rows([said], 0)

    assert list(rows.times) == [NO_TIME]
    assert is_row_of(said, rows, 0)


@pytest.mark.parametrize("piece", ["a", "? ", "?", ".", "a. ", "you ", "from now on ", " ", "1"])
def test_the_row_of_a_hostile_megabyte_is_made_in_linear_time(piece: str) -> None:
    with cpu_limit(30):
        rows = make_rows([turn(0, piece * (1_048_576 // len(piece)))], 0)

    assert len(rows) == 1
