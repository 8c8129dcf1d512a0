"""What makes the scores of two queries comparable: how much of each the turns have."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.conversations.model.turn import Turn
from everturn.recall.language.terms import naming_terms_of
from everturn.recall.ranking.fusion import named_by
from everturn.recall.ranking.rank_turns import rank_turns
from scenarios.recalled_turns import index_of, minutes, turn, turns, units

GARDEN = [f"the garden needs water, bed {at} of the garden" for at in range(30)]


def _best(texts: list[str], query: str) -> float:
    return float(rank_turns(index_of(minutes(texts)), query).scores.max())


def test_what_a_talk_is_about_is_no_weak_evidence_for_being_said_everywhere() -> None:
    assert _best([*GARDEN, "a lamp"], "garden water bed") > 0.3


def test_common_words_alone_are_weak_evidence() -> None:
    texts = [*GARDEN, "tell me what you think of the way we work"]

    common = _best(texts, "tell me the order in which we work on the quasar nebula")
    assert 0 < common < 0.3


def test_a_word_that_nobody_said_is_evidence_against() -> None:
    texts = [*GARDEN, "the lamp of copper is upstairs"]

    assert _best(texts, "copper lamp quasar nebula") < 0.7 * _best(texts, "copper lamp")


def test_a_speaker_who_is_named_is_evidence_and_a_stranger_is_against() -> None:
    index = index_of([turn(at, text, role="Ann") for at, text in enumerate(GARDEN)])

    known, stranger = (
        rank_turns(index, f"which bed did {name} water").scores.max() for name in ("Ann", "Zoltan")
    )
    assert known > 1.4 * stranger > 0


@pytest.mark.parametrize(
    "name", ["0x52ab90", "77120431", "src/parse.ts", "MARK-7", "10.0.0.7", "a1b2c3d4"]
)
def test_an_identifier_that_is_found_is_near_certain(name: str) -> None:
    texts = [*GARDEN, f"see {name} for it", *GARDEN]
    ranking = rank_turns(index_of(minutes(texts)), f"what did we ever say of {name} there")

    assert ranking.order()[0] == len(GARDEN)
    assert ranking.scores.max() >= 0.95
    assert np.sort(ranking.scores)[-2] < 0.8


@pytest.mark.parametrize("word", ["2024", "12", "50mph", "lamp", "three"])
def test_numbers_years_and_words_name_nothing(word: str) -> None:
    assert naming_terms_of(word) == []


def test_named_turns_are_those_that_hold_the_name_themselves() -> None:
    index = index_of(minutes(["see 77120431", "which one", "77120431?", "7712 and 0431"]))

    assert list(named_by(index, naming_terms_of("77120431"))) == [True, False, True, False]


def test_a_meaning_that_is_near_is_evidence_and_one_that_is_far_is_little() -> None:
    vectors = units("v", 30, 64)
    index = index_of(minutes(GARDEN), vectors=vectors)

    near, far = (
        rank_turns(index, "zygote quasar", vector=vector).scores.max()
        for vector in (vectors[11], units("other", 1, 64)[0])
    )
    assert near == pytest.approx(0.71, abs=0.02)
    assert 0 < far < 0.45


@given(turns(), st.sampled_from(["port", "Ann's cat", "src/a.py", "8080", "北京"]))
def test_what_is_found_has_a_score_above_nought_and_only_a_repeat_has_one(
    drawn: list[Turn | None], query: str
) -> None:
    index = index_of(drawn)
    ranking = rank_turns(index, query)
    repeats = {at for at, one in enumerate(drawn) if one and " ".join(one.text.split()) == query}

    assert set(np.flatnonzero(ranking.scores == 1)) == repeats
    assert (ranking.scores[(ranking.lanes["lexical"] > 0) & index.readable] > 0).all()


def test_a_question_that_says_all_that_is_asked_ranks_before_its_answer() -> None:
    said = ["Did you mail carol@example.org already?", "Yes, this morning I think."]
    people = [turn(at, text, role="Ann") for at, text in enumerate([*GARDEN, *said, *GARDEN])]
    ranking = rank_turns(index_of(people), "carol@example.org")
    assert ranking.order()[0] == len(GARDEN)


def test_who_is_asked_for_alone_is_found_with_a_low_score() -> None:
    people = [turn(at, text, role=("Ann", "Bob")[at % 2]) for at, text in enumerate(GARDEN)]
    ranking = rank_turns(index_of(people), "What did Ann say?")
    assert set(np.flatnonzero(ranking.scores)) == set(range(0, len(GARDEN), 2))
    assert 0 < ranking.scores.max() < 0.5
