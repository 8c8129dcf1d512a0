"""What a query and a turn say besides their words, by example."""

import pytest

from everturn.recall.index.turn_index import TurnIndex
from everturn.recall.language.terms import terms_of
from everturn.recall.ranking import query_signals
from everturn.recall.ranking.lexical_scores import lexical_lane
from everturn.recall.ranking.rank_turns import rank_turns
from scenarios.recalled_turns import MINUTE_NS, START_NS, index_of, minutes, turn


def _talk(*said: tuple[str, str]) -> TurnIndex:
    return index_of(
        [
            turn(at, text, role=role, time_ns=START_NS + at * MINUTE_NS)
            for at, (role, text) in enumerate(said)
        ]
    )


def test_among_people_what_asks_counts_against_a_turn() -> None:
    index = _talk(("Ann", "Did you buy a lamp?"), ("Bob", "Yes. Is it cold?"), ("Ann", "A lamp."))

    assert query_signals.asking_cue(index) == pytest.approx([1, 0.73, 0], abs=0.02)


def test_to_an_assistant_a_question_counts_as_any_turn() -> None:
    """People tell an assistant what they know while they ask."""
    index = _talk(("user", "I bought a lamp, where do I put it?"), ("assistant", "Over there."))

    assert not query_signals.asking_cue(index).any()


def test_an_answer_is_found_by_the_words_of_its_question() -> None:
    people = _talk(("Ann", "Which lamp is yours?"), ("Bob", "It is the red one."), ("Ann", "Ok"))
    told = _talk(("Ann", "That lamp is yours."), ("Bob", "It is the red one."), ("Ann", "Ok"))

    answer, remark = (lexical_lane(index, terms_of("lamp")) for index in (people, told))

    assert answer.covered[1] > 1.5 * remark.covered[1] > 0
    assert rank_turns(people, "whose is the lamp").order()[0] == 1


def test_only_the_user_gives_standing_orders() -> None:
    said = "Always use metric units."
    index = _talk(("user", said), ("assistant", said), ("user", "Fine."))

    assert list(query_signals.order_cue(index)) == [1, 0, 0]


def test_a_name_alone_is_looked_for_as_a_word() -> None:
    index = _talk(("Ann", "Good morning"), ("Bob", "Hello Ann"), ("Ann", "So Bob is here"))

    asked = query_signals.without_names(index, "Bob")

    assert (asked.text, [index.names[at] for at in asked.speakers]) == ("Bob", ["Bob"])
    assert 2 in rank_turns(index, "Bob").order()


@pytest.mark.parametrize("query", ["march", "on the 3rd? no, the 3", "2024", "sunday"])
def test_parts_of_a_date_find_its_turns(query: str) -> None:
    """The third of March 2024 was a Sunday."""
    day_ns = 86_400 * 10**9
    said = [turn(at, "x", time_ns=1_709_424_000 * 10**9 + at * 40 * day_ns) for at in range(2)]
    said.append(turn(2, "x", time_ns=START_NS))

    assert list(query_signals.date_cue(index_of(said), query)) == pytest.approx(
        [1, float(query == "2024"), 0]
    )


def test_a_long_thread_without_pauses_still_has_places_where_much_is_said() -> None:
    texts = [f"we talked of lunch {at}" for at in range(200)]
    texts[100:103] = ["the lamp is red", "that lamp again", "a lamp"]
    index = index_of(minutes(texts))

    session = query_signals.session_cue(index, lexical_lane(index, terms_of("lamp")).own)

    assert set(index.sessions) == {0}
    assert len(set(index.blocks)) == 5
    assert session[100] > 0.9
    assert session[[0, 199]] == pytest.approx([0, 0])
