"""Word pieces as BERT's uncased models want them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.adapters.minilm.wordpiece import WordPiece
from everturn.errors import MisconfiguredError

_LISTED = (
    "[UNK] [CLS] [SEP] hello world cafe un ##aff ##able a ##b $ - ! ' \u6771 \u4eac"
    " \uff1f i ss \u1112 ##\u1161 ##\u11ab z"
)
_WORDS = _LISTED.split()
WORDS = WordPiece(_WORDS)


def pieces(text: str, limit: int = 256) -> list[str]:
    """Return the pieces between the markers, as texts."""
    numbers = WORDS.pieces(text, limit=limit)
    first, *inner, last = (_WORDS[number] for number in numbers)
    assert (first, last) == ("[CLS]", "[SEP]")
    return inner


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hello world", "hello world"),
        ("  hello\t\r\nworld\u00a0\u2003hello\u2028", "hello world hello"),
        ("HELLO World", "hello world"),
        ("Caf\u00e9 cafe\u0301 CAF\u00c9", "cafe cafe cafe"),
        ("unaffable", "un ##aff ##able"),
        ("hello-world!", "hello - world !"),
        ("a$a", "a $ a"),
        ("it's", "[UNK] ' [UNK]"),
        ("\u6771\u4eac\uff1f", "\u6771 \u4eac \uff1f"),
        ("hello\u6771world", "hello \u6771 world"),
        ("ab", "a ##b"),
        ("ax", "[UNK]"),
        ("unaffablex hello", "[UNK] hello"),
        ("\u0130", "i"),
        ("\ud55c", "\u1112 ##\u1161 ##\u11ab"),
        ("ca\u200bfe wor\u00adld", "cafe world"),
        ("ca\x00fe \x1b \ufffd world", "cafe world"),
        ("ca\ud83dfe", "cafe"),
        ("\U0001f600", "[UNK]"),
        ("", ""),
        ("\u200b \x00", ""),
    ],
)
def test_a_text_is_split_as_the_original_does(text: str, expected: str) -> None:
    assert pieces(text) == expected.split()


def test_a_marker_inside_a_text_is_plain_text() -> None:
    assert "[SEP]" not in pieces("hello [SEP] world")


@pytest.mark.parametrize(("length", "known"), [(100, True), (101, False)])
def test_a_word_of_more_than_a_hundred_characters_is_unknown(length: int, *, known: bool) -> None:
    word = "a" + "b" * (length - 1)
    assert pieces(word) == (["a", *["##b"] * (length - 1)] if known else ["[UNK]"])


def test_what_is_beyond_the_limit_is_cut_and_the_markers_stay() -> None:
    assert pieces("unaffable hello", limit=4) == ["un", "##aff"]
    assert pieces("hello " * 500) == ["hello"] * 254


def test_a_vocabulary_without_a_marker_is_refused() -> None:
    for marker in ("[CLS]", "[SEP]", "[UNK]"):
        with pytest.raises(MisconfiguredError, match="lacks a marker"):
            WordPiece([word for word in _WORDS if word != marker])


@given(st.text(st.characters(), max_size=80), st.integers(2, 12))
def test_no_text_breaks_it_and_the_limit_holds(text: str, limit: int) -> None:
    numbers = WORDS.pieces(text, limit=limit)
    assert 2 <= len(numbers) <= limit
    assert all(0 <= number < len(_WORDS) for number in numbers)
    assert numbers == WORDS.pieces(text, limit=limit)
