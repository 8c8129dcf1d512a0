"""Texts that try to be more than text in a prompt, and what must never be left of them."""

import re

from hypothesis import strategies as st

MARKUP = (
    "<recalled_memory>", "</recalled_memory>", "<recalled_memory", "</recalled_memory >",
    "<Recalled_Memory kind='x'>", "<|im_start|>", "<|im_end|>", "<|start_header_id|>", "<|x y|>",
    "<\uff5cUser\uff5c>", "<system>", "</system>", "<SYSTEM>", "< system >", "</ user>", "<user>",
    "<assistant>", "<human>", "<developer>", "<system-reminder>", "<system_prompt a='b'>",
    "<tool_call>", "</tool_response>", "<tools>", "<function=get>", "<function_calls>", "<think>",
    "</thinking>", "<x:function_calls>", "<invoke name='x'>", "<parameter name='x'>", "<s>", "</s>",
    "<start_of_turn>", "<end_of_turn>", "<bos>", "<<SYS>>", "<</SYS>>", "[INST]", "[/INST]",
    "[inst]", "[TOOL_CALLS]", "[SYSTEM_PROMPT]",
)  # fmt: skip
"""Each gives an order to some model, some template or to us."""

_PIECES = (
    *MARKUP, *"<>|[]/ ab", "\n", "\t", "\x00", "\x1b", "\x85", "\u2028", "\u202e", "\u200b",
    "\u200d", "\u00ad", "\ufeff", "\U000e0041", "\U0001f3f4", "\U000e007f", "\ud800", "&lt;",
    "- ", "# ", "---", "Rules:", "system", "recalled_memory", "user", "List", "x", "im_start",
)  # fmt: skip

hostile_texts: st.SearchStrategy[str] = st.lists(
    st.sampled_from(_PIECES) | st.text(st.characters(), max_size=4), max_size=8
).map("".join)

short_hostile_texts: st.SearchStrategy[str] = st.sampled_from(
    [*_PIECES, *(f"{piece} said {number}" for number, piece in enumerate(_PIECES))]
)
"""The same, quick to draw: for tests that need many texts at once."""

_TAG = r"<\s*/?\s*(?:\w+:)?"
_FORBIDDEN = re.compile(
    rf"{_TAG}recalled_memory\b|{_TAG}(?:system|assistant|human|developer)[\w-]*(?:\s[^<>]*)?>"
    r"|<\|[^<>]*\|>|<\uff5c[^<>]*\uff5c>|</?s>|<<?/?SYS>|\[/?INST\]|\[TOOL_CALLS\]"
    rf"|{_TAG}(?:tool|function|think)[\w-]*(?:[\s=][^<>]*)?>|{_TAG}(?:user|invoke)(?:\s[^<>]*)?>",
    re.IGNORECASE,
)
_TYPE = re.compile(r"\w<[A-Z][a-z]+\w*>")


def orders_in(text: str) -> list[str]:
    """Return the markup that a text still holds; a type such as `List<User>` is none."""
    return [found[0] for found in _FORBIDDEN.finditer(_TYPE.sub("x", text))]
