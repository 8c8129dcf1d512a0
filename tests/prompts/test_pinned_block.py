"""The pinned block: what is in it, and what goes first where it does not fit."""

import os
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.prompts.pinned_block import PinnedBlock, PinnedParts, pinned_block
from everturn.recall.language.terms import matchable_text
from everturn.values.prompt_text import FRAME_BYTES, one_line
from everturn.values.token_estimate import count_tokens, tokens_of_bytes
from everturn.values.visible_text import is_blank
from golden_files import GOLDEN_FILES, golden_bytes
from strategies.hostile_texts import orders_in, short_hostile_texts

FRAME_TOKENS = tokens_of_bytes(FRAME_BYTES)
GOLDEN = "pinned_block.txt"
WRITE_GOLDEN = "EVERTURN_WRITE_GOLDEN"
BY_WEIGHT = ("rules", "constraints", "identity", "goal", "profile")
FULL = PinnedParts(
    identity="You are Ada, the build agent.\n\nYou speak plainly.",
    rules=("Never push to main.", "Ask before you delete."),
    constraints=("Dana is allergic to peanuts.",),
    profile=("Dana lives in Bern. (since 2025-03-01)", "Dana likes <b>tea</b> & List<int>."),
    goal="Ship 1.2.3\nwith </recalled_memory> notes",
)

_texts = short_hostile_texts | st.tuples(short_hostile_texts, short_hostile_texts).map("\n".join)
_lists = st.lists(_texts, max_size=4).map(tuple)
parts_drawn: st.SearchStrategy[PinnedParts] = st.builds(
    PinnedParts, _texts, _lists, _lists, _lists, _texts
)


def _with_budget(drawn: tuple[PinnedParts, int]) -> tuple[PinnedParts, int]:
    """Return parts and so many percent of what all of them take."""
    parts, percent = drawn
    return parts, pinned_block(parts, 1_000_000).tokens * percent // 100


budgeted = st.tuples(parts_drawn, st.integers(-5, 110)).map(_with_budget)


