"""Which sentence says what a statement says."""

import pytest

from everturn.conversations.model.turn import Turn
from everturn.extraction.answers.transcript_turn import is_of_user, shown_turns
from everturn.extraction.grounding.sentence_support import Support
from extraction.drawn_windows import turn

SUPPORT = Support(
    shown_turns(
        (
            turn(
                0, "user", "Which port does billing use? We talked about billing and ports before."
            ),
            turn(1, "assistant", "The billing service listens on port 8081. Billing is fine."),
            turn(2, "user", "And I live in Lisbon now. My password is hunter22."),
            turn(3, "assistant", "You live in Lisbon now, good."),
        )
    )
)


def _anybody(_: Turn) -> bool:
    return True


@pytest.mark.parametrize(
    ("statement", "quote"),
    [
        ("Billing is listening on port 8081.", "The billing service listens on port 8081."),
        ("The user lives in Lisbon.", "And I live in Lisbon now."),
        ("The user lives in Lisbon since 2024-05-23.", "And I live in Lisbon now."),
    ],
)
def test_the_closest_sentence_says_the_most_by_weight(statement: str, quote: str) -> None:
    place = SUPPORT.closest(statement, among=_anybody)

    assert place is not None
    assert place.quote == quote
    assert place.quote in place.turn.text


@pytest.mark.parametrize(
    "statement",
    ["The admin is Mallory.", "The cache listens on port 9000.", "It is so.", "", "2024-05-23",
     "The password is hunter22."],
)  # fmt: skip
def test_what_no_sentence_says_half_of_has_none_and_nor_has_a_secret(statement: str) -> None:
    assert SUPPORT.closest(statement, among=_anybody) is None


def test_of_equal_sentences_the_first_or_the_last_is_taken() -> None:
    first = SUPPORT.closest("live in Lisbon", among=_anybody)
    last = SUPPORT.closest("live in Lisbon", among=_anybody, last=True)

    assert first is not None
    assert last is not None
    assert (first.turn.index, last.turn.index) == (2, 3)


def test_only_turns_that_may_say_it_are_looked_at() -> None:
    assert SUPPORT.closest("Billing listens on port 8081", among=is_of_user) is None
    assert SUPPORT.standing("listens on port 8081", [1], among=is_of_user) is None


def test_a_quote_is_looked_for_in_the_turns_that_are_named_first() -> None:
    named = SUPPORT.standing("live in Lisbon now", [3], among=_anybody)
    unnamed = SUPPORT.standing("live in Lisbon now", [77], among=_anybody)

    assert named is not None
    assert unnamed is not None
    assert (named.turn.index, unnamed.turn.index) == (3, 2)


@pytest.mark.parametrize(
    "quote", ["", "the", "is on", "My password is hunter22", "hunter22", "no such words"]
)
def test_a_quote_that_says_nothing_or_stands_beside_a_secret_stands_nowhere(quote: str) -> None:
    assert SUPPORT.standing(quote, [2], among=_anybody) is None


def test_a_long_text_without_sentences_is_quoted_in_parts() -> None:
    said = "filler " * 300 + "the treasury wallet is 0x52908400 " + "filler " * 300
    place = Support(shown_turns([turn(0, "user", said)])).closest(
        "The treasury wallet is 0x52908400.", among=_anybody
    )

    assert place is not None
    assert "0x52908400" in place.quote
    assert len(place.quote) <= 500
