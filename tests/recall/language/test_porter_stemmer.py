"""Stems as the paper gives them, each followed through all steps."""

import pytest

from everturn.recall.language.porter_stemmer import stem

# The examples of https://tartarus.org/martin/PorterStemmer/def.txt, step by step; where later steps
# go on with what a step leaves, the stem is that of the published output.
EXAMPLES = {
    "1a": "caresses caress, ponies poni, ties ti, caress caress, cats cat",
    "1b": (
        "feed feed, agreed agre, plastered plaster, bled bled, motoring motor, sing sing,"
        " conflated conflat, troubled troubl, sized size, hopping hop, tanned tan, falling fall,"
        " hissing hiss, fizzed fizz, failing fail, filing file"
    ),
    "1c": "happy happi, sky sky",
    "2": (
        "relational relat, conditional condit, rational ration, valenci valenc, hesitanci hesit,"
        " digitizer digit, conformabli conform, radicalli radic, differentli differ, vileli vile,"
        " analogousli analog, vietnamization vietnam, predication predic, operator oper,"
        " feudalism feudal, decisiveness decis, hopefulness hope, callousness callous,"
        " formaliti formal, sensitiviti sensit, sensibiliti sensibl"
    ),
    "3": (
        "triplicate triplic, formative form, formalize formal, electriciti electr,"
        " electrical electr, hopeful hope, goodness good"
    ),
    "4": (
        "revival reviv, allowance allow, inference infer, airliner airlin, gyroscopic gyroscop,"
        " adjustable adjust, defensible defens, irritant irrit, replacement replac,"
        " adjustment adjust, dependent depend, adoption adopt, homologou homolog, communism commun,"
        " activate activ, angulariti angular, homologous homolog, effective effect,"
        " bowdlerize bowdler"
    ),
    "5": "probate probat, rate rate, cease ceas, controll control, roll roll",
    "all": "generalizations gener, oscillators oscil",
}
PAIRS = [tuple(pair.split()) for examples in EXAMPLES.values() for pair in examples.split(",")]


@pytest.mark.parametrize(("word", "expected"), PAIRS)
def test_a_word_of_the_paper_has_the_stem_of_the_paper(word: str, expected: str) -> None:
    assert stem(word) == expected


@pytest.mark.parametrize("word", ["", "a", "is", "port8080", "café", "Ärger", "8080", "x_y"])
def test_what_is_no_lower_case_english_word_is_its_own_stem(word: str) -> None:
    assert stem(word) == word


def test_forms_of_one_verb_have_one_stem() -> None:
    assert len({stem(word) for word in ("connect", "connected", "connecting", "connections")}) == 1
