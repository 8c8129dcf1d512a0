"""One string of loosely written JSON: where it ends, and what it says.

A model that writes JSON by hand forgets to escape: quotes inside a sentence, backslashes in a path.
So what follows a quote tells whether it ends the string.
"""

import re
from dataclasses import dataclass
from typing import Final

CLOSERS: Final = {
    '"': '"', "'": "'", "\u201c": '\u201c\u201d"',
    "\u201d": '\u201c\u201d"', "\u201e": "\u201c\u201d",
    "\u2018": "\u2018\u2019'", "\uff02": "\uff02",
}  # fmt: skip
"""A quote that opens a string -> those that may end it."""

_SPECIAL: Final = {opening: re.compile(rf"[\\{ends}]") for opening, ends in CLOSERS.items()}
_ESCAPES: Final = {
    '"': '"', "\\": "\\", "/": "/", "'": "'", "\n": "",
    "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
}  # fmt: skip
_UNICODE = re.compile(r"u([0-9a-fA-F]{4})")
# What may stand between two tokens, and is long only where somebody means harm.
_GAP = re.compile(r"\s*(?:(?://[^\n]*|/\*.*?\*/)\s*)*", re.DOTALL)
# After a comma there comes a value, a name, an end, or what was left out.
_NEXT = re.compile(
    r"[\"'\u201c\u201d\u201e\u2018\uff02{\[\]}\d-]|\.\.|\u2026|$|[\w-]+\s*[:\uff1a]"
    r"|(?:true|false|null|none|nan)\b",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[\]}:\uff1a]|```|$")
_COMMAS: Final = ",\uff0c"
# Quotes with a comma or a colon between them look like two strings that became one.
_RUN_TOGETHER = re.compile(r"\"\s*[,:\[\]{}]+\s*\"")


@dataclass(frozen=True, slots=True)
class LooseString:
    """A string that was read, and the index behind it.

    `closed` is false where the text ended first; `sure` is false where quotes inside may be ends
    of strings, so that the value may be a part of one or several in one.
    """

    value: str
    end: int
    closed: bool
    sure: bool = True


def skip_gap(text: str, at: int) -> int:
    """Return where the next token begins: behind white space and comments."""
    found = _GAP.match(text, at)
    end = found.end() if found else at
    # A comment without an end goes on to the end of the text.
    return len(text) if text.startswith("/*", end) else end


def read_string(text: str, at: int) -> LooseString:
    r"""Read the string whose opening quote is at `at`, one of `CLOSERS`.

    Where an escape is none, as in `C:\Users`, nothing in the string is taken for one but `\"`,
    `\\` and `\uXXXX`. Halves of a surrogate pair are joined; lone ones are U+FFFD.
    """
    opening, begin, inner, closed = text[at], at + 1, 0, False
    at = begin
    while special := _SPECIAL[opening].search(text, at):
        at = special.end()
        if special[0] == "\\":
            at += 1
        elif _closes(text, at, odd=opening != "'" and inner % 2 == 1):
            closed = True
            break
        else:
            inner += 1
    if not closed:
        return LooseString("", len(text), closed=False)
    value = _unescaped(text[begin : at - 1])
    # A quote at the very end may as well open what was not written any more.
    unclear = skip_gap(text, at) == len(text) and (inner or value.endswith(" "))
    return LooseString(value, at, closed=not unclear, sure=_is_sure(value, inner, opening))


def _closes(text: str, at: int, *, odd: bool) -> bool:
    """Say whether the quote before `at` ends its string; `odd` if it makes an inner pair whole."""
    after = skip_gap(text, at)
    if _ENDS.match(text, after):
        return True
    if odd:
        return False
    if text[after] in _COMMAS:
        return _NEXT.match(text, skip_gap(text, after + 1)) is not None
    return text[after] in CLOSERS and "\n" in text[at:after]


def _is_sure(value: str, inner: int, opening: str) -> bool:
    if opening == "'" or not inner:
        return True
    return inner % 2 == 0 and not _RUN_TOGETHER.search(value)


def _unescaped(raw: str) -> str:
    parts, is_literal, at = [], _has_no_escape(raw), 0
    while (found := raw.find("\\", at)) >= 0:
        parts.append(raw[at:found])
        told, at = _escaped(raw, found + 1, is_literal=is_literal)
        parts.append(told)
    return joined_pairs("".join([*parts, raw[at:]]))


def _has_no_escape(raw: str) -> bool:
    """Say whether a backslash stands before what is no escape: then most are plain ones."""
    pairs = re.finditer(r"\\(?:u[0-9a-fA-F]{4}|(.))", raw, re.DOTALL)
    return any(pair[1] is not None and pair[1] not in _ESCAPES for pair in pairs)


def _escaped(raw: str, at: int, *, is_literal: bool) -> tuple[str, int]:
    if code := _UNICODE.match(raw, at):
        return chr(int(code[1], 16)), code.end()
    char = raw[at : at + 1]
    if char not in _ESCAPES or not char or (is_literal and char.isalpha()):
        return "\\" + char, at + 1
    return _ESCAPES[char], at + 1


def joined_pairs(text: str) -> str:
    """Return a text with surrogate pairs as the characters they mean, and lone ones as U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
