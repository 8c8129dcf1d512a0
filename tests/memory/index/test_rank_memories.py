"""What any ranking of memories keeps to: bounds, order, ties, and what must come first."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.memory.index.rank_memories import rank_memories
from everturn.memory.index.row import MemoryRow, row_of
from memory.index.ranked_memories import (
    FILLER,
    HOUR_NS,
    NOW_NS,
    best,
    hours,
    index_of,
    memory_rows,
    ranked,
    said,
)
from memory.model.memories import DAY_NS, START_NS, fact, in_conversation
from scenarios.recalled_turns import units

QUERIES = st.one_of(
    st.sampled_from(
        ["port", "Dana's cat", "when did Ann say src/a.py?", "May 2025", "the", "北京", "?", "",
         "\ud800", "<recalled_memory>x", "0", "31", "Dana"]
    ),
    st.text(max_size=30),
)  # fmt: skip


@given(memory_rows(), QUERIES, st.sampled_from([None, 1, 8]))
def test_scores_are_between_nought_and_one_and_never_no_number(
    rows: list[MemoryRow], query: str, dimensions: int | None
) -> None:
    vectors = None if dimensions is None else units("v", len(rows), dimensions)

    ranking = ranked(rows, query, vectors=vectors)

    assert len(ranking.scores) == len(rows)
    assert ((ranking.scores >= 0) & (ranking.scores <= 1)).all()
    assert all(np.isfinite(lane).all() for lane in ranking.lanes.values())
    assert all(len(lane) == len(rows) for lane in ranking.lanes.values())


@given(memory_rows(), QUERIES)
def test_the_order_falls_by_score_and_ties_go_to_what_was_said_last(
    rows: list[MemoryRow], query: str
) -> None:
    ranking = ranked(rows, query)
    order = [int(row) for row in ranking.order()]
    keys = [(-ranking.scores[row], -rows[row].last_ns, -row) for row in order]

    assert keys == sorted(keys)
    assert sorted(order) == list(np.flatnonzero(ranking.scores))


@given(memory_rows(), QUERIES, st.integers(1, 5))
def test_the_answer_does_not_depend_on_buckets(
    rows: list[MemoryRow], query: str, size: int
) -> None:
    vectors = units("v", len(rows), 8)
    whole, cut = (ranked(rows, query, vectors=vectors, size=some) for some in (1_000, size))

    # Exact: cosines are sums of whole numbers (docs/decisions/0009), and scores are rounded.
    assert np.array_equal(whole.scores, cut.scores)


@given(memory_rows(), QUERIES, st.data())
def test_what_is_not_allowed_has_no_score(
    rows: list[MemoryRow], query: str, data: st.DataObject
) -> None:
    allowed = np.array([data.draw(st.booleans()) for _ in rows], bool)
    vectors = units("v", len(rows), 8)

    ranking = ranked(rows, query, vectors=vectors, allowed=allowed)

    assert not ranking.scores[~allowed].any()


@given(memory_rows())
def test_a_blank_query_ranks_by_salience_alone(rows: list[MemoryRow]) -> None:
    ranking = ranked(rows, " \n")

    assert ranking.scores.tolist() == pytest.approx(ranking.lanes["salience"].tolist())
    assert (ranking.scores > 0).all()


@given(memory_rows(), st.data())
def test_what_repeats_a_query_word_for_word_is_certain(
    rows: list[MemoryRow], data: st.DataObject
) -> None:
    texts = ["Dana likes  green tea.", *data.draw(st.permutations(["Dana likes tea", "a port"]))]
    rows = [*rows, *hours(texts)]
    ranking = ranked(rows, "Dana likes green tea.", vectors=units("v", len(rows), 8))

    assert ranking.order()[0] == len(rows) - 3
    assert ranking.scores.max() == 1


def test_a_memory_without_any_of_the_words_is_not_found() -> None:
    rows = hours(["the soup has lentils", "the spare key lies in the kitchen"])

    assert ranked(rows, "quasar nebula").order().tolist() == []
    assert ranked(rows, "spare key").order().tolist() == [1]


def test_a_forgotten_memory_is_never_found() -> None:
    forgotten = row_of(fact("a port", in_conversation("c")).forgotten(START_NS), "etag")
    rows = [said("the port is 8080", pinned=True), forgotten]

    for query in ("", "port", "the port is 8080"):
        assert ranked(rows, query).order().tolist() == [0]


@pytest.mark.parametrize("gap_ns", [1, HOUR_NS, 150 * DAY_NS])
@pytest.mark.parametrize("others", [[], FILLER])
def test_of_two_that_say_as_much_of_a_query_the_later_comes_first(
    gap_ns: int, others: list[str]
) -> None:
    old = said("The deploy port is 8080.", at_ns=START_NS)
    new = said("The deploy port is now 9090.", at_ns=START_NS + gap_ns)

    for rows in ([old, new, *hours(others)], [new, old, *hours(others)]):
        order = ranked(rows, "deploy port").order()
        assert [rows[row] for row in order[:2]] == [new, old]


@pytest.mark.parametrize("others", [[], FILLER])
def test_of_two_whose_vectors_are_nearly_one_the_later_comes_first(others: list[str]) -> None:
    """Even where the older is a little nearer to the query."""
    rows = [said("port 8080", at_ns=START_NS), said("port 9090", at_ns=START_NS + 1),
            *hours(others)]  # fmt: skip
    query, aside = units("query", 2, 64)
    vectors = units("v", len(rows), 64)
    vectors[0], vectors[1] = (query + by * aside for by in (0.5, 0.7))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    index = index_of(rows, vectors=vectors)

    ranking = rank_memories(index, "port", vector=query, now_ns=NOW_NS)

    assert vectors[0] @ vectors[1] > 0.8
    assert vectors[0] @ query > vectors[1] @ query + 0.05
    assert ranking.order()[:2].tolist() == [1, 0]


def test_what_says_more_of_a_query_comes_before_what_matters_more() -> None:
    rows = [
        said("the deploy port of staging is 8080", importance=0, at_ns=START_NS),
        said("the deploy day is Monday", importance=10, at_ns=NOW_NS, pinned=True),
        *hours(FILLER),
    ]

    assert best(rows, "deploy port of staging") == 0


def test_of_equals_what_matters_more_comes_first() -> None:
    rows = [said("port of Ann", importance=9), said("port of Ben", importance=2)]

    assert ranked(rows, "port").order().tolist() == [0, 1]


def test_what_one_conversation_said_in_one_breath_supports_its_neighbours() -> None:
    rows = [
        said("Ann booked a cabin", at_ns=START_NS, by="a"),
        said("the lake is Constance", at_ns=START_NS + 1, by="a"),
        said("Ann booked a table", at_ns=START_NS + 2, by="b"),
        *hours(FILLER, by="c"),
    ]

    order = ranked(rows, "what was booked at the lake").order()

    assert sorted(order[:2]) == [0, 1]
    assert order[2] == 2


def test_a_date_in_a_query_points_at_what_holds_from_then() -> None:
    march, may = (20_000 * DAY_NS + days * DAY_NS for days in (-200, -140))
    rows = [said("moved to Bern", valid_from_ns=march), said("moved to Graz", valid_from_ns=may)]
    index = index_of(rows)
    months = index.dates[1].tolist()

    assert months[0] != months[1]
    for row, query in enumerate(("who moved in March", "who moved in May")):
        assert months[row] == (3, 5)[row]
        assert best(rows, query) == row


def test_a_query_without_a_vector_is_ranked_by_its_words() -> None:
    rows = hours(["the port is 8080", *FILLER])
    vectors = units("v", len(rows), 8)
    index = index_of(rows, vectors=vectors)

    by_words = rank_memories(index, "port", now_ns=NOW_NS)
    zeros = rank_memories(index, "port", vector=np.zeros(8, np.float32), now_ns=NOW_NS)

    assert np.array_equal(by_words.scores, zeros.scores)
    assert "dense" not in by_words.lanes


def test_any_number_of_equals_is_ranked_in_time() -> None:
    """Those that tie with the best are compared with one another, but not all of them."""
    rows = hours([f"port p{at}q" for at in range(2_000)])

    assert len(ranked(rows, "port", vectors=units("v", 2_000, 8)).order()) == 2_000
