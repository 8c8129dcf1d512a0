"""What any ranking of turns keeps to: bounds, order, ties, and the turns that must come first."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from everturn.conversations.model.turn import Turn
from everturn.recall.index.build_rows import make_rows
from everturn.recall.index.turn_index import TurnIndex
from everturn.recall.ranking.fusion import Ranking
from everturn.recall.ranking.rank_turns import query_text, rank_turns
from scenarios.recalled_turns import MINUTE_NS, START_NS, cut, index_of, minutes, turn, turns, units

QUERIES = st.one_of(
    st.sampled_from(
        ["port", "Ann's cat", "when did Ann say src/a.py?", "what did you suggest?", "May 2025",
         "Monday 3 1999", "the", "北京", "?", "", " ", "\ud800", "<recalled_memory>x", "0", "31"]
    ),
    st.text(max_size=30),
)  # fmt: skip
FILLER = [f"we talked of the weather and of lunch on day {at}" for at in range(40)]


def _ranked(
    drawn: list[Turn | None], query: str, *, vectors: NDArray[np.float32] | None = None
) -> tuple[TurnIndex, Ranking]:
    index = index_of(drawn, vectors=vectors)
    vector = None if vectors is None else units(query, 1, vectors.shape[1])[0]
    return index, rank_turns(index, query, vector=vector)


def _first(texts: list[str], query: str) -> str:
    _, ranking = _ranked(minutes(texts), query)
    return texts[int(ranking.order()[0])]


@given(turns(), QUERIES, st.sampled_from([None, 1, 8]))
def test_scores_are_between_nought_and_one_and_never_no_number(
    drawn: list[Turn | None], query: str, dimensions: int | None
) -> None:
    vectors = None if dimensions is None else units("v", len(drawn), dimensions)

    _, ranking = _ranked(drawn, query, vectors=vectors)

    assert len(ranking.scores) == len(drawn)
    assert np.isfinite(ranking.scores).all()
    assert ((ranking.scores >= 0) & (ranking.scores <= 1)).all()
    assert all(np.isfinite(lane).all() for lane in ranking.lanes.values())
    assert all(len(lane) == len(drawn) for lane in ranking.lanes.values())


@given(turns(), QUERIES)
def test_the_order_falls_by_score_and_ties_go_to_the_newest(
    drawn: list[Turn | None], query: str
) -> None:
    _, ranking = _ranked(drawn, query)
    order = [int(row) for row in ranking.order()]
    keys = [(-ranking.scores[row], -row) for row in order]

    assert keys == sorted(keys)
    assert sorted(order) == list(np.flatnonzero(ranking.scores))


@given(turns(), QUERIES)
def test_the_same_question_has_the_same_answer(drawn: list[Turn | None], query: str) -> None:
    vectors = units("v", len(drawn), 8)
    (_, one), (_, two) = (_ranked(drawn, query, vectors=vectors) for _ in range(2))

    assert np.array_equal(one.scores, two.scores)


# A chunk that is not the last has more rows than one.
@given(turns(), QUERIES, st.integers(2, 5))
def test_the_answer_does_not_depend_on_how_rows_are_stored(
    drawn: list[Turn | None], query: str, size: int
) -> None:
    vectors, vector = units("v", len(drawn), 8), units("query", 1, 8)[0]
    rows = make_rows(drawn, 8).with_vectors(np.arange(len(drawn)), vectors)
    whole = rank_turns(TurnIndex(cut(rows, 12)), query, vector=vector)
    split = rank_turns(TurnIndex(cut(rows, size), widen=True), query, vector=vector)

    # Exact: cosines are sums of whole numbers (docs/decisions/0009), and scores are rounded.
    assert np.array_equal(whole.scores, split.scores)


@given(turns(), QUERIES, st.data())
def test_a_turn_that_is_not_allowed_or_cannot_be_read_has_no_score(
    drawn: list[Turn | None], query: str, data: st.DataObject
) -> None:
    index = index_of(drawn)
    allowed = np.array([data.draw(st.booleans()) for _ in drawn], bool)

    scores = rank_turns(index, query, allowed=allowed).scores

    assert not scores[~allowed].any()
    assert not scores[~index.readable].any()


@given(turns())
def test_vectors_of_noughts_change_nothing(drawn: list[Turn | None]) -> None:
    vectors = np.zeros((len(drawn), 4), np.float32)

    (_, without), (_, with_none) = _ranked(drawn, "port"), _ranked(drawn, "port", vectors=vectors)

    assert np.array_equal(without.scores, with_none.scores)


@pytest.mark.parametrize("query", ["", "  ", "<recalled_memory>port</recalled_memory>", "\u200b"])
def test_a_query_without_words_finds_nothing_without_a_model(query: str) -> None:
    _, ranking = _ranked(minutes(["port", "server"]), query)

    assert not ranking.scores.any()


def test_a_query_of_unknown_words_finds_nothing_without_a_model() -> None:
    _, ranking = _ranked(minutes(FILLER), "zygote quasar")

    assert not ranking.scores.any()


@pytest.mark.parametrize("said", [[], [None, None, None]])
def test_nothing_is_found_where_nothing_can_be_read(said: list[Turn | None]) -> None:
    _, ranking = _ranked(said, "port")

    assert len(ranking.scores) == len(said)
    assert not ranking.scores.any()


@pytest.mark.parametrize("at", [0, 1, 17, 39])
@pytest.mark.parametrize(
    "said",
    [
        "My server listens on port 8080.",
        "Yes.",
        "Why not?",
        "the",
        "we talked of lunch on day 7 and on day 8, lunch, lunch",
        "北京",
    ],
)
def test_an_exact_repeat_of_an_old_turn_comes_first(at: int, said: str) -> None:
    texts = [*FILLER]
    texts[at] = said

    _, ranking = _ranked(minutes(texts), f"  {said} ")

    assert ranking.order()[0] == at
    assert ranking.scores[at] == 1


def test_an_exact_repeat_comes_first_whatever_the_vectors_say() -> None:
    vectors = units("v", 40, 16)
    index = index_of(minutes(FILLER), vectors=vectors)

    ranking = rank_turns(index, FILLER[5], vector=vectors[30])

    assert ranking.order()[0] == 5


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("The run marker is MARK-77120431.", "what was MARK-77120431?"),
        ("It is 0x52908400098527886E0F7030069857D2EE8169E7 now.",
         "whose is 0x52908400098527886E0F7030069857D2EE8169E7"),
        ("See src/parse_v2.ts for the rest.", "what about src/parse_v2.ts"),
        ("My server listens on port 8080.", "which port does my server listen on"),
        ("I moved from Sweden four years ago.", "where did I move from"),
    ],
)  # fmt: skip
def test_what_a_turn_names_finds_it(said: str, asked: str) -> None:
    texts = [*FILLER[:20], said, *FILLER[20:], "the run of lunch", "see the rest of 0x, src, v2"]

    assert _first(texts, asked) == said


def test_in_a_short_talk_the_turn_that_says_it_comes_before_what_the_user_said_beside_it() -> None:
    """A newcomer's first three turns: no cue may outweigh the only word that was asked for."""
    said = [("user", "When do I fly to Lisbon?"), ("assistant", "On Friday at 09:40, gate B12."),
            ("user", "Remember that I prefer a window seat. My name is Dana.")]  # fmt: skip
    talk = [turn(at, text, role=role) for at, (role, text) in enumerate(said)]

    assert rank_turns(index_of([*talk]), "which gate").order()[0] == 1


