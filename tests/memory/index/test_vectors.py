"""The file of the vectors of memories: read back as written, damage told, single ones taken out."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.memory.index.vectors import (
    OwnedVector,
    StoredVector,
    decode_vectors,
    encode_vectors,
    without_vectors,
)
from memory.model.drawn_memories import rids

_SCALES = st.floats(0, 1, width=32)


@st.composite
def owned_vectors(draw: st.DrawFn, dimensions: int) -> list[OwnedVector]:
    return [
        OwnedVector(
            rid,
            draw(st.integers(0, 2**64 - 1)),
            StoredVector(draw(_SCALES), draw(st.binary(min_size=dimensions, max_size=dimensions))),
        )
        for rid in sorted(draw(st.sets(rids, max_size=4)))
    ]


files = st.integers(0, 5).flatmap(lambda size: st.tuples(owned_vectors(size), st.just(size)))
GOOD = encode_vectors([OwnedVector("ab" * 16, 7, StoredVector(0.5, b"\x01\xff"))], 2)


@given(files)
def test_a_file_is_read_as_it_was_written(file: tuple[list[OwnedVector], int]) -> None:
    owned, dimensions = file
    assert decode_vectors(encode_vectors(reversed(owned), dimensions), dimensions) == owned


@given(files, st.data())
def test_what_is_taken_out_is_gone_and_all_else_stays(
    file: tuple[list[OwnedVector], int], data: st.DataObject
) -> None:
    owned, dimensions = file
    gone = {one.rid for one in owned if data.draw(st.booleans())}
    body = without_vectors(encode_vectors(owned, dimensions), gone)
    assert body == encode_vectors((one for one in owned if one.rid not in gone), dimensions)


def test_a_memory_whose_text_changed_is_taken_out_all_the_same() -> None:
    """Nobody may know any more which text it was."""
    body = without_vectors(GOOD, {"ab" * 16})
    assert body == encode_vectors([], 2)


@given(st.integers(0, len(GOOD) - 1), st.integers(1, 255))
def test_a_changed_byte_is_damage(at: int, change: int) -> None:
    body = bytearray(GOOD)
    body[at] ^= change
    assert decode_vectors(bytes(body), 2) is None
    assert without_vectors(bytes(body), ()) is None


@given(st.integers(0, len(GOOD) - 1))
def test_a_file_that_ends_early_is_damage(size: int) -> None:
    assert decode_vectors(GOOD[:size], 2) is None
    assert without_vectors(GOOD[:size], ()) is None


@given(st.binary(max_size=40))
def test_a_foreign_file_is_none(body: bytes) -> None:
    assert decode_vectors(body, 2) is None


@pytest.mark.parametrize("dimensions", [0, 1, 3, 512])
def test_vectors_of_another_length_are_none(dimensions: int) -> None:
    assert decode_vectors(GOOD, dimensions) is None


def test_the_layout_is_what_it_says() -> None:
    front = b"EVMV1" + struct.pack("<H", 2) + b"\xab" * 16 + struct.pack("<Qf", 7, 0.5)
    assert GOOD[:-8] == front + b"\x01\xff"
