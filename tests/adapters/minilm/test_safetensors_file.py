"""The tensors' format: what was written is read, and nothing that is not exactly that."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.adapters.minilm.safetensors_file import decode_tensors, encode_tensors
from everturn.errors import MisconfiguredError


def _file(header: object, data: bytes = b"") -> bytes:
    front = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(front).to_bytes(8, "little") + front + data


def _entry(**changes: Any) -> dict[str, Any]:  # noqa: ANN401 - malformed on purpose
    return {"dtype": "F32", "shape": [2], "data_offsets": [0, 8], **changes}


_SHAPES = st.lists(st.integers(0, 4), max_size=3)
_TENSORS = st.dictionaries(
    st.text(max_size=6).filter(lambda name: name != "__metadata__"),
    st.tuples(_SHAPES, st.sampled_from(["float32", "int8", "int64"])),
    max_size=5,
)


@given(_TENSORS, st.integers(0, 2**32))
def test_what_is_written_is_read(shapes: dict[str, tuple[list[int], str]], seed: int) -> None:
    dice = np.random.default_rng(seed)
    tensors = {
        name: dice.integers(-100, 100, shape).astype(dtype)
        for name, (shape, dtype) in shapes.items()
    }
    read = decode_tensors(encode_tensors(tensors))
    assert read.keys() == tensors.keys()
    for name, tensor in tensors.items():
        assert read[name].dtype == tensor.dtype
        np.testing.assert_array_equal(read[name], tensor)


def test_tensors_that_are_transposed_are_written_in_their_own_order() -> None:
    tensor = np.arange(6, dtype=np.float32).reshape(2, 3).T
    np.testing.assert_array_equal(decode_tensors(encode_tensors({"a": tensor}))["a"], tensor)


def test_metadata_and_the_order_of_entries_do_not_matter() -> None:
    """A file as the library of the format writes it, byte for byte."""
    header = b'{"__metadata__":{"format":"pt"},"b":{"dtype":"I8","shape":[2],"data_offsets":[4,6]},'
    header += b'"a":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]}}  '
    read = decode_tensors(_file(header, b"\0\0\x80\x3f\x01\xff"))
    assert {name: tensor.tolist() for name, tensor in read.items()} == {"b": [1, -1], "a": [[1.0]]}


def test_what_is_read_cannot_be_changed() -> None:
    read = decode_tensors(encode_tensors({"a": np.ones(2, np.float32)}))
    with pytest.raises(ValueError, match="read-only"):
        read["a"][0] = 2


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\x08\0\0", id="cut in its size"),
        pytest.param(_file({"a": _entry()}, bytes(8))[:20], id="cut in its header"),
        pytest.param(_file({"a": _entry()}, bytes(7)), id="cut in its data"),
        pytest.param(_file({"a": _entry()}, bytes(9)), id="more data than tensors"),
        pytest.param(b"\xff" * 8 + b"{}", id="a header larger than any memory"),
        pytest.param(_file(b"\xff\xfe{}"), id="no utf-8"),
        pytest.param(_file(b"{"), id="no json"),
        pytest.param(_file(b"[" * 100_000), id="json without end"),
        pytest.param(_file([]), id="no object"),
        pytest.param(_file({"a": 1}), id="no entry"),
        pytest.param(_file({"a": {}}), id="an empty entry"),
        pytest.param(_file({"a": _entry(dtype="F16")}, bytes(8)), id="another type"),
        pytest.param(_file({"a": _entry(dtype=["F32"])}, bytes(8)), id="a list of types"),
        pytest.param(_file({"a": _entry(shape=2)}, bytes(8)), id="a shape that is no list"),
        pytest.param(_file({"a": _entry(shape=[-2])}, bytes(8)), id="a negative size"),
        pytest.param(_file({"a": _entry(shape=[2.0])}, bytes(8)), id="a broken size"),
        pytest.param(_file({"a": _entry(shape=[True, 2])}, bytes(8)), id="a size that is a truth"),
        pytest.param(_file({"a": _entry(shape=[3])}, bytes(8)), id="a size that does not fit"),
        pytest.param(_file({"a": _entry(shape=[2**62, 2])}, bytes(8)), id="an enormous size"),
        pytest.param(_file({"a": _entry(data_offsets=[0])}, bytes(8)), id="one offset"),
        pytest.param(
            _file({"a": _entry(data_offsets=[8, 0])}, bytes(8)), id="ends before it begins"
        ),
        pytest.param(_file({"a": _entry(data_offsets=[-8, 0])}, bytes(8)), id="before the data"),
        pytest.param(_file({"a": _entry(data_offsets=[8, 16])}, bytes(8)), id="behind the data"),
        pytest.param(_file({"a": _entry(data_offsets=[8, 16])}, bytes(16)), id="a hole"),
        pytest.param(_file({"a": _entry(), "b": _entry()}, bytes(8)), id="two at one place"),
    ],
)
def test_a_malformed_file_is_refused(body: bytes) -> None:
    with pytest.raises(MisconfiguredError, match="tensor"):
        decode_tensors(body)


@given(st.binary(max_size=60), st.integers(0, 200))
def test_damage_is_refused_or_read_but_never_another_error(noise: bytes, at: int) -> None:
    body = encode_tensors({"a": np.ones((2, 3), np.float32), "b": np.ones(4, np.int8)})
    try:
        decode_tensors(body[:at] + noise + body[at + len(noise) :])
    except MisconfiguredError:
        return
