"""Lanes become one score a row, and scores an order, whatever they are of."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from everturn.recall.ranking.fusion import Ranking, asked_terms, comparable, fused, scaled_cosines

FEW = st.sampled_from([0.0, 0.25, 0.5, 1.0])
SCORES = arrays(np.float64, st.integers(0, 20), elements=FEW)


@given(SCORES, st.data())
def test_of_equals_the_one_with_more_of_ties_comes_first_then_the_later_row(
    scores: NDArray[np.float64], data: st.DataObject
) -> None:
    ties = data.draw(arrays(np.int64, len(scores), elements=st.integers(-2, 2)))
    order = Ranking(scores, {}, ties).order().tolist()

    keys = [(-scores[row], -ties[row], -row) for row in order]
    assert keys == sorted(keys)
    assert sorted(order) == np.flatnonzero(scores).tolist()


@given(SCORES, st.integers(1, 20))
def test_the_best_are_the_first_of_the_order(scores: NDArray[np.float64], count: int) -> None:
    for ties in (None, np.arange(len(scores), dtype=np.int64)[::-1]):
        ranking = Ranking(scores, {}, ties)
        best, order = ranking.best(count).tolist(), ranking.order().tolist()

        assert len(best) >= min(count, len(order))
        assert best == order[: len(best)]


def test_the_best_row_has_one_and_what_was_not_found_nothing() -> None:
    lanes = {"a": np.array([1.0, 0.5, 0.0, 9.0]), "b": np.array([0.0, 1.0, 0.0, 9.0])}
    found = np.array([True, True, True, False])

    scores = fused(lanes, {"a": 1.0, "b": -0.25}, found)

    assert scores[0] == 1
    assert scores[1] == pytest.approx(0.5)
    assert 0 < scores[2] < 0.05
    assert scores[3] == 0


def test_scores_fall_with_what_is_sure() -> None:
    scores = np.array([1.0, 0.25, 0.0])

    assert comparable(scores, 0.25).tolist() == [0.5, 0.25, 0]


def test_cosines_are_scaled_from_their_mean_to_the_best() -> None:
    cosines, has = np.array([0.9, 0.5, 0.1, 0.7]), np.array([True, True, True, False])

    assert scaled_cosines(cosines, has).tolist() == pytest.approx([1, 0, 0, 0])


def test_a_mean_of_a_few_that_are_all_near_is_not_where_nothing_begins() -> None:
    cosines = np.array([0.9, 0.8])
    both = np.ones(2, bool)

    assert scaled_cosines(cosines, both).tolist() == pytest.approx([1, 0])
    assert scaled_cosines(cosines, both, most_base=0.2).tolist() == pytest.approx([1, 6 / 7])


def test_cosines_that_are_all_one_say_nothing() -> None:
    assert scaled_cosines(np.full(3, 0.1), np.ones(3, bool)).tolist() == [0, 0, 0]


def test_each_term_is_asked_once_and_only_so_many() -> None:
    assert asked_terms([3, 1, 3, 2]) == [3, 1, 2]
    assert len(asked_terms(range(1_000))) == 256
