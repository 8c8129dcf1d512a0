from collections.abc import Sequence
from itertools import chain

import numpy as np
import pytest
from numpy.typing import NDArray

from everturn.conversations.model.turn import Turn
from everturn.recall.index.build_rows import make_rows
from everturn.recall.index.turn_index import Stretch, TurnIndex
from everturn.recall.themes.clusters import MAX_TURNS, Group, group_turns, newest_rows
from everturn.recall.themes.spherical_kmeans import UNIT, as_points
from everturn.recall.themes.vectors import (
    TermCounts,
    in_context,
    term_points,
    told_apart,
    vector_points,
)
from everturn.values.timestamps import EVER, TimeWindow, format_time

START_NS = 1_767_225_600_000_000_000
DAY = 86_400


def turn(number: int, text: str, second: float | None = None) -> Turn:
    ts = None if second is None else format_time(START_NS + round(second * 1e9))
    return Turn(number, "user", text, ts, {})


def index_of(turns: Sequence[Turn | None], vectors: NDArray[np.float32] | None = None) -> TurnIndex:
    rows = make_rows(turns, 0 if vectors is None else vectors.shape[1])
    if vectors is not None:
        rows = rows.with_vectors(np.arange(len(turns)), vectors)
    return TurnIndex([Stretch("c", 0, rows)])


def said(*texts: str) -> TurnIndex:
    return index_of([turn(at, text, at) for at, text in enumerate(texts)])


def everything(index: TurnIndex, k: int | None) -> list[Group]:
    return group_turns(index, newest_rows(index, EVER)[0], k)


def test_only_turns_of_the_window_that_say_something_are_taken() -> None:
    turns = [
        turn(0, "before", 0),
        turn(1, "inside", 10),
        turn(2, "  ", 11),
        None,
        turn(4, "<recalled_memory>old</recalled_memory>", 12),
        turn(5, "no time"),
        turn(6, "behind", 20),
    ]
    window = TimeWindow(START_NS + 10**10, START_NS + 2 * 10**10)
    at, are_all = newest_rows(index_of(turns), window)
    assert at.tolist() == [1]
    assert are_all


def test_of_too_many_turns_the_newest_are_taken() -> None:
    """Turns without a time count as older than all others."""
    count = MAX_TURNS + 3
    seconds = [None, *(float(count - at) for at in range(1, count))]
    at, are_all = newest_rows(
        index_of([turn(n, "x", second) for n, second in enumerate(seconds)]), EVER
    )
    assert at.tolist() == list(range(1, MAX_TURNS + 1))
    assert not are_all


def test_more_turns_make_more_groups_up_to_eight() -> None:
    """The number of groups is the root of half the number of turns, from 2 to 8."""
    for turns, groups in ((1, 1), (2, 2), (17, 2), (18, 3), (600, 8)):
        dice = np.random.default_rng(turns)
        vectors = dice.normal(size=(turns, 64)).astype(np.float32)
        index = index_of([turn(at, f"w{at}", DAY * at) for at in range(turns)], vectors)
        assert len(everything(index, None)) == groups


def test_groups_are_of_distinct_turns_and_the_biggest_comes_first() -> None:
    index = said(*["boat sail"] * 2, *["bread oven"] * 3, *["chess rook"] * 4)
    groups = everything(index, 3)
    assert [group.rows.tolist() for group in groups] == [[8, 7, 6, 5], [4, 3, 2], [1, 0]]


def test_of_equal_texts_the_newest_stands_for_them() -> None:
    index = said("boat sail", "bread oven", "boat sail")
    [boats, _] = everything(index, 2)
    assert boats.rows[boats.distinct(index)].tolist() == [2]


def test_times_are_those_of_the_oldest_and_the_newest_turn() -> None:
    turns = [turn(0, "boat", 7), turn(1, "boat"), turn(2, "boat", 3)]
    index = index_of(turns)
    [group] = everything(index, 1)
    assert group.times(index) == (START_NS + 3 * 10**9, START_NS + 7 * 10**9)
    bare = index_of([turn(0, "boat")])
    assert everything(bare, 1)[0].times(bare) == (None, None)


