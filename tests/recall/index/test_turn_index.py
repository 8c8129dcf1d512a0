"""Columns of many turns against what a plain loop over them says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.conversations.model.turn import Turn
from everturn.recall.index import turn_index
from everturn.recall.index.build_rows import make_rows
from everturn.recall.index.turn_index import Stretch, TurnIndex, shifted
from everturn.recall.index.turn_rows import NO_TIME, TurnRows
from scenarios.recalled_turns import MINUTE_NS, START_NS, cut, minutes, named, turn, turns, units


def _rows(count: int, dimensions: int = 0, *, seed: str = "v") -> TurnRows:
    rows = make_rows(minutes([f"said {at}" for at in range(count)]), dimensions)
    return rows.with_vectors(np.arange(count), units(seed, count, dimensions))


def _sessions(index: TurnIndex) -> list[int]:
    """Say by a loop which session each turn is of."""
    found, session = [], 0
    for at in range(len(index)):
        session += at > 0 and _parted(index, at)
        found.append(session)
    return found


def _parted(index: TurnIndex, at: int) -> bool:
    before, after = int(index.times[at - 1]), int(index.times[at])
    (id_, number), (other, last) = index.place(at), index.place(at - 1)
    if (id_, number) != (other, last + 1):
        return True
    return NO_TIME not in {before, after} and abs(after - before) > turn_index._PAUSE_NS


@given(turns(), st.integers(1, 5))
def test_columns_are_those_of_the_rows_whatever_the_stretches(
    drawn: list[Turn | None], size: int
) -> None:
    rows = make_rows(drawn, 0)

    index = TurnIndex(cut(rows, size))

    for name in ("hashes", "times", "flags", "sizes", "lengths", "terms", "counts"):
        assert np.array_equal(getattr(index, name), getattr(rows, name)), name
    roles = [
        (index.names[r], index.names[s]) for r, s in zip(index.roles, index.speakers, strict=True)
    ]
    assert roles == named(rows)
    assert list(index.term_rows) == list(np.repeat(np.arange(len(rows)), rows.widths))
    assert [index.place(at) for at in range(len(rows))] == [("c", at) for at in range(len(rows))]


@given(st.lists(st.sampled_from([-900, -1, 0, 1, 900]), max_size=50), st.integers(1, 50))
def test_sessions_end_at_a_pause_whichever_way_the_clock_went(steps: list[int], size: int) -> None:
    times = START_NS + np.cumsum([0, *steps]) * MINUTE_NS
    said = [turn(at, "x", time_ns=int(time_ns)) for at, time_ns in enumerate(times)]

    index = TurnIndex(cut(make_rows(said, 0), size))

    assert list(index.sessions) == _sessions(index)


def test_a_turn_without_a_time_ends_no_session() -> None:
    said = [turn(0, "a", time_ns=START_NS), turn(1, "b"), turn(2, "c", time_ns=2 * START_NS)]

    assert len(set(TurnIndex([Stretch("c", 0, make_rows(said, 0))]).sessions)) == 1


def test_another_conversation_is_another_session() -> None:
    rows = _rows(3)
    index = TurnIndex([Stretch("a", 0, rows), Stretch("b", 3, rows)])

    assert list(index.sessions) == [0, 0, 0, 1, 1, 1]
    assert list(index.owners) == [0, 0, 0, 1, 1, 1]
    assert index.place(4) == ("b", 4)


def test_turns_that_are_left_out_between_two_end_a_session() -> None:
    rows = _rows(2)
    index = TurnIndex([Stretch("a", 0, rows), Stretch("a", 5, rows)])

    assert list(index.sessions) == [0, 0, 1, 1]
    assert index.place(2) == ("a", 5)


@given(st.lists(st.sampled_from([0, 1, 900]), max_size=40), st.sampled_from([-3, -2, -1, 1, 2, 3]))
def test_near_says_whether_a_turn_so_far_away_is_of_the_same_session(
    steps: list[int], offset: int
) -> None:
    times = START_NS + np.cumsum([0, *steps]) * MINUTE_NS
    said = [turn(at, "x", time_ns=int(time_ns)) for at, time_ns in enumerate(times)]
    index = TurnIndex([Stretch("c", 0, make_rows(said, 0))])
    sessions = _sessions(index)

    expected = [
        0 <= at - offset < len(said) and sessions[at] == sessions[at - offset]
        for at in range(len(said))
    ]

    assert list(index.near(offset)) == expected


@given(st.integers(0, 9), st.integers(-12, 12))
def test_shifted_pairs_each_row_with_the_one_so_far_before(count: int, offset: int) -> None:
    here, there = shifted(count, offset)
    rows = list(range(count))

    expected = [(at, at - offset) for at in rows if 0 <= at - offset < count]
    assert list(zip(rows[here], rows[there], strict=True)) == expected


@given(st.integers(0, 12), st.integers(2, 13))
def test_links_are_the_cosines_of_neighbours_across_stretches(count: int, size: int) -> None:
    rows = _rows(count, 8)
    vectors = rows.vectors.astype(np.float64) * rows.scales.astype(np.float64)[:, None]

    links = TurnIndex(cut(rows, size)).links

    for step in (1, 2):
        exact = np.einsum("ij,ij->i", vectors[: max(count - step, 0)], vectors[step:])
        assert links[step - 1, : len(exact)] == pytest.approx(exact, abs=1e-6)
        assert not links[step - 1, len(exact) :].any()


def test_an_index_of_nothing_has_no_turns() -> None:
    index = TurnIndex([])

    assert (len(index), len(index.sessions), index.links.shape) == (0, 0, (2, 0))
    assert not index.near(1).any()


@pytest.mark.parametrize("widen", [True, False])
def test_its_size_grows_with_its_turns(widen: bool) -> None:  # noqa: FBT001 -- the case itself
    one, two = (TurnIndex([Stretch("c", 0, _rows(n, 8))], widen=widen) for n in (50, 100))

    assert one.size_bytes < two.size_bytes < 3 * one.size_bytes