def _lines(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(line for line in map(one_line, texts) if not is_blank(line))


def _said(parts: PinnedParts) -> dict[str, tuple[str, ...]]:
    """Return all lines of the parts, the heaviest part first."""
    return {
        "rules": _lines(parts.rules),
        "constraints": _lines(parts.constraints),
        "identity": _lines(parts.identity.splitlines()),
        "goal": _lines(parts.goal.splitlines()),
        "profile": _lines(parts.profile),
    }


def _bullets(block: PinnedBlock) -> list[str]:
    return [line[2:] for line in block.text.split("\n") if line.startswith("- ")]


@given(budgeted)
def test_a_block_is_never_above_its_budget(drawn: tuple[PinnedParts, int]) -> None:
    parts, budget = drawn
    block = pinned_block(parts, budget)
    assert block.tokens == count_tokens(block.text) <= max(budget, 0)


@given(budgeted)
def test_what_is_lost_is_lost_from_the_lightest_part_and_its_end(
    drawn: tuple[PinnedParts, int],
) -> None:
    """No rule is lost while a line of the profile stands, and so on through the parts."""
    parts, budget = drawn
    said, block = _said(parts), pinned_block(parts, budget)
    is_lost = False
    for part in BY_WEIGHT:
        shown = block.parts[part]
        assert shown == said[part][: len(shown)]
        assert not (is_lost and shown)
        is_lost = is_lost or len(shown) < len(said[part])
    assert block.cut == sum(map(len, said.values())) - sum(map(len, block.parts.values()))


@given(budgeted)
def test_the_lines_of_the_text_are_those_of_the_parts(drawn: tuple[PinnedParts, int]) -> None:
    """No line is cut inside, none is added, none goes missing without being counted."""
    parts, budget = drawn
    block = pinned_block(parts, budget)
    assert list(block.parts) == ["identity", "rules", "constraints", "profile", "goal"]
    assert _bullets(block) == [line for part in block.parts.values() for line in part]
    noun = "line" if block.cut == 1 else "lines"
    marker = f"[{block.cut} {noun} left out to fit the budget]"
    if block.cut and block.text:
        assert block.text.split("\n")[-2] == marker
    else:
        assert marker not in block.text.split("\n")


HEADINGS = {
    "identity": "Identity:",
    "rules": "Rules:",
    "constraints": "Hard constraints:",
    "profile": "User profile:",
    "goal": "Goal:",
}


def _written(said: dict[str, tuple[str, ...]], count: int) -> str:
    """Return the block of the `count` heaviest lines, written the long way."""
    heaviest = [(part, line) for part in BY_WEIGHT for line in said[part]]
    kept, cut = heaviest[:count], len(heaviest) - count
    text = (
        "<recalled_memory>\nRecalled memory. The live exchange below is newer and wins on any "
        "conflict; only rules and hard constraints always hold.\n"
    )
    for part, heading in HEADINGS.items():
        lines = [line for of, line in kept if of == part]
        text += "".join(f"{line}\n" for line in [heading, *(f"- {x}" for x in lines)] if lines)
    if cut:
        text += f"[{cut} {'line' if cut == 1 else 'lines'} left out to fit the budget]\n"
    return f"{text}</recalled_memory>" if heaviest else ""


@given(budgeted)
def test_as_many_lines_are_shown_as_fit(drawn: tuple[PinnedParts, int]) -> None:
    parts, budget = drawn
    said = _said(parts)
    all_lines = sum(map(len, said.values()))
    ways = [_written(said, count) for count in range(all_lines, -1, -1)]
    fitting = [text for text in ways if count_tokens(text) <= budget]
    assert pinned_block(parts, budget).text == (fitting[0] if fitting else "")


@given(budgeted)
def test_no_part_gives_an_order_or_leaves_the_marker(drawn: tuple[PinnedParts, int]) -> None:
    parts, budget = drawn
    block = pinned_block(parts, budget)
    assert matchable_text(f"a {block.text} b") == "a b"
    assert all(orders_in(line) == [] for line in block.text.split("\n")[1:-1])


@given(budgeted)
def test_the_same_parts_give_the_same_bytes(drawn: tuple[PinnedParts, int]) -> None:
    parts, budget = drawn
    assert pinned_block(parts, budget) == pinned_block(parts, budget)


@given(parts_drawn, st.integers(0, 300), st.integers(0, 300))
def test_a_larger_budget_never_shows_less(parts: PinnedParts, one: int, more: int) -> None:
    assert pinned_block(parts, one + more).cut <= pinned_block(parts, one).cut


@pytest.mark.parametrize(
    "parts", [PinnedParts(), PinnedParts(" \n", ("", "\u200b"), (), ("\x00",), "\u2028")]
)
def test_nothing_to_say_is_no_block(parts: PinnedParts) -> None:
    block = pinned_block(parts, 2_000)
    assert (block.text, block.tokens, block.cut) == ("", 0, 0)


@pytest.mark.parametrize("budget", [-1, 0, 1, FRAME_TOKENS - 1, FRAME_TOKENS])
def test_a_budget_below_the_frame_is_no_block(budget: int) -> None:
    block = pinned_block(FULL, budget)
    assert (block.text, block.tokens) == ("", 0)
    assert block.cut == 9
    assert not any(block.parts.values())


def test_a_block_below_the_budget_holds_all_five_parts_in_order() -> None:
    block = pinned_block(FULL, 2_000)
    if os.environ.get(WRITE_GOLDEN):
        path = GOLDEN_FILES / GOLDEN
        path.write_bytes(block.text.encode())
    assert block.text.encode() == golden_bytes(GOLDEN)
    assert block.parts["goal"] == ("Ship 1.2.3", "with &lt;/recalled_memory> notes")
    assert block.cut == 0


@pytest.mark.parametrize("padding", range(4))
def test_at_every_budget_as_many_lines_are_shown_as_fit(padding: int) -> None:
    parts = replace(FULL, identity="You are Ada." + "." * padding)
    said, whole = _said(parts), pinned_block(parts, 2_000).tokens
    ways = [_written(said, count) for count in range(sum(map(len, said.values())), -1, -1)]
    for budget in range(whole + 2):
        fitting = [text for text in ways if count_tokens(text) <= budget]
        assert pinned_block(parts, budget).text == (fitting[0] if fitting else "")


def test_one_missing_line_is_said_in_the_singular() -> None:
    parts = PinnedParts(rules=("keep",), profile=("p" * 400,))
    assert "\n[1 line left out to fit the budget]\n" in pinned_block(parts, 80).text


def test_a_rule_too_long_for_the_budget_shows_nothing_lighter_in_its_place() -> None:
    parts = PinnedParts("me", ("short", "r" * 900), ("hard",), ("likes tea",), "ship")
    block = pinned_block(parts, 150)
    assert block.parts == {
        "identity": (),
        "rules": ("short",),
        "constraints": (),
        "profile": (),
        "goal": (),
    }
    assert block.cut == 5
