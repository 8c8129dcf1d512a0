"""A statement holds no word that only a turn says which it does not cite."""

import pytest

from everturn.extraction.grounding.citable_turns import WordsElsewhere

ILL = "I was diagnosed with epilepsy and schizophrenia"
TAKES = "I take ibuprofen twice daily. The photo is of my uncle"
READ = WordsElsewhere([ILL, TAKES, "my nurse said that epilepsy is no picture of weakness"])


@pytest.mark.parametrize(
    ("statement", "is_so"),
    [
        ("takes ibuprofen and has schizophrenia", True),
        # Its stem, in whatever case.
        ("takes ibuprofen against his WEAKNESSES", True),
        # Two other turns say it, so it is still said without one of them.
        ("takes ibuprofen against epilepsy", False),
        # Nobody said it: that is for others to judge.
        ("takes ibuprofen against migraines", False),
        # Said of anything; short; the same in other words.
        ("takes ibuprofen with things", False),
        ("takes ibuprofen from a nurs", False),
        ("has a picture of his uncle", False),
        ("", False),
    ],
)
def test_a_word_that_one_other_turn_says_tells_of_it(
    statement: str,
    is_so: bool,  # noqa: FBT001 - a parameter of the table
) -> None:
    assert READ.are_in(statement, [TAKES]) is is_so


def test_a_word_of_a_turn_that_is_cited_tells_of_no_other() -> None:
    assert not READ.are_in("takes ibuprofen and has schizophrenia", [ILL, TAKES])
