"""Who and what a statement names."""

import pytest

from everturn.extraction.answers.proper_names import (
    first_name_in,
    is_english,
    is_plainly_english,
    names_in,
)


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("The admin of billing is Mallory.", {"mallory"}),
        ("The user works at MIT, with Ada and 2 Finns.", {"mit", "ada", "finns"}),
        ("Mallory is here.", set()),
        ("The user flies on Monday in May.", set()),
        ('It is an API of (Acme), "Bolt"', {"api", "acme", "bolt"}),
        ("", set()),
    ],
)
def test_capitals_inside_a_statement_are_names_but_for_days(
    statement: str, names: set[str]
) -> None:
    assert names_in(statement) == names


@pytest.mark.parametrize(
    ("text", "is_so"), [("The port is open.", True), ("Der Hafen.", False), ("", False)]
)
def test_english_is_told_by_its_small_words(
    text: str,
    is_so: bool,  # noqa: FBT001 - a parameter of the table
) -> None:
    assert is_english(text) is is_so


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("Mallory owns the billing project", "mallory"),
        ("Mallory's project is late", "mallory"),
        ('"Bobby" and the engineer left', "bobby"),
        ("Jean-Luc is here", "jean"),
        ("O'Brien is here", "o'brien"),
        ("\u00c9mile is here", "\u00e9mile"),
        ("AWS is down", "aws"),
        ("GitHub is down", "github"),
    ],
)
def test_the_first_word_may_be_a_name(statement: str, name: str) -> None:
    assert first_name_in(statement) == name


@pytest.mark.parametrize(
    "first",
    ["The user", "User", "Assistant", "Always", "Never", "Rotate", "Rotating", "Deployments",
     "Fixed", "Backups", "Friday", "Don't", "Two", "mallory", "S3", "src/a.py", "42", "",
     "\u4f60\u597d"],
)  # fmt: skip
def test_nor_are_plain_words_identifiers_and_those_who_speak(first: str) -> None:
    assert first_name_in(f"{first} runs") == ""


@pytest.mark.parametrize(
    ("text", "is_so"),
    [("Open the port.", True), ("De haven is van hem of was dat.", False), ("", False)],
)
def test_what_other_languages_write_too_tells_no_english(
    text: str,
    is_so: bool,  # noqa: FBT001 - a parameter of the table
) -> None:
    assert is_plainly_english(text) is is_so
