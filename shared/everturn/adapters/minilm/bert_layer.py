"""Compute one layer of a BERT encoder in numpy: attention within a text, then two linear maps.

Source: https://arxiv.org/abs/1810.04805

The activation between the two maps is GELU: x times the normal distribution at x. It is the exact
one, not the tanh that some models use.

Source: https://arxiv.org/abs/1606.08415
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from everturn.adapters.minilm.safetensors_file import Tensors

# `layer_norm_eps` of the model's configuration.
_EPSILON: Final = np.float32(1e-12)

Floats: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Linear:
    """`x @ weight + bias`; the weight is float32[inputs, outputs]."""

    weight: Floats
    bias: Floats

    def __call__(self, x: Floats) -> Floats:
        """Return a new float32[pieces, outputs]."""
        y: Floats = x @ self.weight
        y += self.bias
        return y


@dataclass(frozen=True, slots=True)
class Norm:
    """Gives each row mean 0 and variance 1, then a scale and a shift of each column."""

    weight: Floats
    bias: Floats

    def __call__(self, x: Floats) -> Floats:
        """Change the array in place and return it."""
        x -= x.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", x, x) / np.float32(x.shape[1])
        x /= np.sqrt(variance + _EPSILON)[:, None]
        x *= self.weight
        x += self.bias
        return x


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer's weights; queries come already divided by the root of a head's size."""

    query_key_value: Linear
    mixed: Linear
    mixed_norm: Norm
    widen: Linear
    narrow: Linear
    narrow_norm: Norm

    def __call__(self, x: Floats, lengths: Sequence[int], heads: int) -> Floats:
        """Change the pieces of texts in place and return them.

        Args:
            x: float32[pieces, d], the texts one behind another.
            lengths: of the texts in pieces, in ascending order.
            heads: how many parts of the vectors are mixed apart.
        """
        x += self.mixed(_attention(self.query_key_value(x), lengths, heads))
        x = self.mixed_norm(x)
        x += self.narrow(gelu_in_place(self.widen(x)))
        return self.narrow_norm(x)


def read_layer(tensors: Tensors, prefix: str, *, heads: int) -> Layer:
    """Return the layer whose tensors have names with this prefix.

    Raises:
        KeyError: a tensor is missing.
        ValueError: shapes do not fit one another.
    """
    attention = f"{prefix}attention."
    return Layer(
        query_key_value=_projection(tensors, f"{attention}self.", heads),
        mixed=_linear(tensors, f"{attention}output.dense"),
        mixed_norm=read_norm(tensors, f"{attention}output.LayerNorm"),
        widen=_linear(tensors, f"{prefix}intermediate.dense"),
        narrow=_linear(tensors, f"{prefix}output.dense"),
        narrow_norm=read_norm(tensors, f"{prefix}output.LayerNorm"),
    )


def read_norm(tensors: Tensors, name: str) -> Norm:
    """Return the norm of this name; KeyError where it is missing."""
    return Norm(_floats(tensors[f"{name}.weight"]), _floats(tensors[f"{name}.bias"]))


def _linear(tensors: Tensors, name: str) -> Linear:
    # The files hold weights as [outputs, inputs]; a copy in the order of use multiplies faster.
    return Linear(_floats(tensors[f"{name}.weight"].T), _floats(tensors[f"{name}.bias"]))


def _projection(tensors: Tensors, prefix: str, heads: int) -> Linear:
    parts = [_linear(tensors, f"{prefix}{name}") for name in ("query", "key", "value")]
    weight = np.concatenate([part.weight for part in parts], axis=1)
    bias = np.concatenate([part.bias for part in parts])
    size = len(bias) // 3
    scale = np.float32((size // heads) ** -0.5)
    weight[:, :size] *= scale
    bias[:size] *= scale
    return Linear(weight, bias)


def _attention(projected: Floats, lengths: Sequence[int], heads: int) -> Floats:
    """Mix the pieces of each text with one another, texts of equal length at once."""
    size = projected.shape[1] // (3 * heads)
    mixed = np.empty((len(projected), heads * size), np.float32)
    start = 0
    for length, same in itertools.groupby(lengths):
        count = len(list(same))
        stop = start + count * length
        parts = projected[start:stop].reshape(count, length, 3, heads, size)
        query, key, value = parts.transpose(2, 0, 3, 1, 4)
        context = _softmax(query @ key.swapaxes(2, 3)) @ value
        mixed[start:stop] = context.swapaxes(1, 2).reshape(-1, heads * size)
        start = stop
    return mixed


def _softmax(scores: Floats) -> Floats:
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return scores


def _floats(tensor: NDArray[Any]) -> Floats:
    return np.ascontiguousarray(tensor, dtype=np.float32)


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
