"""Where a loosely written string ends."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.extraction.answers.lenient_json import CLOSERS, joined_pairs, read_string, skip_gap
from strategies.json_values import loose_texts, texts


@given(
    text=texts,
    escapes=st.booleans(),
    after=st.sampled_from(["]", ', "b"', "}", ": 1", " // x\n]", ""]),
)
def test_a_string_that_is_json_is_read_as_json(text: str, *, escapes: bool, after: str) -> None:
    written = json.dumps(text, ensure_ascii=escapes)

    found = read_string(written + after, 0)

    assert (found.value, found.end, found.sure) == (text, len(written), True)


@given(st.sampled_from([*CLOSERS]), loose_texts)
def test_any_string_is_read_to_an_end_that_is_in_the_text(opening: str, text: str) -> None:
    found = read_string(opening + text, 0)

    assert 0 < found.end <= len(text) + 1
    found.value.encode()


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ('"The lead said "ship it", then left."]', 'The lead said "ship it", then left.'),
        ('"He said "ship it"", "b"]', 'He said "ship it"'),
        (r'"at C:\Users\new"]', r"at C:\Users\new"),
        (r'"a \"b\" C:\dev"]', r'a "b" C:\dev'),
        (r'"a\nb"]', "a\nb"),
        (r'"\ud83d\ude00 \ud83d"]', "\U0001f600 \ufffd"),
        ("'It's 24\" wide', 'b']", "It's 24\" wide"),
        ("\u201csaid \u201cx\u201d now\u201d]", "said \u201cx\u201d now"),
        ('"a"\n"b"]', "a"),
    ],
)
def test_what_follows_a_quote_tells_whether_it_ends_the_string(written: str, value: str) -> None:
    found = read_string(written, 0)

    assert (found.value, found.closed, found.sure) == (value, True, True)


@pytest.mark.parametrize("written", ['"The flag "a", "b" and "c" are on."]', '"24" wide"]'])
def test_a_string_that_may_be_two_is_not_sure(written: str) -> None:
    found = read_string(written, 0)

    assert (found.closed, found.sure) == (True, False)


@pytest.mark.parametrize("written", ['"a', '"a\\', '"a\\"', '"He said "', '"said "b"'])
def test_a_string_is_open_where_the_text_ends_first(written: str) -> None:
    assert not read_string(written, 0).closed


@pytest.mark.parametrize(
    ("text", "end"), [("  // a\n b", 8), ("/* a */ // b", 12), ("/* a", 4), ("a", 0), ("", 0)]
)
def test_comments_and_white_space_are_gaps(text: str, end: int) -> None:
    assert skip_gap(text, 0) == end


@given(st.text(st.characters()))
def test_pairs_are_joined_once(text: str) -> None:
    assert joined_pairs(joined_pairs(text)) == joined_pairs(text)
