"""BM25 in plain Python, and what a window around each turn adds to it."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.recall.index.turn_index import TurnIndex
from everturn.recall.language.terms import terms_of
from everturn.recall.ranking import lexical_scores as lane
from everturn.recall.ranking.lexical_scores import lexical_lane
from scenarios.recalled_turns import MINUTE_NS, START_NS, index_of, turn

WORDS = ["port", "server", "cat", "berlin", "tulip", "marker", "said"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join), max_size=14)
PAUSES = st.lists(st.integers(1, 13), max_size=3)
QUERIES = st.lists(st.sampled_from([*WORDS, "unknown"]), max_size=5).map(" ".join)


def _index(texts: list[str], pauses: list[int]) -> TurnIndex:
    minute = START_NS
    said = []
    for at, text in enumerate(texts):
        minute += (900 if at in pauses else 1) * MINUTE_NS
        said.append(turn(at, text, time_ns=minute))
    return index_of(said)


def _bm25(texts: list[str], term: int) -> list[float]:
    """BM25 of one term in each turn, without its idf."""
    counts = [Counter(terms_of(text)) for text in texts]
    lengths = [max(sum(count.values()), lane._FLOOR) for count in counts]
    mean = sum(lengths) / len(lengths)
    return [
        count[term] * (lane._K1 + 1) / (count[term] + lane._K1 * length / mean)
        for count, length in zip(counts, lengths, strict=True)
    ]


def _places(index: TurnIndex, at: int) -> list[int]:
    """Return the turns of a window: two on either side, of the same session."""
    near = range(max(at - 2, 0), min(at + 3, len(index)))
    return [place for place in near if index.sessions[place] == index.sessions[at]]


@given(TEXTS, st.sampled_from(WORDS), PAUSES)
def test_a_turn_alone_has_the_bm25_of_a_term(
    texts: list[str], word: str, pauses: list[int]
) -> None:
    own = lexical_lane(_index(texts, pauses), terms_of(word)).own
    expected = [score for term in terms_of(word) for score in _bm25(texts, term)] if texts else []
    best = max(expected, default=0)

    assert (own > 0).tolist() == [score > 0 for score in expected]
    if best:
        assert own / own.max() == pytest.approx([score / best for score in expected])


@given(TEXTS, QUERIES, PAUSES)
def test_a_window_reaches_two_turns_and_never_into_another_session(
    texts: list[str], query: str, pauses: list[int]
) -> None:
    index = _index(texts, pauses)
    found = lexical_lane(index, terms_of(query))

    for at in range(len(texts)):
        around = [found.own[place] for place in _places(index, at)]
        assert (found.covered[at] > 0) == (max(around) > 0)
        assert found.own[at] <= found.covered[at] + 1e-9
        assert found.covered[at] <= sum(around) + 1e-9


@given(TEXTS, QUERIES, PAUSES)
def test_different_terms_add_up_and_the_same_one_counts_once(
    texts: list[str], query: str, pauses: list[int]
) -> None:
    index, terms = _index(texts, pauses), terms_of(query)
    found = lexical_lane(index, [*terms, *terms])
    apart = [lexical_lane(index, [term]) for term in dict.fromkeys(terms)]
    nothing = np.zeros(len(index))

    assert found.covered == pytest.approx(sum((one.covered for one in apart), nothing))
    assert found.own == pytest.approx(sum((one.own for one in apart), nothing))


def test_a_rare_word_weighs_more_than_a_usual_one() -> None:
    texts = [*["the server is up"] * 9, "the tulip is up"]

    found = lexical_lane(_index(texts, list(range(10))), terms_of("tulip server"))

    assert found.own.argmax() == 9


@given(TEXTS)
def test_no_words_find_nothing(texts: list[str]) -> None:
    assert not lexical_lane(_index(texts, []), []).covered.any()