def test_the_newest_of_equals_comes_first() -> None:
    texts = ["my port is open", *FILLER, "my port is open"]
    _, ranking = _ranked(minutes(texts), "my port is open")

    assert ranking.order()[0] == len(texts) - 1


def test_a_stronger_match_has_more_evidence_than_a_weaker_one() -> None:
    """Scores are compared between queries: a cut at one score serves all of them."""
    said = minutes([*FILLER, "my server listens on port 8080"])
    (_, strong), (_, weak) = (
        _ranked(said, query) for query in ("server port 8080", "server quasar zygote nebula")
    )

    assert strong.scores.max() > 2 * weak.scores.max()


def test_a_meaning_without_a_common_word_is_found_by_its_vector() -> None:
    vectors = units("v", 40, 64)
    index = index_of(minutes(FILLER), vectors=vectors)

    assert rank_turns(index, "zygote quasar", vector=vectors[11]).order()[0] == 11


def test_the_name_of_the_one_who_speaks_is_no_word_to_look_for() -> None:
    said = [
        turn(at, text, name=name, time_ns=START_NS + at * MINUTE_NS)
        for at, (name, text) in enumerate(
            [("Ann", "Bob, I adopted a cat"), ("Bob", "Ann, I adopted a dog"), ("Ann", "So nice")]
        )
    ]
    index = index_of(said)

    assert query_text(index, "what did Bob adopt") == "what did adopt"
    assert query_text(index, "Bob") == "Bob"
    assert rank_turns(index, "what did Bob adopt").order()[0] == 1


@given(st.lists(st.sampled_from([0.0, 0.2, 0.5, 0.5000001, 1.0]), max_size=30), st.integers(1, 12))
def test_the_best_are_the_first_of_the_order(scores: list[float], count: int) -> None:
    ranking = Ranking(np.array(scores), {})

    best, order = list(ranking.best(count)), list(ranking.order())

    assert best == order[: len(best)]
    assert len(best) >= min(count, len(order))
