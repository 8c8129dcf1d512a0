"""The file of rows: read back as written, and never trusted."""

import hashlib
import json
import os
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.conversations.model.turn import Turn
from everturn.recall.index.build_rows import make_rows
from everturn.recall.index.index_files import decode_chunk, encode_chunk
from everturn.recall.index.turn_rows import SegmentSpan, TurnRows, join_rows, no_rows
from everturn.values.keys import CHUNK_ROWS
from golden_files import GOLDEN_FILES, golden_bytes
from scenarios.recalled_turns import START_NS, assert_same_rows, turn, turns, units

GOLDEN = "index_chunk.bin"
WRITE_GOLDEN = "EVERTURN_WRITE_GOLDEN"


def _golden_rows() -> TurnRows:
    said = [
        turn(0, "My server listens on port 8080.", time_ns=START_NS),
        turn(1, "Noted: see src/parse_v2.ts, yesterday.", role="assistant", name="Ann"),
        None,
        turn(3, "昨日は東京 caf\u00e9", role="Bob", time_ns=START_NS + 1),
    ]
    rows = make_rows(said, 3)
    # Numbers that float32 holds: the file must not depend on how a machine divides.
    vectors = np.array([[1, 0, 0], [0.5, -0.5, 0.25], [0, 0, 0]], np.float32)
    rows = rows.with_vectors(np.array([0, 1, 3]), vectors)
    return join_rows([rows], [SegmentSpan(0, 1, "000000000000-000000000001-AAAAAAAAAAAAAAAA")])


def _written(changed: dict[str, Any]) -> bytes:
    """Return a file with a right checksum whose header says something else."""
    body = encode_chunk(_golden_rows(), "m")[:-8]
    size = int.from_bytes(body[:4], "little")
    header = json.loads(body[4 : 4 + size]) | changed
    front = json.dumps(header).encode()
    rest = len(front).to_bytes(4, "little") + front + body[4 + size :]
    return rest + hashlib.blake2b(rest, digest_size=8).digest()


@given(turns(), st.integers(0, 5))
def test_a_file_is_read_as_it_was_written(drawn: list[Turn | None], dimensions: int) -> None:
    rows = make_rows(drawn, dimensions)
    rows = rows.with_vectors(np.arange(len(drawn)), units("v", len(drawn), dimensions))
    rows = replace(rows, sources=(SegmentSpan(3, 9, "n"), SegmentSpan(10, 11, "o")))

    back = decode_chunk(encode_chunk(rows, "m"), model="m", dimensions=dimensions)

    assert back is not None
    assert_same_rows(back, rows)
    assert back.sources == rows.sources


def test_what_is_read_can_be_worked_with() -> None:
    back = decode_chunk(encode_chunk(_golden_rows(), "m"), model="m", dimensions=3)

    assert back is not None
    again = back.with_vectors(np.array([0]), units("w", 1, 3))
    assert_same_rows(join_rows([again.part(0, 2), back.part(2, 4)]), again)


def test_a_damaged_byte_anywhere_makes_it_no_file() -> None:
    body = encode_chunk(_golden_rows(), "m")

    for at in range(len(body)):
        damaged = bytearray(body)
        damaged[at] ^= 1 << (at % 8)
        assert decode_chunk(bytes(damaged), model="m", dimensions=3) is None


def test_a_file_cut_short_or_longer_is_none() -> None:
    body = encode_chunk(_golden_rows(), "m")

    assert all(
        decode_chunk(body[:end], model="m", dimensions=3) is None for end in range(len(body))
    )
    assert decode_chunk(body + b"\0", model="m", dimensions=3) is None
    assert decode_chunk(b"\0" + body, model="m", dimensions=3) is None


@given(st.binary(max_size=300))
def test_any_bytes_are_no_file(body: bytes) -> None:
    assert decode_chunk(body, model="m", dimensions=3) is None


