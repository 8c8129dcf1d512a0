"""What each part of a context gets of the budget, and which of its lines."""

import pytest

from everturn.prompts.context_block import ContextBlock, ContextParts, context_block
from everturn.prompts.pinned_block import PinnedParts, pinned_block
from everturn.values.prompt_text import FRAME_BYTES
from prompts.context_lines import HEADINGS, PARTS, lines_of, many

PERCENT = {"pinned": 30, "memories": 25, "recent": 20, "recalled": 15, "patterns": 10}


def bytes_of(parts: ContextParts, block: ContextBlock, part: str) -> int:
    """Return what a part takes in the text, its heading included."""
    lines = lines_of(parts, block, part)
    heading = dict(zip(PARTS, HEADINGS, strict=True))[part]
    return sum(len(line.encode()) + 3 for line in lines) + (len(heading) + 1 if lines else 0)


@pytest.mark.parametrize("budget", [100, 500, 2_000, 8_000])
def test_when_all_have_too_much_each_keeps_to_its_share(budget: int) -> None:
    pinned = PinnedParts(rules=many("rule"))
    parts = ContextParts(pinned, *(many(part) for part in PARTS))
    block = context_block(parts, budget)
    room = budget * 4 - FRAME_BYTES
    sizes = {part: bytes_of(parts, block, part) for part in PARTS}
    assert len(block.pinned.text.encode()) - FRAME_BYTES <= room * 30 // 100
    # A part may also use the piece, smaller than a line, that an earlier one could not.
    assert all(size <= room * PERCENT[part] // 100 + 3 * 66 for part, size in sizes.items())
    assert room - sum(sizes.values()) - len(block.pinned.text.encode()) + FRAME_BYTES < 66 + 30


@pytest.mark.parametrize("part", PARTS)
def test_a_part_alone_has_the_whole_room(part: str) -> None:
    lines = (many(name) if name == part else () for name in PARTS)
    parts = ContextParts(PinnedParts(), *lines)
    block = context_block(parts, 1_000)
    assert 0 <= 4_000 - FRAME_BYTES - bytes_of(parts, block, part) < 63


def test_what_others_leave_goes_to_memories_before_it_goes_to_the_pinned_part() -> None:
    parts = ContextParts(PinnedParts(rules=many("rule")), many("memory"))
    block = context_block(parts, 1_000)
    assert block.pinned == pinned_block(
        parts.pinned, ((4_000 - FRAME_BYTES) * 30 // 100 + FRAME_BYTES) // 4
    )
    alone = ContextParts(PinnedParts(rules=many("rule")))
    assert context_block(alone, 1_000).pinned == pinned_block(alone.pinned, 1_000)


def test_the_best_memories_and_the_newest_turns_are_kept() -> None:
    parts = ContextParts(PinnedParts(), many("memory"), (), (), many("turn"))
    block = context_block(parts, 1_000)
    memories, recent = block.shown["memories"], block.shown["recent"]
    assert memories == tuple(range(len(memories)))
    assert recent == tuple(range(200 - len(recent), 200))
    assert 0 < len(recent) < 200


def test_a_memory_too_big_for_what_is_left_is_passed_over_for_the_next() -> None:
    parts = ContextParts(memories=("first", "x" * 500, "third"))
    assert context_block(parts, 100).shown["memories"] == (0, 2)


def test_turns_end_at_the_first_that_does_not_fit() -> None:
    """A reader takes what stands together for what was said together."""
    room = ("q" * 90, "s", "x" * 300, "t" * 200, "u")
    assert context_block(ContextParts(recent=room), 150).shown["recent"] == (3, 4)


def test_a_turn_that_could_never_fit_hides_none_before_it() -> None:
    recent = ("user: before", "x" * 5_000, "user: after")
    assert context_block(ContextParts(recent=recent), 100).shown["recent"] == (0, 2)
