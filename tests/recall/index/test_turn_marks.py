"""How a text is said, by examples of each mark."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.recall.index.build_rows import ALL_ASKED, asked_part, marks_of
from everturn.recall.index.turn_rows import ENDS_ASKING, HAS_TEXT, ORDERS, READABLE, SAYS_WHEN
from everturn.recall.language.language import ENGLISH
from everturn.recall.language.terms import matchable_text, words_of


def _marks(text: str) -> int:
    return marks_of(text, words_of(text))


@pytest.mark.parametrize(
    ("text", "mark", "has"),
    [
        ("", HAS_TEXT, False),
        ("port", HAS_TEXT, True),
        ("We met last week.", SAYS_WHEN, True),
        ("We met.", SAYS_WHEN, False),
        ("Did you go?", ENDS_ASKING, True),
        ("你去了吗？", ENDS_ASKING, True),  # noqa: RUF001 -- the mark is what is tested
        ("Did you go? I did.", ENDS_ASKING, False),
        ("Always answer in French.", ORDERS, True),
        ("Thanks. Please never use tabs.", ORDERS, True),
        ("I'd prefer short answers.", ORDERS, True),
        ("I would rather prefer tea", ORDERS, True),
        ("From now on, call me Ann.", ORDERS, True),
        ("It has always rained here.", ORDERS, False),
        ("He preferred tea.", ORDERS, False),
    ],
)
def test_a_text_has_the_marks_of_how_it_is_said(text: str, mark: int, *, has: bool) -> None:
    assert bool(_marks(text) & mark) is has
    assert _marks(text) & READABLE


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", 0),
        ("It rains.", 0),
        ("Does it rain?", ALL_ASKED),
        ("?", 0),
        ("Does it? It does.", 122),
        ("雨吗？是的。", 128),  # noqa: RUF001 -- the marks are what is tested
    ],
)
def test_what_stands_in_questions_is_counted_by_characters(text: str, part: int) -> None:
    assert asked_part(text) == pytest.approx(part, abs=2)


@given(st.text())
def test_any_text_has_marks_and_a_part_in_bounds(text: str) -> None:
    matchable = matchable_text(text)

    assert 0 <= asked_part(matchable) <= ALL_ASKED
    assert 0 < _marks(matchable) < 2**8


PIECES = ["ago", "Ago", "today's", "last_week", "2020", "1850", "MAY", "s", "'s", "_", " ", "."]
ORDERS_IN_PIECES = [
    "Please ", "always", "never", "from now on", "from ", "now", "remember to", "remember that",
    "keep in mind", "keep", "make sure ", "to", "you ", "I", "'d ", " would ", "really ", "prefer",
    "rather",
]  # fmt: skip
FOREIGN = ["\u0131", "ton\u0131ght", "e\u0301", "\u017fince"]


@given(st.lists(st.sampled_from([*PIECES, *FOREIGN])).map("".join))
def test_a_text_names_a_time_where_the_language_says_so(text: str) -> None:
    """Also where its words are asked first, to spare the look through the text."""
    matchable = matchable_text(text)

    assert bool(_marks(matchable) & SAYS_WHEN) == bool(ENGLISH.time_words.search(matchable))


@given(st.lists(st.sampled_from([*ORDERS_IN_PIECES, *PIECES, *FOREIGN])).map("".join))
def test_a_text_is_a_standing_order_where_the_language_says_so(text: str) -> None:
    """Also where its words are asked first, to spare the look through the text."""
    matchable = matchable_text(text)

    assert bool(_marks(matchable) & ORDERS) == bool(ENGLISH.standing_order.search(matchable))
