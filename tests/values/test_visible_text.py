"""What a reader sees."""

import re
import unicodedata

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from everturn.values.visible_text import cut, is_blank, one_line, well_formed
from strategies.json_values import loose_texts

FLAG, THUMB = "\U0001f1ef\U0001f1f5", "\U0001f44d\U0001f3fd"
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
KEYCAP, HEART = "1\ufe0f\u20e3", "\u2764\ufe0f"
CLUSTERS = (
    "a", " ", "é", "e\u0301", "漢", "😀", FLAG, THUMB, FAMILY, KEYCAP, HEART,
    "\u0915\u094d\u0937\u093f", "\u1112\u1161\u11ab", "\u0e19\u0e49\u0e33", "z" + "\u0300" * 9,
    "\u06cc\u200c",
)  # fmt: skip
"""Each is one grapheme cluster, and none melts into a neighbour of this table but flags."""

cluster_lists = st.lists(st.sampled_from(CLUSTERS), max_size=40)


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "\t\r\n", "\x00\x1b", "\u00a0", "\u200b", "\u200b\u200c\u200d", "\u2060", "\ufeff",
        "\u00ad", "\u2028\u2029", "\u202e\u202c", "\u3000", "\u180e", "\u034f", "\u115f\u1160",
        "\u3164", "\uffa0", "\u2800", "\ufe0f", "\U000e0100", "\U000e0001\U000e0041", "\x85\x9f",
        " \u200b\u2060\ufeff\n\t ",
    ],
)  # fmt: skip
def test_a_text_without_ink_is_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize(
    "text",
    ["a", "\u200ba", ".", "0", "漢", "😀", "\u0301", "\ufffd", "\U0001fae9", "\ue000"],
)
def test_a_text_with_one_visible_character_is_not_blank(text: str) -> None:
    assert not is_blank(text)
    assert not is_blank("\u200b \n" + text)


def test_half_a_surrogate_pair_is_shown_as_something() -> None:
    assert not is_blank("\ud800")


@given(st.text(st.characters(categories=["Zs", "Zl", "Zp", "Cc", "Cf"])))
def test_separators_controls_and_format_characters_show_nothing(text: str) -> None:
    assert is_blank(text)


@given(loose_texts)
def test_a_text_that_is_not_blank_leaves_something_on_its_line(text: str) -> None:
    assert is_blank(text) or not is_blank(one_line(text))


@given(loose_texts)
def test_a_line_has_no_controls_no_bidi_controls_and_no_runs_of_space(text: str) -> None:
    line = one_line(text)
    line.encode()
    assert not any(unicodedata.category(char) in {"Cc", "Zl", "Zp"} for char in line)
    assert not any(
        unicodedata.bidirectional(char) in {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "PDI"}
        for char in line
    )
    assert line == " ".join(line.split())


@given(loose_texts)
def test_a_line_stays_as_it_is(text: str) -> None:
    assert one_line(one_line(text)) == one_line(text)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("  a \t\r\n b  ", "a b"),
        ("a\x0bb\x0cc\x1cd\x85e\u00a0f\u2028g\u3000h", "a b c d e f g h"),
        ("a\x00b\x1b[31mc\x7fd\x9b", "ab[31mcd"),
        ("a \x00 b", "a b"),
        ("safe \u202egnp.exe\u202c \u2066x \u2069\u061c\u200e\u200fend", "safe gnp.exe x end"),
        (" \u0645\u06cc\u200c\u062e\u0648", "\u0645\u06cc\u200c\u062e\u0648"),
        (FAMILY, FAMILY),
        (HEART, HEART),
        ("a\ud800b", "a\ufffdb"),
        ("\u202e\x00", ""),
    ],
)  # fmt: skip
def test_joiners_stay_and_controls_go(text: str, line: str) -> None:
    assert one_line(text) == line


@given(loose_texts)
def test_a_well_formed_text_is_utf_8_of_the_same_length(text: str) -> None:
    formed = well_formed(text)
    formed.encode()
    assert len(formed) == len(text)
    assert re.sub("[\ud800-\udfff]", "\ufffd", text) == formed


@given(loose_texts.map(one_line), st.integers(1, 30))
def test_a_cut_is_a_prefix_within_the_limit_and_says_that_it_cut(text: str, limit: int) -> None:
    shown = cut(text, limit)
    if len(text) <= limit:
        assert shown == text
    else:
        assert shown.endswith("…")
        assert 0 < len(shown[:-1]) <= limit
        assert text.startswith(shown[:-1])


@given(cluster_lists, st.integers(1, 70))
def test_a_cut_keeps_as_many_whole_clusters_as_fit(clusters: list[str], limit: int) -> None:
    text = "".join(clusters)
    if len(text) <= limit:
        return
    whole = regex.findall(r"\X", text)
    kept = ""
    while len(kept) + len(whole[0]) <= limit:
        kept += whole.pop(0)
    assert cut(text, limit) == (kept or text[:limit]) + "…"


@pytest.mark.parametrize("cluster", [cluster for cluster in CLUSTERS if len(cluster) > 1])
def test_no_cluster_is_split(cluster: str) -> None:
    for inside in range(1, len(cluster)):
        text = "b" * (60 - inside) + cluster + " and so on"
        assert cut(text, 60) == "b" * (60 - inside) + "…"
    assert cut("b" * (60 - len(cluster)) + cluster + "x", 60).endswith(cluster + "…")


@pytest.mark.parametrize("flags", [FLAG * 40, "x" + FLAG * 40])
def test_a_row_of_flags_is_cut_between_two_of_them(flags: str) -> None:
    first = len(flags) % 2
    assert cut(flags, 60) == flags[: 60 - first] + "…"


@pytest.mark.parametrize("mark", ["\u0300", "\u200d", "\ufe0f", "\U0001f3fd"])
def test_a_cluster_longer_than_the_limit_is_cut_at_the_limit(mark: str) -> None:
    text = "z" + mark * 500
    assert cut(text, 60) == text[:60] + "…"


def test_a_monstrous_text_is_cut_as_fast_as_a_long_one() -> None:
    """Only the beginning is looked at: a megabyte of marks must not cost a second."""
    assert cut("é" + "\u0300" * 1_000_000, 60) == "é" + "\u0300" * 59 + "…"
