"""The file of a watermark: how many turns were consolidated, or that nobody can tell.

Not here: where it is read (tests/services/test_read_watermarks.py).
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.domain.watermark import parse_watermark
from everturn.errors import CorruptRecordError


@given(st.integers(0, 10**12))
def test_a_watermark_is_how_many_turns_were_read(turns: int) -> None:
    assert parse_watermark(b'{"conversation_id":"a","turns":%d,"new":1}' % turns) == turns


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"null", b"7", b"{}", b'{"turns":null}', b'{"turns":"7"}',
        b'{"turns":7.0}', b'{"turns":true}', b'{"turns":-1}', b'{"turns":1e999}', b"\xff",
        b"[" * 100_000,
    ],
)  # fmt: skip
def test_what_says_nothing_of_it_is_corrupt(body: bytes) -> None:
    with pytest.raises(CorruptRecordError):
        parse_watermark(body)
