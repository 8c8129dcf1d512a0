"""Whether what a statement names stands in a transcript."""

import pytest
from hypothesis import given

from everturn.extraction.answers.transcript_text import SourceText
from extraction.answers.model_answers import word_texts
from strategies.json_values import texts

_WALLET = "0x52908400098527886E0F7030069857D2E4169EE7"


@pytest.mark.parametrize(
    ("said", "transcript"),
    [
        ("The user likes tea.", ""), ("Port 8081 is taken.", "port 8081"),
        (f"Pays {_WALLET}.", f"to {_WALLET}"), ("Has 3 kids.", "three kids"),
        ("Costs 5000 euros.", "5,000 euros"), ("Costs 5,000 euros.", "5000 euros"),
        ("Keys live 90d.", "90 days"), ("Takes 1h.", "a 1-hour talk"),
        ("Moved on 2024-05-23.", "[2024-05-24] I moved yesterday"),
        ("Moved on May 23, 2024.", "[2024-05-24] I moved yesterday"),
        ("Born 2024-05-24.", "born on May 24th, 2024"), ("Born on May 24.", "born on 24 May"),
        ("Since 2023.", "[2024-05-24] since last year"), ("Moved in April 2024.",
        "[2024-05-24] last month"), ("Meets at 5PM.", "at 5pm"), ("On October 16th.", "october 16"),
    ],
)  # fmt: skip
def test_what_stands_there_in_another_form_is_verbatim(said: str, transcript: str) -> None:
    assert SourceText(transcript).verbatim(said) == said


@pytest.mark.parametrize(
    ("said", "transcript"),
    [
        ("Port 8082 is taken.", "port 8081"), ("Pays 0x5290\u20269EE7.", f"to {_WALLET}"),
        (f"Pays {_WALLET[:-1]}8.", f"to {_WALLET}"), ("Has 4 kids.", "three kids"),
        ("Moved on 2024-05-25.", "[2024-05-24] I moved yesterday, 25 times"),
        ("Born on May 25, 2024.", "May 24, 2024, 25"), ("Born on May 24, 1990.", "born on May 24"),
        ("Born on May 24, 1990.", "May 24, 1991, not 1990"), ("In tests/e2e/a.ts.", "the test"),
        ("Runs v1.2.", "v1.2.3"), ("It is src/utils/parse-v2.ts.", "src/Utils/parse_v2.ts"),
        ("Is X_1.", "x_1 and X_1x and XX_1"), ("On October 16th.", "October 15th"),
    ],
)  # fmt: skip
def test_what_does_not_stand_there_is_not_believed(said: str, transcript: str) -> None:
    found = SourceText(transcript).verbatim(said)

    assert found is None or found != said


@pytest.mark.parametrize(
    ("said", "transcript", "right"),
    [
        ("Config.yaml is read.", "the config.yaml", "config.yaml is read."),
        ("It is SRC/A.py.", "in src/a.py, yes", "It is src/a.py."),
        ("It is SRC/A.py.", "in src/a.py or Src/a.py", None),
    ],
)
def test_another_case_is_put_right_where_there_is_one_spelling(
    said: str, transcript: str, right: str | None
) -> None:
    assert SourceText(transcript).verbatim(said) == right


@given(word_texts)
def test_a_text_is_verbatim_in_itself(text: str) -> None:
    assert SourceText(text).verbatim(text) == text


@given(texts, texts)
def test_any_text_is_looked_up_in_any_other(said: str, text: str) -> None:
    found = SourceText(text).verbatim(said)

    assert found is None or SourceText(text).verbatim(found) == found
