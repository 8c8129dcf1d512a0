import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from everturn.recall.themes.spherical_kmeans import UNIT, Clusters, Points, as_points, cluster

VECTORS = arrays(
    np.float64,
    array_shapes(min_dims=2, max_dims=2, max_side=12),
    elements=st.integers(-3, 3).map(float),
)
K = st.integers(1, 6)


def products(points: Points, found: Clusters) -> NDArray[np.float64]:
    return np.asarray(points.astype(np.float64) @ found.centres.T.astype(np.float64))


def bundles(count: int, *, each: int = 40, dimensions: int = 24, seed: int = 1) -> Points:
    """`count` bundles of directions around directions of their own, one bundle after another."""
    dice = np.random.default_rng(seed)
    middles = dice.normal(size=(count, dimensions))
    noise = dice.normal(scale=0.3, size=(count, each, dimensions))
    return as_points((middles[:, None, :] + noise).reshape(-1, dimensions))


@given(VECTORS, K)
def test_every_point_belongs_to_its_nearest_centre(vectors: NDArray[np.float64], k: int) -> None:
    points = as_points(vectors)
    found = cluster(points, k)
    for row, point in enumerate(points):
        if point.any():
            near = products(points, found)[row]
            assert near[found.owners[row]] == near.max()


@given(VECTORS, K)
def test_groups_hold_all_points_with_a_direction_and_none_is_empty(
    vectors: NDArray[np.float64], k: int
) -> None:
    points = as_points(vectors)
    found = cluster(points, k)
    assert len(found.centres) <= k
    assert found.sizes.sum() == np.count_nonzero(points.any(axis=1))
    assert (found.sizes > 0).all()
    assert ((found.owners >= 0) == points.any(axis=1)).all()


@given(VECTORS, K)
def test_the_order_of_sums_does_not_matter(vectors: NDArray[np.float64], k: int) -> None:
    """Dimensions may come in any order, as a kernel or a thread may add them up in any order."""
    points = as_points(vectors)
    turned = np.ascontiguousarray(points[:, ::-1])
    one, other = cluster(points, k), cluster(turned, k)
    assert (one.owners == other.owners).all()
    assert (one.centres == other.centres[:, ::-1]).all()


def test_one_thread_and_two_find_the_same() -> None:
    program = (
        "import numpy as np, sys\n"
        "from everturn.recall.themes.spherical_kmeans import as_points, cluster\n"
        "points = as_points(np.random.default_rng(5).normal(size=(3000, 384)))\n"
        "found = cluster(points, 8)\n"
        "sys.stdout.buffer.write(found.owners.tobytes() + found.centres.tobytes())\n"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "OPENBLAS_NUM_THREADS": threads},
            capture_output=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    ]
    assert outputs[0] == outputs[1] != b""


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
def test_bundles_are_told_apart(count: int) -> None:
    found = cluster(bundles(count), count)
    assert sorted(found.sizes) == [40] * count
    assert all(len(set(found.owners[at * 40 : at * 40 + 40])) == 1 for at in range(count))


def test_more_groups_than_different_points_are_not_made() -> None:
    points = as_points(np.repeat(np.eye(3), 5, axis=0))
    found = cluster(points, 20)
    assert sorted(found.sizes) == [5, 5, 5]


def test_identical_points_are_one_group() -> None:
    found = cluster(as_points(np.ones((9, 4))), 3)
    assert found.owners.tolist() == [0] * 9


def test_a_point_without_a_direction_belongs_to_no_group() -> None:
    found = cluster(as_points(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]])), 2)
    assert found.owners.tolist() == [-1, 0, -1]


def test_no_points_make_no_groups() -> None:
    for shape in ((0, 3), (4, 3), (4, 0)):
        points = as_points(np.zeros(shape))
        found = cluster(points, 3)
        assert len(found.centres) == 0
        assert found.owners.tolist() == [-1] * len(points)
        assert found.cosines(points).tolist() == [0.0] * len(points)


@given(
    arrays(
        np.float64,
        (4, 3),
        elements=st.floats(allow_nan=True, allow_infinity=True, allow_subnormal=True),
    )
)
def test_whatever_a_vector_holds_its_point_has_length_one_or_none(
    vectors: NDArray[np.float64],
) -> None:
    """NaN and infinity have no direction; the largest and the smallest numbers have one."""
    lengths = np.linalg.norm(as_points(vectors).astype(np.float64), axis=1)
    usable = np.isfinite(vectors).all(axis=1) & vectors.any(axis=1)
    assert (lengths[~usable] == 0).all()
    assert (np.abs(lengths[usable] - UNIT) < 2).all()


@given(VECTORS, K)
def test_cosines_are_with_the_centre_of_the_group(vectors: NDArray[np.float64], k: int) -> None:
    points = as_points(vectors)
    found = cluster(points, k)
    cosines = found.cosines(points)
    assert (np.abs(cosines) <= 1).all()
    for row, owner in enumerate(found.owners):
        if owner >= 0:
            pair = [points[row].astype(np.float64), found.centres[owner].astype(np.float64)]
            lengths = float(np.prod(np.linalg.norm(pair, axis=1)))
            expected = pair[0] @ pair[1] / (lengths or 1.0)
            assert cosines[row] == pytest.approx(expected, abs=8 / UNIT)
