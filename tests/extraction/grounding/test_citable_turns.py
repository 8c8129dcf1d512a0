"""Which turns a statement cites: as few as say it, and none where no three of them do."""

import pytest

from everturn.conversations.model.turn import Turn
from everturn.extraction.answers.transcript_turn import is_of_user, shown_turns
from everturn.extraction.grounding.citable_turns import Grounds
from everturn.extraction.grounding.sentence_support import Support
from extraction.drawn_windows import turn

SHOWN = shown_turns(
    (
        turn(0, "user", "the code is GX-4711-A9", "2024-05-24T10:00:00Z"),
        turn(1, "assistant", "ok"),
        turn(2, "user", "that code opens the garage door", "2024-05-24T10:01:00Z"),
        turn(3, "assistant", "Good. Do you still live in Lisbon?"),
        turn(4, "user", "Yes."),
        turn(5, "assistant", "You like the Tejo then, I guess."),
        turn(6, "user", "it is nice here. I met Ada two days ago", "2024-06-03T10:00:00Z"),
        turn(8, "assistant", "\u4f60\u597d"),
        turn(9, "user", "\u6211\u559c\u6b22\u559d\u8336"),
        turn(11, "user", "Portugal is home, I was born there", name="Rui"),
    )
)
SUPPORT = Support(SHOWN)
GROUNDS = Grounds(SHOWN, SUPPORT)


def _anybody(_: Turn) -> bool:
    return True


def _cited(statement: str, quote: str, *, is_of_user_only: bool = False) -> tuple[int, int] | None:
    among = is_of_user if is_of_user_only else _anybody
    place = SUPPORT.standing(quote, [], among=among)
    assert place is not None
    return GROUNDS.of(statement, place, is_of_user_only=is_of_user_only)


@pytest.mark.parametrize(
    ("statement", "quote", "turns"),
    [
        ("The code opens the garage door.", "that code opens", (2, 2)),
        ("The garage door opens with GX-4711-A9.", "opens the garage door", (0, 2)),
        ("The user lives in Lisbon.", "Yes", (3, 4)),
        ("The user met Ada on 2024-06-01.", "I met Ada", (6, 6)),
        ("The user likes tea.", "\u6211\u559c\u6b22\u559d\u8336", (9, 9)),
        ("The user is Portuguese, born there.", "I was born there", (11, 11)),
        ("Rui was born in Portugal.", "I was born there", (11, 11)),
    ],
)
def test_a_statement_cites_the_fewest_turns_that_say_it(
    statement: str, quote: str, turns: tuple[int, int]
) -> None:
    assert _cited(statement, quote) == turns


@pytest.mark.parametrize(
    ("statement", "quote"),
    [
        ("The user is allergic to peanuts and has diabetes.", "that code opens the garage door"),
        # What is too far away, in whatever turn.
        ("The house in Lisbon opens with GX-4711-A9.", "it is nice here"),
        ("The garage door of Ada opens with the code.", "opens the garage door"),
        ("The user met Ada on 2024-05-22.", "I met Ada"),
        ("The user met Ada 3 days ago.", "I met Ada"),
        ("The user likes tea since 2019.", "\u6211\u559c\u6b22\u559d\u8336"),
        ("The user likes tea in Lisbon.", "\u6211\u559c\u6b22\u559d\u8336"),
        # The number and the hour of a turn are nothing that it says.
        ("The user met Ada at 10:00.", "I met Ada"),
        ("The user met Ada 6 times.", "I met Ada"),
    ],
)
def test_what_no_three_turns_say_cites_none(statement: str, quote: str) -> None:
    assert _cited(statement, quote) is None


def test_of_what_others_say_a_question_before_an_answer_counts_for_a_user() -> None:
    assert _cited("The user lives in Lisbon.", "Yes", is_of_user_only=True) == (3, 4)
    assert _cited("The user likes the Tejo, it is nice.", "it is nice here") == (5, 6)
    said = _cited("The user likes the Tejo, it is nice.", "it is nice here", is_of_user_only=True)
    assert said is None


def test_a_pattern_cites_all_turns_from_its_first_step_and_what_names_its_parts() -> None:
    steps = ["the code opens the garage door"]

    assert GROUNDS.around(steps, steps[0], 2, 2) == (2, 2)
    assert GROUNDS.around([*steps, "GX-4711-A9"], steps[0], 2, 2) == (0, 2)
    assert GROUNDS.around([*steps, "GX-4711-B9"], steps[0], 2, 2) is None
    assert GROUNDS.around(steps, "bake a cake with peanuts", 2, 2) is None


def test_in_another_language_a_capital_counts_where_the_word_was_read() -> None:
    shown = shown_turns(
        (turn(0, "user", "Frau Huber wohnt nebenan"), *(turn(n, "user", "ok") for n in (1, 2, 3)),
         turn(4, "user", "ich backe gern Kuchen und Brot"))
    )  # fmt: skip
    support = Support(shown)
    grounds = Grounds(shown, support)
    place = support.standing("ich backe gern", [], among=_anybody)

    assert place is not None
    assert grounds.of("Der Nutzer backt gern Kuchen", place) == (4, 4)
    assert grounds.of("Der Nutzer backt Huber gern Kuchen", place) is None
