"""What a model says of the user, in the words of the rules."""

import pytest

from everturn.extraction.grounding.citations import is_about_user, user_kind, user_statement
from everturn.extraction.rules.extract_by_rules import extract_by_rules
from everturn.memory.model.draft import MemoryDraft, new_memory
from everturn.values.memory_kind import USER
from extraction.drawn_windows import turn


@pytest.mark.parametrize(
    ("said", "by_model"),
    [
        ("I prefer short answers.", "User prefers short answers."),
        ("I really love jazz.", "The user really loves jazz"),
        ("I don't like phone calls.", "the user doesn't like phone calls."),
        ("I can't stand olives.", "The user can't stand olives."),
        ("I always use tabs.", "Always uses tabs"),
        ("My name is Ada.", "The user\u2019s name is Ada."),
        ("Call me Bo.", "The user is called Bo."),
        ("I live in Lisbon.", "Lives in Lisbon."),
        ("I am allergic to peanuts.", "The user is allergic to peanuts."),
        ("My favourite color is green.", "The user's favourite color is green."),
    ],
)
def test_what_rules_and_a_model_find_is_one_memory(said: str, by_model: str) -> None:
    (by_rule,) = extract_by_rules([turn(0, "user", said)])
    statement = user_statement(by_model)
    draft = MemoryDraft(user_kind(statement), statement, subject=USER)

    assert new_memory(draft).rid == new_memory(by_rule.draft).rid


@pytest.mark.parametrize(
    "statement",
    [
        "The user wants short answers", "The user asked for replies in German.",
        "The user would like to be addressed as Bo", "The user would rather walk.",
        "The user never eats meat", "The user asks: always answer in French",
        "The user did not enjoy Rome", "The user strongly dislikes rain",
    ],
)  # fmt: skip
def test_what_the_user_likes_and_how_answers_should_be_is_a_preference(statement: str) -> None:
    assert user_kind(statement) == "preference"


@pytest.mark.parametrize(
    "statement",
    [
        "The user lives in Lisbon", "The user is likely to move", "The user wants a dog",
        "The user asked about jazz", "The user's wife loves jazz", "Der Nutzer mag Jazz",
        "The user needs a ramp", "The user eats meat", "",
    ],
)  # fmt: skip
def test_all_else_is_a_fact(statement: str) -> None:
    assert user_kind(statement) == "fact"


@pytest.mark.parametrize(
    ("statement", "is_so"),
    [
        ("The user lives here", True), ("user's dog", True), ("Users live here", False),
        ("The username is bo", False), ("The port is 8081", False), ("", False),
    ],
)  # fmt: skip
def test_a_statement_is_about_the_user_where_he_is_its_subject(
    statement: str,
    is_so: bool,  # noqa: FBT001 - a parameter of the table
) -> None:
    assert is_about_user(statement) is is_so
