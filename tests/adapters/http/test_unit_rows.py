"""Whatever a model answers becomes rows of unit length or of zeros."""

import math
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from everturn.adapters.http.remote_embedder import unit_rows, vector_length

numbers = st.floats(allow_nan=True, allow_infinity=True) | st.integers()
anything: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | numbers | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.integers(-2, 6), st.lists(numbers, max_size=4) | anything))
def test_nothing_breaks_it_and_nothing_else_comes_out(answers: dict[int, object]) -> None:
    rows = unit_rows(answers, count=4, dimensions=3)
    assert rows.shape == (4, 3)
    assert rows.dtype == np.float32
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1)
    assert (np.isclose(lengths, 1.0, atol=1e-6) | (lengths == 0.0)).all()


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=5), st.floats(1e-200, 1e200))
def test_the_length_of_a_vector_does_not_matter(vector: list[float], factor: float) -> None:
    # Below this a product leaves the range of a float.
    vector = [0.0 if abs(value) < 1e-3 else value for value in vector]
    scaled = [value * factor for value in vector]
    rows = unit_rows({0: vector, 1: scaled}, count=2, dimensions=len(vector))
    np.testing.assert_allclose(rows[0], rows[1], atol=1e-6)


def test_a_vector_is_as_long_as_it_is_if_it_can_be_used() -> None:
    assert vector_length([0.0, 2]) == 2
    for useless in ([], [0.0], [math.nan], [True], ["1"], None, "11", {"0": 1.0}, [10**400]):
        assert vector_length(useless) == 0
