"""Build one text within a token budget from all that an agent should know before it answers.

`BuiltContext` is what a caller gets.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from everturn.conversations.model.turn import Turn
from everturn.memory.model.memory import Memory
from everturn.memory.model.retrieve_request import Snippet
from everturn.prompts.pinned_block import (
    PinnedBlock,
    PinnedParts,
    as_block,
    bullet,
    fit_pinned,
    line_bytes,
    section,
)
from everturn.recall.index.recall_request import Hit
from everturn.values.prompt_text import FRAME_BYTES, one_line, recalled_block
from everturn.values.token_estimate import bytes_of_tokens, count_tokens
from everturn.values.visible_text import is_blank

RECENT_TURNS: Final = 16
"""How many of the newest turns of a conversation stand in a context."""

# What a part does not want goes to the others in this order, to the pinned part last.
_PERCENT = {"pinned": 30, "memories": 25, "recent": 20, "recalled": 15, "patterns": 10}
_ENDLESS = 2**62
# Between who said a turn and what (prompts/turn_line.py).
_SPEAKER = ": "
_BY_SERVICE = ("memories", "recent", "recalled", "patterns")
# What is newest stands last, next to the live exchange.
_HEADINGS = {
    "memories": "Long-term memory:",
    "patterns": "Proven patterns:",
    "recalled": "Relevant earlier turns:",
    "recent": "Recent turns:",
}


@dataclass(frozen=True, slots=True)
class BuiltContext:
    """A context ready for a prompt, `tokens` of its text, and what stands in it, by part.

    `pending_turns`, `degraded` and `reason` are as those of a retrieve and a recall.
    """

    text: str
    tokens: int
    pinned: PinnedBlock
    memories: tuple[Snippet, ...] = ()
    patterns: tuple[Memory, ...] = ()
    recalled: tuple[Hit, ...] = ()
    recent: tuple[Turn, ...] = ()
    pending_turns: int = 0
    degraded: bool = False
    reason: str | None = None
    embedded: int = 0


@dataclass(frozen=True, slots=True)
class ContextParts:
    """What a context is made of, a text for each line.

    `memories`, `patterns` and `recalled` come best first, `recent` oldest first.
    """

    pinned: PinnedParts = field(default_factory=PinnedParts)
    memories: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    recalled: tuple[str, ...] = ()
    recent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextBlock:
    """A context, ready for a prompt; `tokens` are those of the complete text."""

    text: str
    tokens: int
    shown: Mapping[str, tuple[int, ...]]
    """Which lines of `memories`, `patterns`, `recalled` and `recent` are in the text, ascending."""
    pinned: PinnedBlock
    """The pinned part as a block of its own: what of it is in the text, and how much is not."""


def context_block(parts: ContextParts, budget_tokens: int) -> ContextBlock:
    """Return as much of the parts as fits, never above the budget.

    Of what is left beside the frame the pinned part gets 30 in a hundred, memories 25, recent
    turns 20, recalled turns 15 and patterns 10; what one does not want goes to the others, to
    memories first and to the pinned part last. A line is shown whole or not at all. A line that an
    earlier part said word for word is not said again, nor is an old turn that a memory repeats.
    Nothing to say, or no room for it, gives "".
    """
    room = max(bytes_of_tokens(budget_tokens) - FRAME_BYTES, 0)
    lines = {part: tuple(map(one_line, getattr(parts, part))) for part in _HEADINGS}
    given = _given(parts.pinned, lines, room)
    pinned = fit_pinned(parts.pinned, given["pinned"])
    spare = given["pinned"] - pinned.size
    said = set(chain.from_iterable(pinned.parts.values()))
    shown: dict[str, tuple[int, ...]] = {}
    for part in _BY_SERVICE:
        spare += given[part]
        shown[part] = _fitting(part, lines[part], spare, said)
        spare -= sum(map(line_bytes, _section(part, lines[part], shown[part])))
        said.update(lines[part][index] for index in shown[part])
    sections = (_section(part, lines[part], shown[part]) for part in _HEADINGS)
    text = recalled_block((*pinned.lines, *chain.from_iterable(sections)))
    in_order = {part: shown[part] for part in _HEADINGS}
    return ContextBlock(text, count_tokens(text), in_order, as_block(pinned))


def _given(pinned: PinnedParts, lines: Mapping[str, Sequence[str]], room: int) -> Mapping[str, int]:
    """Return how many bytes each part may have: its share, and what others do not want."""
    wanted = {"pinned": fit_pinned(pinned, _ENDLESS).size}
    for part in _BY_SERVICE:
        wanted[part] = sum(map(line_bytes, _section(part, lines[part], range(len(lines[part])))))
    given = {part: min(size, room * _PERCENT[part] // 100) for part, size in wanted.items()}
    spare = room - sum(given.values())
    for part in (*_BY_SERVICE, "pinned"):
        more = min(wanted[part] - given[part], spare)
        given[part] += more
        spare -= more
    return given


def _section(part: str, lines: Sequence[str], shown: Iterable[int]) -> tuple[str, ...]:
    return section(_HEADINGS[part], [lines[index] for index in shown])


def _fitting(part: str, lines: Sequence[str], share: int, said: set[str]) -> tuple[int, ...]:
    """Return which lines fit, ascending: the best of them, or the newest turns.

    A line too big for what is left is passed over for the next. Turns stand for what was said one
    after the other: the first that does not fit ends them, unless it never could.
    """
    is_talk = part == "recent"
    left = most = share - line_bytes(_HEADINGS[part])
    shown: list[int] = []
    known = set(said)
    for index in reversed(range(len(lines))) if is_talk else range(len(lines)):
        size = line_bytes(bullet(lines[index]))
        if is_blank(lines[index]) or lines[index] in known:
            continue
        if part == "recalled" and lines[index].partition(_SPEAKER)[2] in known:
            # A memory in the same words; among the recent turns it is part of the talk.
            continue
        if size <= left:
            shown.append(index)
            left -= size
            if not is_talk:
                known.add(lines[index])
        elif is_talk and size <= most:
            break
    return tuple(sorted(shown))
