"""Forms of one word are one term, and common words are known as such."""

import pytest

from everturn.recall.language.language import COMMON_WORDS, ENGLISH, IRREGULAR_FORMS
from everturn.recall.language.terms import common_terms, terms_of


@pytest.mark.parametrize(
    ("form", "word"),
    [
        ("went", "going"),
        ("bought", "buys"),
        ("children", "child"),
        ("taught", "teaching"),
        ("women", "woman's"),
        ("written", "writes"),
        ("lives", "lived"),
    ],
)
def test_forms_of_a_word_are_one_term(form: str, word: str) -> None:
    assert terms_of(form) == terms_of(word) != []


def test_a_form_leads_to_a_word_and_not_to_another_form() -> None:
    assert not IRREGULAR_FORMS.keys() & set(IRREGULAR_FORMS.values())


def test_common_words_and_small_numbers_are_common_terms() -> None:
    assert {*terms_of("order lists things 12")} <= common_terms()
    assert not {*terms_of("quasar 1984 77120431")} & common_terms()


def test_no_common_word_is_a_stop_word() -> None:
    """A stop word is no term: as a common word it would be an entry without effect."""
    assert not COMMON_WORDS & ENGLISH.stop_words
