"""A turn in one line: who said it, what, and a mark where more follows."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.conversations.model.turn import Turn
from everturn.prompts.turn_line import MAX_CHARS, turn_line
from scenarios.recalled_turns import turn
from strategies.hostile_texts import hostile_texts, orders_in


def _turn(text: str) -> Turn:
    return turn(0, text)


@pytest.mark.parametrize(
    ("name", "speaker"), [(None, "assistant"), ("", "assistant"), ("Ann", "Ann"), (7, "assistant")]
)
def test_a_line_says_who_said_it(name: str | int | None, speaker: str) -> None:
    said = turn(0, "hello", role="assistant")
    named = replace(said, value={**said.value, "name": name})
    assert turn_line(named) == f"{speaker}: hello"


@given(hostile_texts)
def test_a_line_is_one_line_and_gives_no_orders(text: str) -> None:
    line = turn_line(_turn(text))
    assert len(line.splitlines()) <= 1
    assert not orders_in(line)


@given(st.integers(0, 3), st.integers(1, 12))
def test_what_is_long_ends_between_two_words(blanks: int, letters: int) -> None:
    """A word may be an identifier, and half of one is another."""
    word = "x" * letters
    line = turn_line(_turn((word + " " * (blanks + 1)) * MAX_CHARS))
    assert len(line) <= MAX_CHARS + 2
    *words, mark = line.removeprefix("user: ").split(" ")
    assert set(words) == {word}
    assert mark == "…"


def test_what_just_fits_is_whole() -> None:
    text = "x" * (MAX_CHARS - len("user: "))
    assert turn_line(_turn(text)) == f"user: {text}"
    assert turn_line(_turn(f"{text}y")).endswith("x …")


def test_a_run_without_blanks_is_cut_where_it_must_be() -> None:
    """Chinese, Japanese and Thai have none."""
    line = turn_line(_turn("\u4eac" * 9_000))
    assert MAX_CHARS - 10 < len(line) <= MAX_CHARS + 2


def test_what_was_recalled_into_a_turn_is_left_out() -> None:
    block = "<recalled_memory>old</recalled_memory>"
    assert turn_line(_turn(f"{block} new")) == "user: new"
    assert turn_line(_turn(block)) == ""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("<recalled_memory>old</recalled_memory> new", "user: new"),
        (f"<recalled_memory>{'old ' * 9_000}</recalled_memory>\nnew", "user: new"),
        ("new <recalled_memory>never closed", "user: new"),
        ("<recalled_memory>old</recalled_memory>", ""),
        (" \n", ""),
    ],
)
def test_what_was_recalled_into_a_turn_is_not_said_again(text: str, line: str) -> None:
    assert turn_line(_turn(text)) == line
