"""Markup is found whatever stands inside of it that nobody sees, and all else stays as it is."""

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from cpu_time import cpu_limit
from everturn.integrations.mcp import frame
from everturn.prompt_markup import IGNORABLE, inert
from everturn.values import prompt_text
from strategies.hostile_texts import MARKUP, hostile_texts, orders_in

UNSEEN = "\u034f\u115f\u17b4\u180b\u200c\u200d\u3164\ufe0f\uffa0\U000e0100"
KEPT = "👩‍💻 می‌خواهم ❤️ a<b List<int> x</y List<User> a < b > c 1 << 2 [x] <3"


@pytest.mark.parametrize("unseen", UNSEEN)
@pytest.mark.parametrize("markup", MARKUP)
def test_a_tag_is_a_tag_with_unseen_letters_at_any_place(markup: str, unseen: str) -> None:
    for place in range(1, len(markup)):
        text = f"a {markup[:place]}{unseen}{markup[place:]}"
        assert inert(text).startswith(("a &lt;", "a &#91;")), ascii(text)


@pytest.mark.parametrize(
    "text",
    ["<  /recalled_memory>", "</\t recalled_memory>", "<\u00a0\u00a0/recalled_memory>",
     "<\n\n/recalled_memory>", "<//recalled_memory>", "<\u2044recalled_memory>",
     "</recalled memory>", "</recalled-memory>",
     "\uff1c/recalled_memory\uff1e", "\ufe64/recalled_memory\ufe65", "</  system>", "[ INST ]",
     "[ / INST]"],
)  # fmt: skip
def test_a_tag_is_a_tag_with_any_space_and_bracket(text: str) -> None:
    assert inert(text).startswith(("&lt;", "&#91;"))


@pytest.mark.parametrize("text", [KEPT, *KEPT.split()])
def test_what_is_no_markup_stays_letter_by_letter(text: str) -> None:
    assert inert(text) == text


@given(hostile_texts | st.lists(st.sampled_from([*MARKUP, *UNSEEN, "a", "<", "/"])).map("".join))
def test_both_frames_go_by_this_rule(text: str) -> None:
    line = prompt_text.one_line(text)
    for shown in (line, frame.inert(text), frame.one_line(text)):
        assert inert(shown) == shown
        assert orders_in(regex.sub(r"\p{Default_Ignorable_Code_Point}", "", shown)) == []


def test_what_nobody_sees_is_what_unicode_says() -> None:
    ours, theirs = regex.compile(f"[{IGNORABLE}]"), regex.compile(r"\p{DI}")
    differ = [
        code
        for code in range(0x110000)
        if bool(ours.match(chr(code))) != bool(theirs.match(chr(code)))
    ]
    assert differ == []


@pytest.mark.parametrize(
    "piece",
    ["<", "< / ", "<\u200d", "<   ", "[ ", "<|", "<a:", "<recalled ", " \u200d", "\uff1c",
     "\ufe64 ", "A<A", "A<Aa"],
)  # fmt: skip
def test_a_long_text_of_beginnings_takes_no_time(piece: str) -> None:
    """A pattern that tries each beginning to the end of the text would take hours."""
    with cpu_limit(10):
        inert(f"<{piece * 50_000}")
        inert(f"<{piece[-1] * 200_000}")
        inert(f"{piece}{'a' * 200_000}")
