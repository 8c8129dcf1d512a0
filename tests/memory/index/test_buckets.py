"""Which bucket a memory is in, and where long listings are parted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.memory.index.files import (
    bucket_of,
    buckets_of,
    depth_of,
    even_edges,
    first_digits,
)
from memory.model.drawn_memories import rids

PREFIX = "m/acme/ann/"


@pytest.mark.parametrize(
    ("count", "depth"),
    [(0, 0), (2_048, 0), (2_049, 1), (32_768, 1), (32_769, 2), (100_000, 2)],
)
def test_more_memories_are_in_more_buckets(count: int, depth: int) -> None:
    assert depth_of(count) == depth


@given(rids, st.integers(0, 2))
def test_a_bucket_says_its_depth_and_how_its_ids_begin(rid: str, depth: int) -> None:
    bucket = bucket_of(rid, depth)
    assert bucket[0] == str(depth)
    assert rid.startswith(first_digits(bucket))
    assert bucket in buckets_of(rid)


@given(rids, rids)
def test_no_bucket_of_one_depth_is_one_of_another(one: str, other: str) -> None:
    pairs = {bucket: depth for rid in (one, other) for depth, bucket in enumerate(buckets_of(rid))}
    assert all(
        bucket_of(one, depth) == name for name, depth in pairs.items() if name in buckets_of(one)
    )


@pytest.mark.parametrize(
    ("digits", "parts"),
    [("ff", 1), ("c0", 1), ("80", 2), ("55", 3), ("40", 4), ("33", 5), ("0f", 16), ("03", 16)],
)
def test_a_first_page_tells_how_many_others_there_are(digits: str, parts: int) -> None:
    edges = even_edges(PREFIX, f"{PREFIX}{digits}{'0' * 30}.json")
    assert edges == tuple(sorted(edges))
    assert all(edge.startswith(PREFIX) for edge in edges)
    assert len(edges) + 1 >= parts
    step = 16 // parts
    assert edges == tuple(PREFIX + digit for digit in "0123456789abcdef"[step::step][: len(edges)])


@pytest.mark.parametrize("end", ["", PREFIX, "m/other/key.json", f"{PREFIX}~AB.json"])
def test_foreign_keys_part_nothing(end: str) -> None:
    assert even_edges(PREFIX, end) == ()
