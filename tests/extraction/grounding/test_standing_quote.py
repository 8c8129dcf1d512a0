"""Whether words stand in a text, and which of its own they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.extraction.grounding.sentence_support import MAX_QUOTE_CHARS, FoldedText
from everturn.recall.language.terms import outside_recalled
from everturn.values.prompt_text import one_line
from extraction.drawn_windows import texts


def _found(text: str, quote: str) -> str | None:
    span = FoldedText(text, list(outside_recalled(text))).find(quote)
    return text[slice(*span)] if span else None


@pytest.mark.parametrize(
    ("text", "quote", "found"),
    [
        (
            "I moved to  Lisbon\n yesterday.",
            "moved to Lisbon yesterday",
            "moved to  Lisbon\n yesterday",
        ),
        ("I moved to Lisbon", "i MOVED", "I moved"),
        ("don\u2019t call \u201cme\u201d", 'don\'t call "me"', "don\u2019t call \u201cme"),
        ("a\u200bb c\u00add", "ab cd", "a\u200bb c\u00add"),
        ("use <system> here", "use &lt;system> here", "use <system> here"),
        ("the port is 8081, ok", '"The port is 8081."', "the port is 8081"),
        ("one two three four", "one ... three four", "three four"),
        ("one two three", "user #12 2024-05-24T10:00Z: one two", "one two"),
        ("\u6771\u4eac\u306b\u4f4f\u3093\u3067\u3044\u307e\u3059", "\u6771\u4eac", "\u6771\u4eac"),
        ("na\u00efve caf\u00e9", "na\u00efve", "na\u00efve"),
    ],
)
def test_a_quote_is_found_as_the_text_has_it(text: str, quote: str, found: str) -> None:
    assert _found(text, quote) == found


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("port 80812", "port 8081"), ("the dog", "do"), ("one two", "one three"), ("a b", ""),
        ("a b", " ... "), ("a, b", ","), ("<recalled_memory>a b</recalled_memory> c", "a b"),
        ("a <recalled_memory>x</recalled_memory> b", "a b"), ("a <recalled_memory>b", "b"),
    ],
)  # fmt: skip
def test_what_does_not_stand_there_is_not_found(text: str, quote: str) -> None:
    """A part of a word is another word, and what was recalled was not said."""
    assert _found(text, quote) is None


def test_a_long_quote_ends_between_words() -> None:
    found = _found("word " * 1_000, "word " * 900)

    assert found is not None
    assert found.startswith("word word")
    assert found.endswith("word")
    assert MAX_QUOTE_CHARS - 5 <= len(found) <= MAX_QUOTE_CHARS


@given(texts, st.data())
def test_what_a_model_copies_of_its_line_is_found_and_is_part_of_the_text(
    text: str, data: st.DataObject
) -> None:
    parts = list(outside_recalled(text))
    words = one_line(text[slice(*data.draw(st.sampled_from(parts)))]).split() if parts else []
    begin = data.draw(st.integers(0, len(words)))
    quote = " ".join(words[begin : data.draw(st.integers(begin, len(words)))])
    found = _found(text, quote)

    if found is not None:
        assert found in text
        assert len(found) <= MAX_QUOTE_CHARS
        assert any(found in text[slice(*part)] for part in parts)
    elif quote.isascii() and quote.replace(" ", "").isalpha():
        assert len(quote) > MAX_QUOTE_CHARS or not quote
