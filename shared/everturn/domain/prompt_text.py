"""What was remembered as text for a prompt: one line each, in one block, unable to give orders.

Not here: what is chosen and what fits (domain/pinned_block.py, domain/context_block.py).
"""

import re
from collections.abc import Sequence

from everturn.domain import visible_text
from everturn.domain.timestamps import format_time

_OPENING = (
    "<recalled_memory>\n"
    "Recalled memory. The live exchange below is newer and wins on any conflict; "
    "only rules and hard constraints always hold.\n"
)
_CLOSING = "</recalled_memory>"
FRAME_BYTES = len(_OPENING) + len(_CLOSING)
"""What a block takes beside its lines, each of which takes one more for its line end."""

# Tags by which templates and agents tell who speaks, what a tool is told, and what is thought.
_TAGS = (
    r"system[\w-]*|user|human|assistant|developer|tool[\w-]*|function[\w-]*|think[\w-]*|invoke"
    r"|parameters?|instructions?|sys|bos|eos|pad|unk|im_start|im_end|start_of_turn|end_of_turn"
)
# `List<User>` and `Promise<Tool>` are types; no template has a tag in this spelling.
_TYPE = r"\b[A-Z]\w*<[A-Z][a-z]+[A-Za-z0-9]*>"
# Our own marker needs no end to count as one: what reads it takes an open one to the end.
# `<|im_start|>` and its like, with the bar that some models write: https://huggingface.co/docs/transformers/chat_templating
# `<<SYS>>`, `[INST]`, `<s>`: https://www.llama.com/docs/model-cards-and-prompt-formats/meta-llama-2
_MARKUP = re.compile(
    rf"(?P<type>(?-i:{_TYPE}))"
    r"|<(?=\s?/?\s?(?:\w+:)?recalled_memory\b"
    rf"|<?\s?/?\s?(?:\w+:)?(?:{_TAGS})(?:[\s/=][^<>]*)?(?:>|$)"
    r"|/?s\s?/?>"
    r"|[|\uff5c][^<>]*[|\uff5c]>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])",
    re.IGNORECASE,
)
_INERT = {"<": "&lt;", "[": "&#91;"}
# Letters without ink hide words from people, not from models: the tag characters that spell ASCII,
# and spaces of no width. In a flag they spell a region.
# https://www.unicode.org/reports/tr51/#emoji_tag_sequences
_HIDDEN = re.compile(
    r"(\U0001f3f4[\U000e0020-\U000e007e]{1,8}\U000e007f)"
    r"|[\u00ad\u180e\u200b\u2060-\u2064\ufeff\U000e0000-\U000e007f]"
)
_DAY_END = "T00:00:00Z"


def one_line(text: str) -> str:
    """Return a text in one line that no reader takes for a tag of a prompt.

    White space is collapsed; controls, bidi controls and letters without ink are left out. Of
    `<|...|>` tokens, `[INST]`, `<<SYS>>` and tags such as `<system>` the first character becomes
    `&lt;` or `&#91;`. All else stays as it is: `a<b`, `List<int>`, `x</y`. Twice is once.
    """
    line = visible_text.one_line(_HIDDEN.sub(_shown, text))
    return _MARKUP.sub(_inert, line) if "<" in line or "[" in line else line


def _shown(hidden: re.Match[str]) -> str:
    return hidden[1] or ""


def _inert(markup: re.Match[str]) -> str:
    return markup["type"] or _INERT[markup[0]]


def snippet_text(text: str, *, valid_from_ns: int | None) -> str:
    """Return a memory in one line, with the time from which it holds where one is known.

    Args:
        text: what the memory says.
        valid_from_ns: Unix nanoseconds; midnight UTC is shown as a date, else as a time.
    """
    if valid_from_ns is None:
        return one_line(text)
    return f"{one_line(text)} (since {format_time(valid_from_ns).removesuffix(_DAY_END)})"


def recalled_block(lines: Sequence[str]) -> str:
    """Return lines inside the marker that recall, embedding and extraction leave out.

    Each goes through `one_line`. No lines make no block: "".
    """
    if not lines:
        return ""
    return _OPENING + "".join(f"{one_line(line)}\n" for line in lines) + _CLOSING
