"""Cached rows, and the root that holds them."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.conversations.model.head import parse_record
from everturn.conversations.model.summary import Summary, summarize
from everturn.listing.model.cache_root import CacheRoot, content_name, decode_root, encode_root
from everturn.listing.model.cached_row import CachedRow, place_of, row_of
from everturn.values.go_json import JsonObject, JsonValue, dumps
from everturn.values.keys import key_token
from strategies.json_values import json_values, texts, times_ns

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
rows = st.builds(CachedRow, texts, st.none() | summaries, times_ns, st.booleans(), times_ns)

ROW: list[JsonValue] = ["c1", "a title", "a preview", 2, 1_772_359_200_000_000_000, None, False]
NEWEST = 1_772_359_200_000_000_000
OLDEST = NEWEST - 5
ENTRY: list[JsonValue] = [KEY, '"etag"', ROW, NEWEST, False, OLDEST]
NAMES = tuple(content_name(bytes([number])) for number in range(4))
ROOT: JsonObject = {
    "version": 3, "rows": [ENTRY], "edges": [KEY], "index": NAMES[0], "runs": [NAMES[1], NAMES[2]],
    "retired": [NAMES[3]], "forgets": 7,
}  # fmt: skip


NO_NAMES = ("", "x", "../" + NAMES[0], NAMES[0].upper(), NAMES[0] + "\n")
NO_VALUES: list[tuple[str, Any]] = [
    *((part, 5) for part in ROOT if part != "forgets"),
    *((part, {}) for part in ROOT if part != "rows"),
    *((part, "text") for part in ROOT),
    *((part, [5]) for part in ROOT),
    *(("forgets", value) for value in (-1, 1.0, True, "7")),
    *((part, None) for part in ROOT if part != "index"),
    *(("index", name) for name in NO_NAMES),
    *((part, [name]) for part in ("runs", "retired") for name in NO_NAMES),
]


def head_file(**fields: JsonValue) -> bytes:
    turns = [{"role": "user", "text": "hi", "ts": "2026-03-01T10:00:00Z"}]
    return json.dumps({"conversation_id": "c1", "turns": turns, **fields}).encode()


def cached(body: bytes, *, key: str = KEY) -> CachedRow:
    return row_of(parse_record(body, name="c1"), key=key, etag="e1")


def document(*entries: JsonValue, **fields: JsonValue) -> bytes:
    return dumps({**ROOT, "rows": list(entries), **fields}).encode()


def replaced(values: list[JsonValue], at: int, value: JsonValue) -> list[JsonValue]:
    return [*values[:at], value, *values[at + 1 :]]


@given(st.lists(rows, max_size=5))
def test_a_cache_reads_back_as_it_was_written(cached_rows: list[CachedRow]) -> None:
    ids = [known.row.conversation_id if known.row else "x" for known in cached_rows]
    by_key = {
        f"c/t/a/{key_token(own)}.json": row for own, row in zip(ids, cached_rows, strict=True)
    }
    root = CacheRoot(by_key, (KEY, "c/\u00fc"), NAMES[0], NAMES[1:3], NAMES[3:], 2**40)
    assert decode_root(encode_root(root)) == root
    assert decode_root(encode_root(replace(root, index=None))) == replace(root, index=None)


def test_a_document_reads_as_its_root() -> None:
    """The document that the other tests of this file break."""
    row = Summary("c1", "a title", "a preview", 2, NEWEST)
    known = CachedRow('"etag"', row, NEWEST, oldest_ns=OLDEST)
    root = CacheRoot({KEY: known}, (KEY,), NAMES[0], NAMES[1:3], NAMES[3:], 7)
    assert decode_root(document(ENTRY)) == root
    assert root.names == frozenset(NAMES)


@given(st.binary() | json_values.map(dumps).map(str.encode))
def test_any_other_bytes_read_as_no_root(body: bytes) -> None:
    assert decode_root(body) is None


@given(json_values, st.integers(0, 5))
def test_an_entry_with_anything_else_in_it_is_an_entry_or_breaks_the_root(
    value: JsonValue, at: int
) -> None:
    for entry in (replaced(ENTRY, at, value), replaced(ENTRY, 2, replaced(ROW, at, value))):
        root = decode_root(document(ENTRY, entry))
        if root is None:
            continue
        assert decode_root(encode_root(root)) == root
        for kept in root.rows.values():
            assert type(kept.etag) is str
            assert type(kept.newest_ns) is int
            assert kept.row is None or kept.row.conversation_id


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{}", b"null", b"[]", b"5", b'"text"', b"\xff\xfe", bytes(32), b"[" * 100_000,
        document(ENTRY, version=1), document(ENTRY, version="2"),
        document(ENTRY, version=None), b'{"version":3}', b'{"version":3,"rows":[]}',
        *(dumps({**ROOT, name: value}).encode() for name, value in NO_VALUES),
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
def test_a_broken_document_reads_as_no_root(body: bytes) -> None:
    """It will be made again; half a root would hide conversations that it garbles."""
    assert decode_root(body) is None


@pytest.mark.parametrize("updated_ns", [-62_135_596_800 * 10**9, -1, 0])
def test_go_s_zero_time_and_any_other_before_1970_is_a_time_of_a_row(updated_ns: int) -> None:
    entry = replaced(ENTRY, 2, replaced(ROW, 4, updated_ns))
    assert decode_root(document(entry)) is not None


def test_rows_stand_newest_first_and_ties_by_id() -> None:
    order = [Summary("b", "", "", 1, 2), Summary("a", "", "", 1, 1), Summary("b", "", "", 1, 1)]
    assert sorted([*order[1:], order[0]], key=place_of) == order


@given(st.binary(), st.binary())
def test_the_name_of_a_file_says_its_content(one: bytes, other: bytes) -> None:
    assert (content_name(one) == content_name(other)) == (one == other)


def test_a_listed_head_has_the_row_of_its_record() -> None:
    body = head_file(title="t", folder="f")
    assert cached(body) == CachedRow(
        "e1", summarize(parse_record(body, name="c1")), NEWEST, oldest_ns=NEWEST
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
    own = "\ud800"
    assert cached(head_file(conversation_id=own), key=f"c/t/a/{key_token(own)}.json").unreadable