@given(st.binary(max_size=300))
def test_any_bytes_with_a_right_checksum_are_no_file(body: bytes) -> None:
    checked = body + hashlib.blake2b(body, digest_size=8).digest()

    assert decode_chunk(checked, model="m", dimensions=3) is None


def test_another_model_does_not_read_it() -> None:
    body = encode_chunk(_golden_rows(), "m")

    assert decode_chunk(body, model="n", dimensions=3) is None
    assert decode_chunk(body, model="m", dimensions=4) is None
    assert decode_chunk(body, model="m", dimensions=0) is None


@pytest.mark.parametrize(
    "changed",
    [
        {"rows": 2**40},
        {"rows": 10**30},
        {"rows": -1},
        {"rows": 3.0},
        {"rows": "4"},
        {"rows": None},
        {"rows": [4]},
        {"terms": 2**40},
        {"terms": 10**30},
        {"terms": -1},
        {"terms": 0},
        {"format": "0.0"},
        {"format": None},
        {"model": None},
        {"dimensions": "3"},
        {"dimensions": [3]},
        {"names": []},
        {"names": ["", "user"]},
        {"names": [1, 2, 3, 4, 5, 6]},
        {"names": 7},
        {"sources": [[0, 1]]},
        {"sources": [[0, "1", "n"]]},
        {"sources": [[True, 1, "n"]]},
        {"sources": 1},
        {"sources": None},
    ],
)
def test_a_header_that_does_not_fit_makes_it_no_file_and_takes_no_memory(
    changed: dict[str, Any],
) -> None:
    body = _written(changed)
    tracemalloc.start()
    try:
        assert decode_chunk(body, model="m", dimensions=3) is None
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("front", [b"", b"[]", b"1", b'"x"', b"null", b"[" * 100_000, b"{}"])
def test_a_header_that_is_no_object_makes_it_no_file(front: bytes) -> None:
    rest = len(front).to_bytes(4, "little") + front
    body = rest + hashlib.blake2b(rest, digest_size=8).digest()

    assert decode_chunk(body, model="m", dimensions=3) is None


def _nan(rows: TurnRows) -> TurnRows:
    return replace(rows, scales=np.full(len(rows), np.nan, np.float32))


def _too_wide(rows: TurnRows) -> TurnRows:
    return replace(rows, widths=rows.widths + 1)


def _unnamed(rows: TurnRows) -> TurnRows:
    return replace(rows, speakers=np.full(len(rows), 9, np.uint16))


@pytest.mark.parametrize("spoilt", [_nan, _too_wide, _unnamed])
def test_columns_that_do_not_fit_one_another_make_it_no_file(
    spoilt: Callable[[TurnRows], TurnRows],
) -> None:
    body = encode_chunk(spoilt(_golden_rows()), "m")

    assert decode_chunk(body, model="m", dimensions=3) is None


def test_a_file_of_more_rows_than_a_chunk_is_none() -> None:
    most = encode_chunk(no_rows(CHUNK_ROWS, 3), "m")
    more = encode_chunk(no_rows(CHUNK_ROWS + 1, 3), "m")

    assert decode_chunk(most, model="m", dimensions=3) is not None
    assert decode_chunk(more, model="m", dimensions=3) is None


def test_the_golden_file_is_written_and_read() -> None:
    """Another layout, other terms or another hash need another format number: files lie about."""
    body = encode_chunk(_golden_rows(), "model/1")
    if os.environ.get(WRITE_GOLDEN):
        (GOLDEN_FILES / GOLDEN).write_bytes(body)
    back = decode_chunk(golden_bytes(GOLDEN), model="model/1", dimensions=3)

    assert back is not None
    assert_same_rows(back, _golden_rows())
    assert golden_bytes(GOLDEN) == body


def test_a_file_holds_no_text_of_a_turn() -> None:
    body = encode_chunk(_golden_rows(), "m")

    assert not any(word in body for word in (b"server", b"8080", b"parse", "東京".encode()))
