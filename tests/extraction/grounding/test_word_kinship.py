"""Words that say the same are one."""

import pytest

from everturn.extraction.grounding.sentence_support import kindred
from everturn.recall.language.terms import terms_of


@pytest.mark.parametrize(
    ("text", "other", "is_same"),
    [
        ("short answers", "brief replies", True),
        ("likes", "prefers", True),
        ("likes", "dislikes", False),
        ("cake", "cake", True),
        ("cake", "bread", False),
    ],
)
def test_words_that_say_the_same_are_one(
    text: str,
    other: str,
    is_same: bool,  # noqa: FBT001 - a parameter of the table
) -> None:
    assert (kindred(terms_of(text)) == kindred(terms_of(other))) is is_same
