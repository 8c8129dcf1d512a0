"""The whole context under one budget."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.prompts.context_block import ContextParts, context_block
from everturn.prompts.pinned_block import PinnedParts
from everturn.recall.language.terms import matchable_text
from everturn.values.prompt_text import FRAME_BYTES, one_line
from everturn.values.token_estimate import count_tokens, tokens_of_bytes
from everturn.values.visible_text import is_blank
from prompts.context_lines import HEADINGS, PARTS, lines_of, many
from strategies.hostile_texts import orders_in, short_hostile_texts

FRAME_TOKENS = tokens_of_bytes(FRAME_BYTES)

_texts = short_hostile_texts | st.integers(1, 60).map("w".__mul__)
_lists = st.lists(_texts, max_size=6).map(tuple)
contexts: st.SearchStrategy[ContextParts] = st.builds(
    ContextParts,
    st.builds(PinnedParts, _texts, _lists, _lists, _lists, _texts),
    _lists,
    _lists,
    _lists,
    _lists,
)


def _with_budget(drawn: tuple[ContextParts, int]) -> tuple[ContextParts, int]:
    """Return parts and so many percent of what all of them take."""
    parts, percent = drawn
    return parts, context_block(parts, 1_000_000).tokens * percent // 100


budgeted = st.tuples(contexts, st.integers(-5, 110)).map(_with_budget)


def _bullets(text: str) -> list[str]:
    return [line[2:] for line in text.split("\n") if line.startswith("- ")]


@given(budgeted)
def test_a_context_is_never_above_its_budget(drawn: tuple[ContextParts, int]) -> None:
    parts, budget = drawn
    block = context_block(parts, budget)
    assert block.tokens == count_tokens(block.text) <= max(budget, 0)


@given(budgeted)
def test_a_context_shows_whole_lines_and_says_which(drawn: tuple[ContextParts, int]) -> None:
    parts, budget = drawn
    block = context_block(parts, budget)
    assert tuple(block.shown) == PARTS
    shown = [line for part in PARTS for line in lines_of(parts, block, part)]
    pinned = [line for part in block.pinned.parts.values() for line in part]
    assert _bullets(block.text) == pinned + shown
    assert all(list(at) == sorted(set(at)) for at in block.shown.values())
    assert not any(map(is_blank, shown))


@given(budgeted)
def test_parts_stand_in_their_order_below_their_headings(drawn: tuple[ContextParts, int]) -> None:
    parts, budget = drawn
    block = context_block(parts, budget)
    lines = block.text.split("\n")
    told = [heading for part, heading in zip(PARTS, HEADINGS, strict=True) if block.shown[part]]
    assert [line for line in lines if line in HEADINGS] == told


@given(budgeted)
def test_one_block_stands_around_all_and_nothing_in_it_gives_an_order(
    drawn: tuple[ContextParts, int],
) -> None:
    parts, budget = drawn
    block = context_block(parts, budget)
    assert matchable_text(f"a {block.text} b") == "a b"
    assert block.text.count("<recalled_memory") == bool(block.text)
    assert all(orders_in(line) == [] for line in block.text.split("\n")[1:-1])


@given(budgeted)
def test_the_pinned_part_is_a_block_of_its_own_too(drawn: tuple[ContextParts, int]) -> None:
    parts, budget = drawn
    block = context_block(parts, budget)
    inner = block.pinned.text.split("\n")[1:-1]
    assert block.text.split("\n")[1 : 1 + len(inner)] == inner
    assert block.pinned.tokens == count_tokens(block.pinned.text)


@given(budgeted)
def test_no_line_of_one_part_is_said_again_in_another(drawn: tuple[ContextParts, int]) -> None:
    parts, budget = drawn
    block = context_block(parts, budget)
    said = {line for part in block.pinned.parts.values() for line in part}
    for part in ("memories", "recent", "recalled", "patterns"):
        lines = lines_of(parts, block, part)
        assert not said & set(lines)
        assert part == "recent" or len(set(lines)) == len(lines)
        said |= set(lines)


@given(contexts)
def test_all_is_shown_where_there_is_room(parts: ContextParts) -> None:
    block = context_block(parts, 1_000_000)
    assert block.pinned.cut == 0
    wanted = {one_line(text) for part in PARTS for text in getattr(parts, part)}
    assert {line for line in wanted if not is_blank(line)} <= set(_bullets(block.text))


def test_a_context_is_within_its_budget_at_every_budget_and_padding() -> None:
    for padding in range(4):
        pinned = PinnedParts("me" + "." * padding, ("rule",), ("hard",), ("likes tea",), "ship")
        parts = ContextParts(pinned, *(many(part, 4, 9) for part in PARTS))
        sizes = [context_block(parts, budget).tokens for budget in range(300)]
        assert all(size <= budget for budget, size in enumerate(sizes))
        assert sizes[-1] == sizes[-2]


@pytest.mark.parametrize("budget", [-1, 0, 1, FRAME_TOKENS - 1, FRAME_TOKENS])
def test_a_budget_below_the_frame_gives_nothing(budget: int) -> None:
    parts = ContextParts(PinnedParts("me"), ("m",), ("p",), ("t",), ("u",))
    block = context_block(parts, budget)
    assert (block.text, block.tokens, block.pinned.cut) == ("", 0, 1)
    assert not any(block.shown.values())


def test_nothing_to_say_gives_nothing() -> None:
    block = context_block(ContextParts(), 8_000)
    assert (block.text, block.tokens) == ("", 0)


def test_a_context_reads_like_this() -> None:
    parts = ContextParts(
        PinnedParts(rules=("Never push to main.",)),
        ("The port is 9090. (since 2026-01-01)",),
        ("Release | steps: 1) tag; 2) push",),
        ("user: which port?",),
        ("user: hi", "assistant: hello"),
    )
    assert context_block(parts, 8_000).text.split("\n")[2:-1] == [
        "Rules:",
        "- Never push to main.",
        "Long-term memory:",
        "- The port is 9090. (since 2026-01-01)",
        "Proven patterns:",
        "- Release | steps: 1) tag; 2) push",
        "Relevant earlier turns:",
        "- user: which port?",
        "Recent turns:",
        "- user: hi",
        "- assistant: hello",
    ]


def test_an_old_turn_that_a_memory_repeats_is_not_said_again() -> None:
    turns = ("user: I have a cat.", "user: Hi")
    parts = ContextParts(PinnedParts(profile=("I have a cat.",)), recalled=turns, recent=turns)
    block = context_block(parts, 500)
    assert block.shown["recalled"] == ()
    assert block.shown["recent"] == (0, 1)
    assert context_block(ContextParts(recalled=turns), 500).shown["recalled"] == (0, 1)


def test_the_same_word_said_twice_is_shown_twice_among_turns() -> None:
    recent = ("user: go on", "assistant: one", "user: go on")
    block = context_block(ContextParts(recent=recent, recalled=("user: go on",)), 1_000)
    assert block.shown["recent"] == (0, 1, 2)
    assert block.shown["recalled"] == ()


def test_a_profile_line_that_is_pinned_is_no_memory_again_but_one_that_was_cut_is() -> None:
    likes = ("Dana likes tea.", "Dana likes figs. " + "x" * 200)
    parts = ContextParts(PinnedParts(profile=likes), likes)
    block = context_block(parts, 150)
    assert block.pinned.parts["profile"] == likes[:1]
    assert block.shown["memories"] == (1,)
