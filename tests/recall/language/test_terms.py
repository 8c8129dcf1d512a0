"""Terms of texts: words of any script, identifiers as wholes, and what was recalled once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cpu_time import cpu_limit
from everturn.recall.language.terms import (
    hash_of_text,
    identifiers_of,
    matchable_text,
    term_of_word,
    terms_of,
    words_of,
)

TEXTS = st.text(st.characters(), max_size=200)


@given(TEXTS)
def test_any_text_has_terms_of_32_bits(text: str) -> None:
    matchable = matchable_text(text)
    found = [*terms_of(matchable), *identifiers_of(matchable)]

    assert all(0 <= term < 2**32 for term in found)


@given(TEXTS)
def test_only_a_text_without_anything_has_the_hash_nought(text: str) -> None:
    matchable = matchable_text(text)

    assert (hash_of_text(matchable) == 0) == (not matchable)
    assert 0 <= hash_of_text(matchable) < 2**64


@given(TEXTS)
def test_what_is_matchable_stays_as_it_is(text: str) -> None:
    once = " ".join(text.replace("<", "").split())

    assert matchable_text(once) == once


def test_half_a_surrogate_pair_has_a_hash() -> None:
    assert hash_of_text("\ud800 half") != hash_of_text("\udfff half")


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("She moved to Berlin", "moving"),
        ("We met at the CAFÉ", "cafe"),
        ("Müller called", "muller"),
        ("Caroline's necklace", "Caroline"),
        ("Caroline\u2019s necklace", "caroline"),
        ("STRASSE", "straße"),
        ("ﬁne print", "fine"),
        ("Привет, мир", "МИР"),
        ("नमस्ते दुनिया", "दुनिया"),
        ("كَتَبَ الوَلَد", "كتب"),
        ("שָׁלוֹם", "שלום"),
    ],
)
def test_a_word_is_found_in_another_form(said: str, asked: str) -> None:
    assert set(terms_of(asked)) <= set(terms_of(said))
    assert terms_of(asked)


@pytest.mark.parametrize(
    ("said", "asked", "other"),
    [
        ("我昨天在北京买了一辆自行车", "北京", "上海"),
        ("昨日は東京で友達に会いました", "東京", "大阪"),
        ("서울에서 친구를 만났어요", "서울", "부산"),
        ("ฉันชอบกินข้าวผัด", "ข้าวผัด", "ก๋วยเตี๋ยว"),
    ],
)
def test_a_script_without_spaces_is_matched_by_neighbouring_characters(
    said: str, asked: str, other: str
) -> None:
    assert set(terms_of(asked)) <= set(terms_of(said))
    assert not set(terms_of(other)) <= set(terms_of(said))


def test_latin_words_inside_a_script_without_spaces_are_words() -> None:
    assert set(terms_of("python")) <= set(terms_of("我用python写代码"))


def test_words_that_say_nothing_have_no_term() -> None:
    assert terms_of("what is the") == []
    assert term_of_word("the") is None


@pytest.mark.parametrize(
    "identifier",
    [
        "MARK-77120431",
        "0x52908400098527886E0F7030069857D2EE8169E7/a",
        "src/parse_v2.ts",
        "C:\\tmp\\a1",
        "v1.2.3-rc.1",
        "127.0.0.1:8787",
        "snake_case",
        "@org/package",
        "a1+b2",
    ],
)
@pytest.mark.parametrize("around", ["{}", "see {}.", "({})", "'{}', then", "是{}吗", "{}:\n"])
def test_an_identifier_is_a_term_as_a_whole(identifier: str, around: str) -> None:
    text = matchable_text(around.format(identifier))

    assert set(identifiers_of(identifier)) <= set(identifiers_of(text))
    assert len(identifiers_of(identifier)) == 1


def test_an_identifier_is_found_in_another_case() -> None:
    assert identifiers_of("mark-77120431") == identifiers_of("MARK-77120431")


def test_identifiers_that_share_all_parts_differ() -> None:
    assert identifiers_of("12-34") != identifiers_of("34-12")


@pytest.mark.parametrize("text", ["well-known", "e.g.", "...", "#", "a", "8080", "done."])
def test_what_has_one_part_or_no_digit_is_no_identifier(text: str) -> None:
    assert identifiers_of(text) == []


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a <recalled_memory>b</recalled_memory> c", "a c"),
        ("a <recalled_memory>b</recalled_memory>c<recalled_memory>d</recalled_memory> e", "a c e"),
        ("a <RECALLED_Memory kind='fact'>b\n</Recalled_memory > c", "a c"),
        ("a <recalled_memory> b never ends", "a"),
        ("<recalled_memory>all of it</recalled_memory>", ""),
        ("<recalled_memory>a <recalled_memory>b</recalled_memory> c</recalled_memory> d", "d"),
        ("<recalled_memory>a <recalled_memory>b</recalled_memory> never ends", ""),
        ("a </recalled_memory> b", "a </recalled_memory> b"),
        ("a </recalled_memory> b <recalled_memory>c</recalled_memory>", "a </recalled_memory> b"),
        ("a <recalled_memorys> b", "a <recalled_memorys> b"),
        ("a < b > c", "a < b > c"),
        (" a\t\n b\u2003c ", "a b c"),
    ],
)
def test_what_was_recalled_once_is_not_matched(text: str, left: str) -> None:
    assert matchable_text(text) == left


MEGABYTE = 1_048_576


@pytest.mark.parametrize(
    "piece",
    [
        "a", "1", "#", "@", ".", "a.", "#a", "a#", "-", "/", "ab,", "é", "漢", "\u0301", "'s",
        "<recalled_memory", "<recalled_memory>", "</recalled_memory", "</recalled_memory  ",
        "<recalled_memory></recalled_memory>", "<", "a1 ", "\ufdfa",
    ],
)  # fmt: skip
def test_a_hostile_megabyte_is_read_in_linear_time(piece: str) -> None:
    """A pattern that goes back over what it read would take minutes."""
    with cpu_limit(20):
        text = matchable_text(piece * (MEGABYTE // len(piece.encode())))
        terms_of(text)
        identifiers_of(text)
        hash_of_text(text)


def test_a_word_as_long_as_a_file_is_a_term_and_is_not_kept() -> None:
    long = "x" * MEGABYTE

    assert terms_of(long) == [term_of_word(long)]
    assert words_of(long) == [long]
