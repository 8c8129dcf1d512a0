"""The safetensors format: named tensors in one file that holds nothing to execute.

    size of the header (8 bytes) | header, JSON | the tensors one after another
    header  {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}

Source: https://github.com/huggingface/safetensors#format
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from everturn.errors import MisconfiguredError

Tensors: TypeAlias = Mapping[str, NDArray[Any]]
"""Tensors by name; float32, int8 or int64 of any shape."""

_DTYPES: Final[Mapping[str, np.dtype[Any]]] = {
    "F32": np.dtype("<f4"),
    "I8": np.dtype("i1"),
    "I64": np.dtype("<i8"),
}
_NAMES: Final = {dtype: name for name, dtype in _DTYPES.items()}
_SIZE_BYTES: Final = 8
# The format's own limit for a header.
_MAX_HEADER_BYTES: Final = 100_000_000
_NO_TENSOR: Final = "__metadata__"


@dataclass(frozen=True, slots=True)
class _Place:
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    begin: int
    end: int


def decode_tensors(body: bytes) -> Tensors:
    """Return the tensors of a file as read-only views of its bytes.

    Raises:
        MisconfiguredError: it is no such file: cut off, a header that does not describe exactly
            the bytes that follow, or a type of numbers that no model here has.
    """
    start = _SIZE_BYTES + int.from_bytes(body[:_SIZE_BYTES], "little")
    if len(body) < start or start > _SIZE_BYTES + _MAX_HEADER_BYTES:
        raise MisconfiguredError(f"the tensors' file is cut off bytes={len(body)}")
    places = _places(body[_SIZE_BYTES:start])
    _check_tiling(places, len(body) - start)
    return {
        name: np.frombuffer(body, at.dtype, math.prod(at.shape), start + at.begin).reshape(at.shape)
        for name, at in places.items()
    }


def encode_tensors(tensors: Tensors) -> bytes:
    """Return the file of these tensors, in the order of their names."""
    header, parts, end = {}, [], 0
    for name in sorted(tensors):
        tensor = tensors[name].astype(tensors[name].dtype.newbyteorder("<"), copy=False)
        begin, end = end, end + tensor.nbytes
        header[name] = {
            "dtype": _NAMES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [begin, end],
        }
        parts.append(tensor.tobytes())
    front = json.dumps(header, separators=(",", ":")).encode()
    # Tensors begin at a multiple of 8 bytes; spaces after the JSON are allowed for that.
    front += b" " * (-len(front) % _SIZE_BYTES)
    return b"".join([len(front).to_bytes(_SIZE_BYTES, "little"), front, *parts])


def _places(front: bytes) -> dict[str, _Place]:
    try:
        header = json.loads(front)
        return {name: _place(entry) for name, entry in header.items() if name != _NO_TENSOR}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as exc:
        raise MisconfiguredError("the tensors' file has no header that can be read") from exc


def _place(entry: Mapping[str, Any]) -> _Place:
    shape = tuple(entry["shape"])
    begin, end = entry["data_offsets"]
    if not all(type(number) is int and number >= 0 for number in (*shape, begin, end)):
        raise ValueError("shape and offsets are counts")
    return _Place(_DTYPES[entry["dtype"]], shape, begin, end)


def _check_tiling(places: Mapping[str, _Place], size: int) -> None:
    """Refuse holes, overlaps and tensors of another size than their shape says."""
    at = 0
    for name, place in sorted(places.items(), key=lambda item: (item[1].begin, item[1].end)):
        if place.begin != at or place.end - at != math.prod(place.shape) * place.dtype.itemsize:
            raise MisconfiguredError(f"a tensor does not lie where it should tensor={name}")
        at = place.end
    if at != size:
        raise MisconfiguredError(f"the tensors' file is not as long as its tensors bytes={size}")
