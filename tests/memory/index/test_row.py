"""Rows of the index of memories: what they keep of one, and their file."""

import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.memory.index.row import (
    FORGOTTEN,
    HARD,
    PINNED,
    USER,
    decode_rows,
    encode_rows,
    row_of,
)
from everturn.memory.model.memory import Memory
from everturn.memory.model.supersession import Stated
from everturn.recall.language.terms import hash_of_text, matchable_text, terms_of
from memory.model.drawn_memories import drawn_memories
from memory.model.memories import START_NS, fact, in_conversation, pattern, ref_of

TEA = fact("Dana likes tea.", in_conversation("a", 1, 2, "a quote"), in_conversation("b"))
GOOD = encode_rows([row_of(TEA, '"1"'), row_of(TEA.forgotten(START_NS), '"2"')])


@given(st.lists(drawn_memories, max_size=3))
def test_a_file_is_read_as_it_was_written(memories: list[Memory]) -> None:
    rows = [row_of(memory, f'"{at}"') for at, memory in enumerate(memories)]
    assert decode_rows(encode_rows(rows)) == rows


def test_a_row_keeps_what_choosing_needs_and_no_text() -> None:
    row = row_of(TEA, "e")
    assert (row.rid, row.etag, row.kind, row.flags) == (TEA.rid, "e", "fact", 0)
    assert (row.coverage, row.sources) == (2, (ref_of("a"), ref_of("b")))
    assert (row.text_hash, row.size) == (hash_of_text(matchable_text(TEA.text)), 15)
    assert row.stated == Stated(TEA.rid, TEA.starts, ())
    assert b"tea" not in GOOD.lower()
    assert b"quote" not in GOOD


def test_terms_are_different_and_in_ascending_order() -> None:
    text = "port port 8080 a/b.py Dana"
    row = row_of(fact(text, in_conversation("a")), "e")
    numbers = [
        int.from_bytes(bytes.fromhex(row.terms[at : at + 8]), "little")
        for at in range(0, len(row.terms), 8)
    ]
    assert numbers == sorted(set(numbers))
    assert set(terms_of(text)) <= set(numbers)


def test_flags_say_what_a_memory_is() -> None:
    memory = replace(TEA, subject="User", hard=True, pinned=True)
    assert row_of(memory, "").flags == USER | HARD | PINNED
    assert row_of(memory.forgotten(1), "").flags == FORGOTTEN


def test_a_forgotten_row_keeps_nothing_that_leads_to_the_text() -> None:
    row = row_of(TEA.forgotten(START_NS), "e")
    assert row.is_forgotten
    assert (row.text_hash, row.size, row.terms, row.sources, row.coverage) == (0, 0, "", (), 0)


def test_a_pattern_is_matched_by_all_that_it_says() -> None:
    row = row_of(pattern(("a", "push the tag")), "e")
    assert set(terms_of("push the tag")) <= {
        int.from_bytes(bytes.fromhex(row.terms[at : at + 8]), "little")
        for at in range(0, len(row.terms), 8)
    }


@given(st.integers(0, len(GOOD) - 1), st.integers(1, 255))
def test_a_changed_byte_is_damage(at: int, change: int) -> None:
    body = bytearray(GOOD)
    body[at] ^= change
    assert decode_rows(bytes(body)) is None


@given(st.integers(0, len(GOOD) - 1))
def test_a_file_that_ends_early_is_damage(size: int) -> None:
    assert decode_rows(GOOD[:size]) is None


@given(st.binary(max_size=40))
def test_a_foreign_file_is_none(body: bytes) -> None:
    assert decode_rows(body) is None


def _with_sum(fields: Any) -> bytes:  # noqa: ANN401
    body = json.dumps(fields).encode()
    return hashlib.blake2b(body, digest_size=8).hexdigest().encode() + body


def _rows(at: int, value: Any) -> dict[str, Any]:  # noqa: ANN401
    fields: dict[str, Any] = json.loads(GOOD[16:])
    fields["rows"][0][at] = value
    return fields


@pytest.mark.parametrize(
    "fields",
    [
        None, [], "x", {}, {"format": "0"}, json.loads(GOOD[16:]) | {"format": "2"},
        json.loads(GOOD[16:]) | {"rows": None}, json.loads(GOOD[16:]) | {"rows": [[]]},
        json.loads(GOOD[16:]) | {"rows": [{}]},
        *(_rows(at, None) for at in range(16) if at != 7),
        *(_rows(at, {}) for at in range(16)),
        _rows(2, "hope"), _rows(4, float("nan")), _rows(8, [1]), _rows(9, [1]), _rows(9, [[1, 2]]),
    ],
)  # fmt: skip
def test_a_sound_file_of_other_rules_is_none(fields: Any) -> None:  # noqa: ANN401
    """A checksum tells of damage, not of another program or another release."""
    assert decode_rows(_with_sum(json.loads(GOOD[16:]))) is not None
    assert decode_rows(_with_sum(fields)) is None
