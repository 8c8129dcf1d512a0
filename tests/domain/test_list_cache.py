"""The document of the list cache.

Not here: whether it is true of the store.
"""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.json_values import json_values, texts, times_ns
from everturn.domain.go_json import JsonValue, dumps
from everturn.domain.head import parse_record
from everturn.domain.keys import key_token
from everturn.domain.list_cache import CachedRow, decode_cache, encode_cache, row_of
from everturn.domain.summary import Summary, summarize

KEY = "c/t/a/c1.json"
summaries = st.builds(
    Summary,
    texts,
    texts,
    texts,
    st.integers(0),
    st.integers(0, 10**18),
    st.none() | texts,
    st.booleans(),
)
rows = st.builds(CachedRow, texts, st.none() | summaries, times_ns, st.booleans())

ROW: list[JsonValue] = ["c1", "a title", "a preview", 2, 1_772_359_200_000_000_000, None, False]
NEWEST = 1_772_359_200_000_000_000
ENTRY: list[JsonValue] = [KEY, '"etag"', ROW, NEWEST, False]


def head_file(**fields: JsonValue) -> bytes:
    turns = [{"role": "user", "text": "hi", "ts": "2026-03-01T10:00:00Z"}]
    return json.dumps({"conversation_id": "c1", "turns": turns, **fields}).encode()


def cached(body: bytes, *, key: str = KEY) -> CachedRow:
    return row_of(parse_record(body, name="c1"), key=key, etag="e1")


def document(*entries: JsonValue, version: JsonValue = 1) -> bytes:
    return dumps({"version": version, "rows": list(entries)}).encode()


def replaced(values: list[JsonValue], at: int, value: JsonValue) -> list[JsonValue]:
    return [*values[:at], value, *values[at + 1 :]]


@given(st.lists(rows, max_size=5))
def test_a_cache_reads_back_as_it_was_written(cached_rows: list[CachedRow]) -> None:
    ids = [known.row.conversation_id if known.row else "x" for known in cached_rows]
    by_key = {
        f"c/t/a/{key_token(own)}.json": row for own, row in zip(ids, cached_rows, strict=True)
    }
    assert decode_cache(encode_cache(by_key)) == by_key


def test_an_entry_reads_as_its_row() -> None:
    """The document that the other tests of this file break."""
    known = CachedRow('"etag"', Summary("c1", "a title", "a preview", 2, NEWEST), NEWEST)
    assert decode_cache(document(ENTRY)) == {KEY: known}


@given(st.binary() | json_values.map(dumps).map(str.encode))
def test_any_other_bytes_read_as_an_empty_cache(body: bytes) -> None:
    assert decode_cache(body) == {}


@given(json_values, st.integers(0, 4))
def test_an_entry_with_anything_else_in_it_is_an_entry_or_empties_the_cache(
    value: JsonValue, at: int
) -> None:
    for entry in (replaced(ENTRY, at, value), replaced(ENTRY, 2, replaced(ROW, at, value))):
        known = decode_cache(document(ENTRY, entry))
        assert decode_cache(encode_cache(known)) == known
        for kept in known.values():
            assert type(kept.etag) is str
            assert type(kept.newest_ns) is int
            assert kept.row is None or kept.row.conversation_id


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{}", b"null", b"[]", b"5", b'"text"', b"\xff\xfe", bytes(32), b"[" * 100_000,
        document(ENTRY, version=2), document(ENTRY, version="1"),
        document(ENTRY, version=None), b'{"version":1}',
        b'{"version":1,"rows":5}', b'{"version":1,"rows":{"a":1}}', b'{"version":1,"rows":[NaN]}',
        document(ENTRY)[:-1], document(ENTRY) + b"x", document(5), document([]), document("abcde"),
        document(ENTRY[:-1]), document([*ENTRY, 1]),
        *(document(replaced(ENTRY, at, value)) for at, value in (
            (0, 5), (0, []), (1, None), (2, 0), (2, ""), (2, "abcdefg"), (2, []), (2, {}), (3, "1"),
            (3, 1.5), (3, True), (4, 0), (4, None),
        )),
        *(document(replaced(ENTRY, 2, replaced(ROW, at, value))) for at, value in (
            (0, None), (1, 5), (2, []), (3, "2"), (3, 2.5), (4, None), (4, "2026"), (5, 5), (6, 0),
        )),
        document(replaced(ENTRY, 2, ROW[:-1])), document(replaced(ENTRY, 2, [*ROW, 1])),
        document(ENTRY, 5),
    ],
)  # fmt: skip
def test_a_broken_cache_reads_as_an_empty_one(body: bytes) -> None:
    """It will be built again; half a cache would hide conversations that it garbles."""
    assert decode_cache(body) == {}


def test_a_listed_head_has_the_row_of_its_record() -> None:
    body = head_file(title="t", folder="f")
    assert cached(body) == CachedRow(
        "e1", summarize(parse_record(body, name="c1")), 1_772_359_200_000_000_000
    )


@pytest.mark.parametrize(
    "body",
    [head_file(turns=[]), head_file(turns=None), head_file(deleted={"segs": [], "done": True})],
)
def test_a_head_that_is_empty_or_deleted_has_no_row_and_is_no_fault(body: bytes) -> None:
    known = cached(body)
    assert (known.row, known.unreadable) == (None, False)


@pytest.mark.parametrize("key", ["c/t/a/c2.json", "c/t/a/C1.json", "c/t/a/c1.json.json"])
def test_a_head_at_a_key_that_is_not_its_own_is_unreadable(key: str) -> None:
    assert cached(head_file(), key=key) == CachedRow("e1", None, unreadable=True)


def test_an_id_with_half_a_surrogate_pair_harms_no_other_row() -> None:
    assert cached(head_file(conversation_id="\ud800")).unreadable
