"""The text before every prompt.

Who the agent is, what always holds, whom it serves, and its goal.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

from everturn.values.prompt_text import FRAME_BYTES, one_line, recalled_block
from everturn.values.token_estimate import bytes_of_tokens, count_tokens
from everturn.values.visible_text import is_blank

_HEADINGS = {
    "identity": "Identity:",
    "rules": "Rules:",
    "constraints": "Hard constraints:",
    "profile": "User profile:",
    "goal": "Goal:",
}
# What matters most is left out last: an order that an operator gave goes after all else.
_BY_WEIGHT = ("rules", "constraints", "identity", "goal", "profile")


@dataclass(frozen=True, slots=True)
class PinnedParts:
    """What a pinned block is made of; identity and goal may have several lines.

    `rules` and `constraints` come with what matters most first, `profile` best first.
    """

    identity: str = ""
    rules: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    profile: tuple[str, ...] = ()
    goal: str = ""


@dataclass(frozen=True, slots=True)
class PinnedLines:
    """The lines of a pinned block: headings, lines, and what says how many were left out."""

    lines: tuple[str, ...]
    parts: Mapping[str, tuple[str, ...]]
    """The lines that are shown, by part; every part has its place."""
    cut: int

    @property
    def size(self) -> int:
        """Bytes, line ends included."""
        return sum(map(line_bytes, self.lines))


@dataclass(frozen=True, slots=True)
class PinnedBlock:
    """A pinned block, ready for a prompt.

    `tokens` are those of the complete text; `cut` counts the lines that did not fit.
    """

    text: str
    tokens: int
    parts: Mapping[str, tuple[str, ...]]
    """The lines that are shown, by part; every part has its place."""
    cut: int


def pinned_block(parts: PinnedParts, budget_tokens: int) -> PinnedBlock:
    """Return the block of these parts, never above the budget; the same for the same parts.

    What does not fit is left out by whole lines, and one line says how many: first the profile,
    last line first, then goal, identity, hard constraints, and rules last of all. Nothing to say,
    or a budget too small to say anything, gives "".
    """
    room_bytes = bytes_of_tokens(budget_tokens) - FRAME_BYTES
    return as_block(fit_pinned(parts, room_bytes))


def as_block(fitted: PinnedLines) -> PinnedBlock:
    """Return the lines as a block of their own."""
    text = recalled_block(fitted.lines)
    return PinnedBlock(text, count_tokens(text), fitted.parts, fitted.cut)


def line_bytes(line: str) -> int:
    """Return what a line takes in a block, its line end included."""
    return len(line.encode()) + 1


def bullet(line: str) -> str:
    """Return a line as it stands below a heading."""
    return f"- {line}"


def section(heading: str, lines: Sequence[str]) -> tuple[str, ...]:
    """Return a heading and its lines; without lines there is no heading."""
    return (heading, *map(bullet, lines)) if lines else ()


def fit_pinned(parts: PinnedParts, room_bytes: int) -> PinnedLines:
    """Return as many lines as fit into so many bytes; see `pinned_block`."""
    said = {
        "identity": _lines(parts.identity.splitlines()),
        "rules": _lines(parts.rules),
        "constraints": _lines(parts.constraints),
        "profile": _lines(parts.profile),
        "goal": _lines(parts.goal.splitlines()),
    }
    count = _fitting(said, room_bytes)
    if count is None:
        return PinnedLines((), dict.fromkeys(_HEADINGS, ()), sum(map(len, said.values())))
    return _shown(said, count)


def _lines(texts: Iterable[str]) -> tuple[str, ...]:
    lines = map(one_line, texts)
    return tuple(line for line in lines if not is_blank(line))


def _fitting(said: Mapping[str, tuple[str, ...]], room_bytes: int) -> int | None:
    """Return how many lines fit, by weight; None where not even the count of the others does."""
    sizes = [
        line_bytes(bullet(line)) + (0 if index else line_bytes(_HEADINGS[part]))
        for part in _BY_WEIGHT
        for index, line in enumerate(said[part])
    ]
    sums = (0, *accumulate(sizes))
    for count in range(len(sizes), -1, -1):
        if sums[count] + sum(map(line_bytes, _marker(len(sizes) - count))) <= room_bytes:
            return count
    return None


def _marker(cut: int) -> tuple[str, ...]:
    """Return the line that says how many are missing, if any are."""
    noun = "line" if cut == 1 else "lines"
    return (f"[{cut} {noun} left out to fit the budget]",) if cut else ()


def _shown(said: Mapping[str, tuple[str, ...]], count: int) -> PinnedLines:
    kept: dict[str, tuple[str, ...]] = {}
    left = count
    for part in _BY_WEIGHT:
        kept[part] = said[part][:left]
        left -= len(kept[part])
    parts = {part: kept[part] for part in _HEADINGS}
    sections = (section(heading, parts[part]) for part, heading in _HEADINGS.items())
    cut = sum(map(len, said.values())) - count
    return PinnedLines((*chain.from_iterable(sections), *_marker(cut)), parts, cut)
