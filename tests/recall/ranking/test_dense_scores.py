"""Cosines against a plain scan in double precision, and the same whatever does the sums."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from everturn.recall.index.build_rows import make_rows
from everturn.recall.index.turn_index import TurnIndex
from everturn.recall.ranking import dense_scores
from everturn.recall.ranking.dense_scores import cosines, in_context
from scenarios.recalled_turns import MINUTE_NS, START_NS, cut, index_of, turn, units

# Half a step of 127 in each of two vectors, as it adds up over the dimensions.
TOLERANCE = 0.02

VECTORS = st.tuples(st.integers(0, 30), st.integers(1, 96), st.text("abc", max_size=3)).map(
    lambda drawn: units(f"{drawn}", drawn[0], drawn[1])
)


def _index(vectors: NDArray[np.float32], *, pause: int = 1_000) -> TurnIndex:
    """Return an index with a pause after each so many turns."""
    gaps = [(at // pause) * 900 + at for at in range(len(vectors))]
    said = [turn(at, f"{at}", time_ns=START_NS + gap * MINUTE_NS) for at, gap in enumerate(gaps)]
    return index_of(said, vectors=vectors)


@given(VECTORS)
def test_a_cosine_is_that_of_the_vectors(vectors: NDArray[np.float32]) -> None:
    query = units("query", 1, vectors.shape[1])[0]
    exact = vectors.astype(np.float64) @ query.astype(np.float64)

    assert cosines(_index(vectors), query) == pytest.approx(exact, abs=TOLERANCE)


@given(VECTORS, st.integers(1, 9))
def test_a_cosine_in_context_is_that_with_the_neighbours_of_its_session(
    vectors: NDArray[np.float32], pause: int
) -> None:
    query = units("query", 1, vectors.shape[1])[0]
    index = _index(vectors, pause=pause)
    mixed = vectors.astype(np.float64)
    for offset, weight in dense_scores._CONTEXT.items():
        for at in range(len(vectors)):
            there = at - offset
            if 0 <= there < len(vectors) and index.sessions[at] == index.sessions[there]:
                mixed[at] += weight * vectors[there]
    lengths = np.linalg.norm(mixed, axis=1)
    exact = mixed @ query.astype(np.float64) / np.where(lengths > 0, lengths, 1)

    found = in_context(index, cosines(index, query))

    # Where a turn and its neighbours cancel out, a rounded length is no measure.
    usual = lengths > 0.3
    assert found[usual] == pytest.approx(exact[usual], abs=4 * TOLERANCE)
    assert np.isfinite(found).all()


@given(st.integers(1, 9), st.integers(1, 1_024))
def test_cosines_do_not_depend_on_blocks_or_their_kind(size: int, dimensions: int) -> None:
    vectors = units("v", 20, dimensions)
    query = units("query", 1, dimensions)[0]
    rows = make_rows([turn(at, f"{at}") for at in range(20)], dimensions)
    rows = rows.with_vectors(np.arange(20), vectors)
    whole = cosines(TurnIndex(cut(rows, 20)), query)

    for widen in (True, False):
        assert np.array_equal(cosines(TurnIndex(cut(rows, size), widen=widen), query), whole)


@given(st.permutations(range(384)))
def test_cosines_do_not_depend_on_the_order_of_sums(order: list[int]) -> None:
    """Which is all that threads and kernels change."""
    vectors, query = units("v", 40, 384), units("query", 1, 384)[0]
    shuffled = np.ascontiguousarray(vectors[:, order]), np.ascontiguousarray(query[order])

    plain = cosines(_index(vectors), query)

    assert np.array_equal(cosines(_index(shuffled[0]), shuffled[1]), plain)


_SCAN = """
import hashlib, numpy as np
from everturn.recall.ranking.dense_scores import cosines, in_context
from everturn.recall.index.turn_index import Stretch, TurnIndex
from everturn.recall.index.turn_rows import no_rows
drawn = np.random.default_rng(7).standard_normal((1_001, 384)).astype(np.float32)
vectors = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
rows = no_rows(1_000, 384).with_vectors(np.arange(1_000), vectors[:1_000])
index = TurnIndex([Stretch("c", 0, rows)], widen=True)
scores = in_context(index, cosines(index, vectors[1_000]))
print(hashlib.sha256(scores.tobytes()).hexdigest())
"""


def test_cosines_are_the_same_on_one_thread_and_on_two() -> None:
    """The number of threads is read when numpy is loaded."""

    def scanned(threads: str) -> bytes:
        env = {**os.environ, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
        return subprocess.run(
            [sys.executable, "-c", _SCAN], env=env, capture_output=True, check=True
        ).stdout

    assert scanned("1") == scanned("2") != b""


def test_a_turn_without_a_vector_has_the_cosine_nought() -> None:
    vectors = units("v", 3, 8)
    vectors[1] = 0
    index = _index(vectors)

    assert cosines(index, units("query", 1, 8)[0])[1] == 0
    assert np.isfinite(in_context(index, cosines(index, units("query", 1, 8)[0]))).all()


def test_a_query_without_a_vector_is_near_nothing() -> None:
    assert not cosines(_index(units("v", 3, 8)), np.zeros(8, np.float32)).any()


def test_the_same_vector_has_the_cosine_one() -> None:
    vectors = units("v", 5, 384)

    assert cosines(_index(vectors), vectors[3])[3] == pytest.approx(1, abs=0.005)


def test_an_index_of_nothing_has_no_cosines() -> None:
    index = index_of([])

    assert len(in_context(index, cosines(index, units("query", 1, 8)[0]))) == 0
