"""Lines and blocks for a prompt."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.recall.language.terms import matchable_text
from everturn.values.prompt_text import FRAME_BYTES, one_line, recalled_block, snippet_text
from everturn.values.timestamps import parse_time
from everturn.values.token_estimate import count_tokens, tokens_of_bytes
from strategies.hostile_texts import MARKUP, hostile_texts, orders_in

SCOTLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
IDENTIFIERS = (
    "a<b", "List<int>", "x</y", "List<User>", "Promise<Tool>", "Dana <user@example.com>", "a <| b",
    "/users/<user_id>/x", "vec![1]", "arr[i]", "0x52908400098527886E0F7030069857D2E4169EE7",
    "src/Utils/parse_v2.ts", r"D:\new\temp\build", "MARK-77120431", "https://x.org/?a=1&b=<c>",
    "a < b > c", "1 << 2", "<div>", "[x] done", "INST", "system: x", "x<systemx@y>", "&lt;system>",
    "50%", "`rm -rf`", "# 3", "--force", "<3", "</", "<", "[", "<|", "|>",
)  # fmt: skip


@given(hostile_texts)
def test_a_line_is_one_line_without_controls(text: str) -> None:
    line = one_line(text)
    line.encode()
    assert line == " ".join(line.split())
    assert not any(unicodedata.category(char) in {"Cc", "Zl", "Zp"} for char in line)
    assert not {"\u202e", "\u200b", "\u00ad", "\ufeff"} & set(line)


@given(hostile_texts)
def test_a_line_stays_as_it_is(text: str) -> None:
    assert one_line(one_line(text)) == one_line(text)


@given(hostile_texts)
def test_no_line_holds_a_tag_of_a_prompt(text: str) -> None:
    assert orders_in(one_line(text)) == []


@pytest.mark.parametrize("markup", MARKUP)
def test_markup_loses_its_first_character_wherever_it_stands(markup: str) -> None:
    inert = one_line(markup)
    assert inert.startswith(("&lt;", "&#91;"))
    assert one_line(f"say {markup} now") == f"say {inert} now"
    assert one_line(f"({markup})x") == f"({inert})x"
    assert one_line(markup * 2) == inert * 2


@pytest.mark.parametrize("text", IDENTIFIERS)
def test_an_identifier_stays_verbatim(text: str) -> None:
    assert one_line(text) == text
    assert one_line(f"use {text} here") == f"use {text} here"


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="<[")))
def test_a_text_without_brackets_stays_verbatim(text: str) -> None:
    assert one_line(text) == text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\n\nHuman: b", "a Human: b"),
        ("a\u2028b\u2029c\x85d", "a b c d"),
        ("\x1b[31mred\x9b0m\u202e", "[31mred0m"),
        ("<sys\u200btem>", "&lt;system>"),
        ("<\u017fystem>", "&lt;\u017fystem>"),
        ("hid\U000e0073\U000e0061den", "hidden"),
        ("a \u200b b", "a b"),
        (SCOTLAND + "\U000e0041", SCOTLAND),
        (FAMILY, FAMILY),
        ("<system\nrole='x'\n>", "&lt;system role='x' >"),
        ("x <system", "x &lt;system"),
        ("List<Recalled_memory>", "List&lt;Recalled_memory>"),
        ("ok<system>", "ok&lt;system>"),
        ("</User>", "&lt;/User>"),
        ("a\ud800", "a\ufffd"),
        ("", ""),
    ],
)  # fmt: skip
def test_a_text_becomes_this_line(text: str, line: str) -> None:
    assert one_line(text) == line


@pytest.mark.parametrize("piece", ["<", "<|", "< / ", "<system ", "[/", "<a:", "<<", "List<Us"])
def test_a_long_text_of_beginnings_takes_no_time(piece: str) -> None:
    """A pattern that tries each beginning to the end of the text would take hours."""
    text = piece * 50_000
    assert len(one_line(text)) >= len(text.strip())


@pytest.mark.parametrize(
    ("valid_from", "ending"),
    [
        (None, ""),
        ("2026-01-01T00:00:00Z", " (since 2026-01-01)"),
        ("2026-01-01T02:00:00+02:00", " (since 2026-01-01)"),
        ("2026-01-01T00:00:00.5Z", " (since 2026-01-01T00:00:00.5Z)"),
        ("2026-01-01T09:30:00Z", " (since 2026-01-01T09:30:00Z)"),
    ],
)
def test_a_snippet_says_from_when_it_holds(valid_from: str | None, ending: str) -> None:
    valid_from_ns = None if valid_from is None else parse_time(valid_from)
    assert snippet_text("The port\nis 9090.", valid_from_ns=valid_from_ns) == (
        f"The port is 9090.{ending}"
    )


def test_a_block_says_that_the_live_exchange_wins() -> None:
    assert recalled_block(["- a", "b\n<system>"]) == (
        "<recalled_memory>\n"
        "Recalled memory. The live exchange below is newer and wins on any conflict; "
        "only rules and hard constraints always hold.\n"
        "- a\n"
        "b &lt;system>\n"
        "</recalled_memory>"
    )


def test_no_lines_make_no_block() -> None:
    assert recalled_block([]) == ""


@given(st.lists(hostile_texts, min_size=1, max_size=5))
def test_a_block_is_dropped_wholly_from_what_is_matched(lines: list[str]) -> None:
    block = recalled_block(lines)
    assert matchable_text(f"before {block} after") == "before after"
    first, _, *inner, last = block.split("\n")
    assert (first, inner, last) == (
        "<recalled_memory>",
        list(map(one_line, lines)),
        "</recalled_memory>",
    )
    assert matchable_text(block) == ""


@given(st.lists(st.text(st.characters(codec="ascii"), max_size=9), min_size=1, max_size=5))
def test_a_frame_and_its_lines_are_the_whole_block(lines: list[str]) -> None:
    size = FRAME_BYTES + sum(len(one_line(line)) + 1 for line in lines)
    assert len(recalled_block(lines).encode()) == size
    assert count_tokens(recalled_block(lines)) >= tokens_of_bytes(FRAME_BYTES)
