"""Ids that the server gives."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.values.keys import key_token, valid_id
from everturn.values.ulid import new_conversation_id
from strategies.json_values import times_ns

tokens = st.binary(min_size=10, max_size=10)


@pytest.mark.parametrize(
    ("now_ms", "token", "expected"),
    [
        (0, bytes(10), "0" * 26),
        (1_469_918_176_385, bytes(10), "01aryz6s41" + "0" * 16),
        ((1 << 48) - 1, b"\xff" * 10, "7" + "z" * 25),
        (0, (31).to_bytes(10, "big"), "0" * 25 + "z"),
        (0, (32).to_bytes(10, "big"), "0" * 24 + "10"),
    ],
)
def test_an_id_is_a_ulid_in_lower_case(now_ms: int, token: bytes, expected: str) -> None:
    """The second and the third are the examples of https://github.com/ulid/spec."""
    assert new_conversation_id(now_ms * 1_000_000, token) == expected


@given(times_ns, tokens)
def test_an_id_is_plain_and_needs_no_hash(now_ns: int, token: bytes) -> None:
    new = new_conversation_id(now_ns, token)
    assert re.fullmatch(r"[0-9a-hjkmnp-tv-z]{26}", new)
    assert key_token(valid_id(new, field="id")) == new


@given(times_ns, times_ns, tokens, tokens)
def test_ids_sort_by_their_millisecond(one: int, other: int, token: bytes, second: bytes) -> None:
    first, later = sorted([one, other])
    if first // 1_000_000 < later // 1_000_000:
        assert new_conversation_id(first, token) < new_conversation_id(later, second)


@given(times_ns, tokens, tokens)
def test_other_randomness_gives_another_id(now_ns: int, one: bytes, other: bytes) -> None:
    same = new_conversation_id(now_ns, one) == new_conversation_id(now_ns, other)
    assert same is (one == other)