def test_turns_that_spell_a_term_hold_one() -> None:
    index = said(*["boat sail"] * 40, "mast", *["bread oven"] * 40)
    for group in everything(index, 2):
        counts = TermCounts.of(index, group.spelled_in)
        assert set(group.terms) <= set(counts.terms.tolist())
        assert set(group.spelled_in) <= set(group.rows)
        assert len(group.spelled_in) <= 240


def test_without_vectors_for_most_turns_words_group() -> None:
    texts = ["boat sail", "bread oven", "sail boat", "oven bread"]
    vectors = np.zeros((4, 8), np.float32)
    vectors[0, 0] = 1
    index = index_of([turn(at, text, at) for at, text in enumerate(texts)], vectors)
    groups = everything(index, 2)
    assert sorted(sorted(group.rows.tolist()) for group in groups) == [[0, 2], [1, 3]]


def test_a_turn_without_a_vector_or_a_telling_word_is_in_no_group() -> None:
    assert everything(said("what is it", "  "), 2) == []
    vectors = np.eye(4, dtype=np.float32)
    vectors[3] = 0
    index = index_of([turn(at, f"w{at}", at) for at in range(4)], vectors)
    rows = chain.from_iterable(group.rows.tolist() for group in everything(index, 4))
    assert sorted(rows) == [0, 1, 2]


def test_a_turn_is_drawn_to_neighbours_that_are_like_it_and_to_no_others() -> None:
    vectors = np.array([[1, 0, 0], [0.8, 0.6, 0], [0, 0, 1]], np.float32)
    at = np.arange(3)
    near = index_of([turn(n, f"w{n}", n) for n in range(3)], vectors)
    points = vector_points(near, at)
    drawn = in_context(near, at, points).astype(np.float64) / UNIT
    assert drawn[1, 0] > 0.85
    assert drawn[2].tolist() == [0, 0, 1]
    far = index_of([turn(n, f"w{n}", DAY * n) for n in range(3)], vectors)
    assert (in_context(far, at, vector_points(far, at)) == points).all()


def test_half_of_what_all_have_in_common_is_left_out() -> None:
    points = as_points(np.array([[1, 1, 0], [1, 0, 1], [0, 0, 0]], np.float64))
    apart = told_apart(points).astype(np.float64) / UNIT
    # Of (4, 4, 0) and (4, 0, 4) half the mean, (2, 1, 1), is taken: (2, 3, -1) and (2, -1, 3).
    assert apart[0] @ apart[1] == pytest.approx(-2 / 14, abs=1e-3)
    assert np.linalg.norm(apart, axis=1) == pytest.approx([1, 1, 0], abs=1e-3)


def test_turns_that_do_not_count_draw_no_others() -> None:
    vectors = np.array([[1, 0], [0.8, 0.6]], np.float32)
    index = index_of([turn(n, f"w{n}", n) for n in range(2)], vectors)
    at = np.array([1])
    points = vector_points(index, at)
    assert (in_context(index, at, points) == points).all()


def test_a_word_of_few_sessions_weighs_more_than_one_of_all() -> None:
    """Both words come in four turns; one of them on four days, the other on one."""
    turns = [turn(0, "thanks pottery", 0)]
    turns += [turn(at, "pottery", at) for at in range(1, 4)]
    turns += [turn(at, "thanks", DAY * at) for at in range(4, 7)]
    index = index_of(turns)
    counts = TermCounts.of(index, np.arange(7))
    points = term_points(counts, index.blocks).astype(np.int64)
    weights = dict(zip(counts.terms.tolist(), points[0].tolist(), strict=True))
    [pottery] = TermCounts.of(said("pottery"), np.arange(1)).terms.tolist()
    [thanks] = TermCounts.of(said("thanks"), np.arange(1)).terms.tolist()
    assert weights[pottery] > 2 * weights[thanks] > 0
