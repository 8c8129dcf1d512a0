"""The encoder against the same sums in plain loops."""

import math

import numpy as np
import pytest

from adapters.minilm.tiny_bert import HIDDEN, VOCABULARY, plain_vector, tiny_tensors
from everturn.adapters.minilm.bert_layer import gelu_in_place
from everturn.adapters.minilm.embedder import MiniLm
from everturn.errors import MisconfiguredError

# Of rows of unit length in float32, whatever the BLAS and the shape of a batch: 3e-7 here.
_ROUNDING = 1e-5


def _texts(*lengths: int) -> list[list[int]]:
    dice = np.random.default_rng(11)
    return [dice.integers(0, len(VOCABULARY), length).tolist() for length in lengths]


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_a_text_has_the_vector_that_plain_loops_give(layers: int) -> None:
    tensors = tiny_tensors(layers=layers, spread=0.4)
    texts = _texts(1, 2, 9)
    vectors = MiniLm(tensors).encode(texts)
    assert vectors.shape == (3, HIDDEN)
    for text, vector in zip(texts, vectors, strict=True):
        np.testing.assert_allclose(vector, plain_vector(tensors, text), rtol=0, atol=_ROUNDING)


def test_a_text_has_the_same_vector_whatever_is_embedded_with_it() -> None:
    """Of equal, of other length, in whatever order, and over more than one pack of 512 pieces."""
    encoder = MiniLm(tiny_tensors(spread=0.4))
    texts = _texts(5, 200, 5, 1, 5, 31, 299, 300, 5, 31, 256)
    together = encoder.encode(texts)
    alone = np.concatenate([encoder.encode([text]) for text in texts])
    np.testing.assert_allclose(together, alone, rtol=0, atol=_ROUNDING)
    turned = encoder.encode(texts[::-1])
    np.testing.assert_allclose(turned, together[::-1], rtol=0, atol=_ROUNDING)


def test_order_of_the_pieces_matters() -> None:
    encoder = MiniLm(tiny_tensors(spread=0.4))
    one, other = encoder.encode([[5, 6, 7], [7, 6, 5]])
    assert float(one @ other) < 0.999


def test_no_texts_are_no_vectors() -> None:
    assert MiniLm(tiny_tensors()).encode([]).shape == (0, HIDDEN)


def test_encoding_changes_no_weight() -> None:
    tensors = tiny_tensors(spread=0.4)
    before = {name: tensor.copy() for name, tensor in tensors.items()}
    encoder = MiniLm(tensors)
    first = encoder.encode(_texts(4, 7))
    np.testing.assert_allclose(encoder.encode(_texts(4, 7)), first, rtol=0, atol=_ROUNDING)
    for name, tensor in tensors.items():
        np.testing.assert_array_equal(tensor, before[name])


@pytest.mark.parametrize("name", sorted(tiny_tensors(layers=1)))
def test_a_missing_tensor_is_named(name: str) -> None:
    tensors = tiny_tensors(layers=1)
    del tensors[name]
    with pytest.raises(MisconfiguredError, match=f"lacks a tensor tensor={name}"):
        MiniLm(tensors)


def test_a_layer_that_misses_one_tensor_is_not_left_out() -> None:
    tensors = tiny_tensors(layers=2)
    del tensors["encoder.layer.1.attention.self.query.weight"]
    with pytest.raises(MisconfiguredError, match=r"tensor=encoder\.layer\.1\.attention"):
        MiniLm(tensors)


@pytest.mark.parametrize(
    "name",
    [
        "embeddings.position_embeddings.weight",
        "encoder.layer.0.attention.self.query.weight",
        "encoder.layer.0.attention.output.dense.weight",
        "encoder.layer.0.intermediate.dense.weight",
        "encoder.layer.0.output.dense.weight",
        "encoder.layer.0.output.LayerNorm.weight",
    ],
)
def test_tensors_that_do_not_fit_one_another_are_refused_at_once(name: str) -> None:
    tensors = tiny_tensors(layers=1)
    tensors[name] = tensors[name][..., :-1]
    with pytest.raises(MisconfiguredError, match="do not fit"):
        MiniLm(tensors)


def test_heads_that_do_not_divide_the_width_are_refused() -> None:
    with pytest.raises(MisconfiguredError, match="do not fit"):
        MiniLm(tiny_tensors(), heads=HIDDEN - 1)
    with pytest.raises(MisconfiguredError, match="do not fit"):
        MiniLm(tiny_tensors(), heads=HIDDEN + 1)


def test_gelu_is_the_exact_one_to_seven_digits() -> None:
    """Also across the blocks it is computed in, and far out where it is 0 or the number itself."""
    numbers = np.linspace(-12, 12, 80_001, dtype=np.float32)
    exact = [x * 0.5 * math.erfc(-x / math.sqrt(2)) for x in numbers.tolist()]
    x = numbers.copy()
    assert gelu_in_place(x) is x
    np.testing.assert_allclose(x, exact, atol=1e-6)
    assert gelu_in_place(np.zeros((0, 3), np.float32)).shape == (0, 3)


def test_gelu_changes_an_array_of_any_shape_in_place() -> None:
    x = np.full((3, 5), 1.0, np.float32)
    gelu_in_place(x)
    np.testing.assert_allclose(x, 0.8413447, atol=1e-6)
