"""Whether a sentence says what a statement says, or that it is otherwise, or might be."""

import pytest

from everturn.extraction.grounding.contradiction import says_otherwise
from everturn.extraction.grounding.sentence_support import word_terms


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("The user likes phone calls.", "I do not like phone calls"),
        ("The user likes phone calls.", "phone calls are not for me"),
        ("The user likes phone calls.", "I hate phone calls."),
        ("The user likes going out.", "I don\u2019t like going out."),
        ("The user uses Windows.", "I dont use windows"),
        ("The user eats meat.", "I never eat meat."),
        ("The user lives in Berlin.", "I no longer live in Berlin."),
        ("The user smokes.", "I stopped smoking last year."),
        ("The user takes sugar in his coffee.", "I take my coffee without sugar."),
        ("The build is green.", "The build is not green."),
        ("The user is allergic to nuts.", "I'm not allergic to nuts."),
        ("The user likes phone calls.", "No."),
        ("The user mag Anrufe.", "Ich mag keine Anrufe"),
        ("\u7528\u6237\u559c\u6b22\u7535\u8bdd", "\u6211\u4e0d\u559c\u6b22\u7535\u8bdd"),
    ],
)
def test_a_sentence_that_denies_it_does_not_say_it(statement: str, sentence: str) -> None:
    assert says_otherwise(statement, sentence, word_terms)


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("The user does not like tea.", "I like tea."),
        ("The user hates tea.", "I love tea"),
        ("The port is not open.", "The port is open."),
    ],
)
def test_a_denial_is_not_said_where_nothing_is_denied(statement: str, sentence: str) -> None:
    assert says_otherwise(statement, sentence, word_terms)


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("The user works at Acme.", "Should I work at Acme?"),
        ("The user lives in Lisbon.", "Do you think I could live in Lisbon?"),
        ("The port is 8081.", "The port is 8081, right?"),
        ("The user has a dog.", "If I had a dog, I would walk it daily."),
        ("The user owns a boat.", "Imagine I owned a boat."),
        ("The user owns a boat.", "I wish I owned a boat."),
        ("The deployment fails.", "Call me if the deployment fails."),
    ],
)
def test_what_is_asked_or_supposed_is_not_said(statement: str, sentence: str) -> None:
    assert says_otherwise(statement, sentence, word_terms)


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("The user does not like phone calls.", "I do not like phone calls"),
        ("The user dislikes phone calls.", "please no phone calls, I don't like them"),
        ("The user is vegetarian.", "I never eat meat."),
        ("The user does not eat nuts.", "I'm allergic to nuts"),
        ("The user quit smoking.", "I stopped smoking."),
        ("The user lost his job.", "I no longer have a job."),
        ("The tests failed.", "The tests did not pass."),
        ("The user's flight is at 9.", "Don't forget that my flight is at 9."),
        ("The user loves fish.", "I do not eat meat, but I love fish."),
        ("The user drinks coffee without sugar.", "I take my coffee without sugar."),
        ("The user is vegan.", "I'm vegan, what can I eat?"),
        ("The user lives in Oslo.", "I live in Oslo, you know?"),
        ("The user's number is 555-1234.", "If you need me, my number is 555-1234."),
        ("The user wants to move to Lisbon.", "I would love to move to Lisbon."),
        ("The user asked to check the build.", "can you check the build for me please?"),
        ("The runner is restarted if a build fails.", "If a build fails, restart the runner."),
        ("The user likes tea.", "Yes."),
        ("", ""),
    ],
)
def test_who_says_so_in_other_words_says_so(statement: str, sentence: str) -> None:
    assert not says_otherwise(statement, sentence, word_terms)
