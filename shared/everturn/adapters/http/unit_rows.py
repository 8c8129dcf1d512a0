"""What a model answered for some texts, as rows of unit length.

Whatever is no usable vector becomes a row of zeros, which is near nothing: one bad vector of a
model costs one text its meaning, and no text its words.
"""

from collections.abc import Mapping
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray


def vector_length(answer: object) -> int:
    """Return the dimensions of what should be a vector; 0 if it is not usable as one."""
    row = _unit_row(answer)
    return 0 if row is None else len(row)


def unit_rows(answers: Mapping[int, object], *, count: int, dimensions: int) -> NDArray[np.float32]:
    """Return float32[count, dimensions]: row i is `answers[i]` at unit length.

    It is all zeros where the answer is missing, no list of finite numbers, as long as another
    model's, or zero itself. Answers outside [0, count) are ignored.
    """
    rows = np.zeros((count, dimensions), dtype=np.float32)
    for number, answer in answers.items():
        row = _unit_row(answer) if 0 <= number < count else None
        if row is not None and len(row) == dimensions:
            rows[number] = row
    return rows


def _unit_row(answer: object) -> NDArray[np.float64] | None:
    if not _is_numbers(answer):
        return None
    try:
        row = np.array(answer, dtype=np.float64)
    except OverflowError:  # a whole number beyond every float
        return None
    largest = np.abs(row).max(initial=0.0)
    if not np.isfinite(largest) or largest == 0.0:
        return None
    # By the largest first: squares of very large or small numbers leave the range of a float.
    row /= largest
    unit: NDArray[np.float64] = row / np.linalg.norm(row)
    return unit


def _is_numbers(answer: object) -> TypeGuard[list[float]]:
    # By exact type, since a bool is an int too.
    return isinstance(answer, list) and {type(value) for value in answer} <= {int, float}
