"""What of a stored text would pass for markup of a prompt, and the text with it made inert."""

import re
from bisect import bisect_right
from typing import Final

# Tags by which templates and agents tell who speaks, what a tool is told, and what is thought.
_TAGS: Final = (
    r"system[\w-]*|user|human|assistant|developer|tool[\w-]*|function[\w-]*|think[\w-]*|invoke"
    r"|parameters?|instructions?|sys|bos|eos|pad|unk|im_start|im_end|start_of_turn|end_of_turn"
)
# `List<User>` and `Promise<Tool>` are types; no template has a tag in this spelling.
_TYPE: Final = r"\b[A-Z]\w*+<[A-Z][a-z][A-Za-z0-9]*+>"
# Our own marker needs no end to count as one: what reads it takes an open one to the end. Wide and
# small brackets look the same to a model.
# `<|im_start|>` and its like, with the bar that some models write: https://huggingface.co/docs/transformers/chat_templating
# `<<SYS>>`, `[INST]`, `<s>`: https://www.llama.com/docs/model-cards-and-prompt-formats/meta-llama-2
_MARKUP = re.compile(
    rf"(?P<type>(?-i:{_TYPE}))"
    r"|[<\uff1c\ufe64](?=[^\w<>\uff1c\ufe64]*+(?:\w+:)?recalled[\s_-]*+memory\b)"
    rf"|<(?=<?[\s/]*+(?:\w+:)?(?:{_TAGS})(?:[\s/=][^<>]*)?(?:>|$)"
    r"|[\s/]*+s[\s/]*+>"
    r"|[|\uff5c][^<>]*[|\uff5c]>)"
    r"|\[(?=[\s/]*+(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\s*+\])",
    re.IGNORECASE,
)
_OPENERS = re.compile("[<\uff1c\ufe64[]")
# Nobody sees them, and a model reads past them: a tag with one of them inside is a tag.
# https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point
IGNORABLE: Final = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_IGNORABLE = re.compile(f"[{IGNORABLE}]")
# Letters without ink hide words from people, not from models: the tag characters that spell ASCII,
# and spaces of no width. In a flag they spell a region.
# https://www.unicode.org/reports/tr51/#emoji_tag_sequences
_HIDDEN = re.compile(
    r"(\U0001f3f4[\U000e0020-\U000e007e]{1,8}\U000e007f)"
    r"|[\u00ad\u180e\u200b\u2060-\u2064\ufeff\U000e0000-\U000e007f]"
)


def without_hidden(text: str) -> str:
    """Return a text without letters that hide words; joiners and flags stay, which emoji need."""
    return _HIDDEN.sub(lambda hidden: hidden[1] or "", text)


def inert(text: str) -> str:
    """Return a text of which no reader takes anything for a tag of a prompt; twice is once.

    Of `<|...|>` tokens, `[INST]`, `<<SYS>>` and tags such as `<system>` the first character becomes
    `&lt;` or `&#91;`, with whatever invisible letters inside. All else stays as it is: `a<b`,
    `List<int>`, `x</y`.
    """
    if not _OPENERS.search(text):
        return text
    parts: list[str] = []
    done = 0
    for place in _places(text):
        parts += [text[done:place], "&#91;" if text[place] == "[" else "&lt;"]
        done = place + 1
    return "".join((*parts, text[done:]))


def _places(text: str) -> list[int]:
    """Return where in a text markup begins."""
    bare = _IGNORABLE.sub("", text)
    begins = [found.start() for found in _MARKUP.finditer(bare) if not found["type"]]
    if not begins or len(bare) == len(text):
        return begins
    # Where in `bare` each unseen letter is left out; all up to a place have moved it.
    gaps = [found.start() - number for number, found in enumerate(_IGNORABLE.finditer(text))]
    return [begin + bisect_right(gaps, begin) for begin in begins]
