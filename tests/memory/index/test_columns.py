"""Rows of memories as columns, however they are cut into buckets."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from everturn.memory.index.columns import MemoryColumns, MemoryIndex
from everturn.memory.index.row import PINNED, MemoryRow, row_of
from everturn.recall.index.turn_rows import NO_TIME
from everturn.recall.language.language import ENGLISH
from everturn.values.memory_kind import KINDS
from memory.index.ranked_memories import index_of, memory_rows, said, stored
from memory.model.memories import START_NS, fact, in_conversation, ref_of
from scenarios.recalled_turns import units


@given(memory_rows(), st.integers(1, 5))
def test_an_index_says_what_the_rows_say_however_they_are_cut(
    rows: list[MemoryRow], size: int
) -> None:
    vectors = units("v", len(rows), 8)
    index = index_of(rows, vectors=vectors, size=size)

    assert index.rids == tuple(row.rid for row in rows)
    assert [KINDS[kind] for kind in index.kinds] == [row.kind for row in rows]
    assert index.flags.tolist() == [row.flags for row in rows]
    assert index.salience.tolist() == [row.salience for row in rows]
    assert index.first_times.tolist() == [row.first_ns for row in rows]
    assert index.last_times.tolist() == [row.last_ns for row in rows]
    assert index.hashes.tolist() == [row.text_hash for row in rows]
    assert [None if at == NO_TIME else at for at in index.valid_from.tolist()] == [
        row.valid_from_ns for row in rows
    ]


@given(memory_rows(), st.integers(1, 5))
def test_terms_and_sources_stay_with_their_memory(rows: list[MemoryRow], size: int) -> None:
    index = index_of(rows, size=size)
    for at, row in enumerate(rows):
        terms = index.terms[index.term_rows == at]
        sources = index.sources[index.source_rows == at]

        assert terms.astype("<u4").tobytes().hex() == row.terms
        assert index.lengths[at] == len(terms)
        assert [f"{source:016x}" for source in sources.tolist()] == list(row.sources)


@given(memory_rows(), st.integers(1, 5), st.data())
def test_vectors_stay_with_their_memory(
    rows: list[MemoryRow], size: int, data: st.DataObject
) -> None:
    vectors = units("v", len(rows), 8)
    index = index_of(rows, vectors=vectors, size=size)
    some = data.draw(st.lists(st.sampled_from(range(len(rows)))) if rows else st.just([]))
    at = np.array(some, np.intp)

    found = index.rows_of_vectors(at) * index.scales[at, None]

    assert np.allclose(found.reshape(len(some), 8), vectors[at], atol=0.01)


def test_what_has_no_vector_yet_has_the_scale_nought() -> None:
    rows = [said("one port"), said("another port")]
    known, dimensions = stored(rows[:1], units("v", 1, 8))

    index = MemoryIndex([MemoryColumns.of(rows, known, dimensions)])

    assert (index.scales > 0).tolist() == [True, False]


def test_no_rows_are_an_index_of_nothing() -> None:
    """Whether there is no bucket, or an empty one."""
    for index in (MemoryIndex([]), MemoryIndex([MemoryColumns.of([], {}, 384)])):
        assert len(index) == 0
        assert index.terms.tolist() == index.sources.tolist() == []
        assert index.dates.shape == (4, 0)


def test_every_source_of_a_memory_is_known() -> None:
    conversations = [f"c{number}" for number in range(40)]
    memory = fact("the port is 8080", *map(in_conversation, conversations))
    index = index_of([row_of(memory, "etag")])

    assert {f"{source:016x}" for source in index.sources.tolist()} == set(
        map(ref_of, conversations)
    )


def test_a_memory_says_when_by_a_word_a_year_or_its_own_date() -> None:
    texts = ["met Ann last week", "moved in 2019", "the port is 8080", "likes tea"]
    rows = [said(text) for text in texts] + [said("drinks tea", valid_from_ns=START_NS)]

    assert index_of(rows).says_when.tolist() == [True, True, False, False, True]


def test_the_words_of_time_are_those_of_the_pattern() -> None:
    inner = ENGLISH.time_words.pattern.removeprefix(r"\b(").removesuffix(r")\b")
    words = [part for part in inner.split("|") if part.rstrip("?").isalpha()]
    singular = {word.removesuffix("s?") for word in words}
    plural = {word.removesuffix("?") for word in words if word.endswith("s?")}

    assert ENGLISH.time_forms == singular | plural


def test_a_date_is_that_from_which_a_memory_holds_else_that_of_its_first_saying() -> None:
    day_ns = 86_400 * 10**9
    rows = [said("port", at_ns=0), said("tea", at_ns=0, valid_from_ns=31 * day_ns)]

    assert index_of(rows).dates.T.tolist() == [[1970, 1, 1, 3], [1970, 2, 1, 6]]


def test_a_memory_without_text_cannot_be_found() -> None:
    forgotten = fact("port", in_conversation("c")).forgotten(START_NS)
    rows = [said("tea", pinned=True), row_of(forgotten, "etag")]
    index = index_of(rows)

    assert index.readable.tolist() == [True, False]
    assert (index.flags & PINNED > 0).tolist() == [True, False]


@given(memory_rows())
def test_its_size_is_known(rows: list[MemoryRow]) -> None:
    small, large = index_of(rows), index_of(rows, vectors=units("v", len(rows), 64))

    assert large.size_bytes - small.size_bytes >= 64 * len(rows)
    assert small.size_bytes >= sum(len(row.terms) // 2 for row in rows)
