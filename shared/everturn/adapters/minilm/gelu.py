"""GELU, the activation between a layer's two linear maps: x times the normal distribution at x.

The exact one, not the tanh that some models use.

Source: https://arxiv.org/abs/1606.08415
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

# Abramowitz and Stegun, 7.1.26: |error| < 1.5e-7. https://personal.math.ubc.ca/~cbm/aands/page_299.htm
_P: Final = np.float32(0.3275911)
_A: Final = tuple(
    np.float32(a) for a in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
)
_HALF: Final = np.float32(0.5)
_ROOT_HALF: Final = np.float32(0.5**0.5)
# Numbers worked on at once: with their three scratch buffers they stay in a 1 MiB cache.
_BLOCK: Final = 32_768


def gelu_in_place(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Replace every number by its GELU and return the same array.

    Args:
        x: contiguous float32 of any shape.
    """
    flat = x.reshape(-1)
    scratch = np.empty((3, min(_BLOCK, flat.size)), np.float32)
    for start in range(0, flat.size, _BLOCK):
        block = flat[start : start + _BLOCK]
        _gelu(block, scratch[:, : block.size])
    return x


def _gelu(x: NDArray[np.float32], scratch: NDArray[np.float32]) -> None:
    """gelu(x) = max(x, 0) - |x| erfc(|x| / sqrt 2) / 2, which cancels nothing."""
    size, t, tail = scratch
    np.abs(x, out=size)
    np.multiply(size, _ROOT_HALF * _P, out=t)
    t += np.float32(1)
    np.reciprocal(t, out=t)
    np.multiply(t, _A[0], out=tail)
    for a in _A[1:]:
        tail += a
        tail *= t
    np.multiply(x, x, out=t)
    t *= -_HALF
    np.exp(t, out=t)
    tail *= t
    tail *= size
    tail *= _HALF
    np.maximum(x, 0, out=x)
    x -= tail
