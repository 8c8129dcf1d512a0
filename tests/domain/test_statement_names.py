"""Who and what a statement names.

Not here: where names have to stand (test_statement_grounds.py).
"""

import pytest

from everturn.domain.statement_names import is_english, names_in


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
