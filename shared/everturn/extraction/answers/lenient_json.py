"""Parse JSON as models write it: comments, other quotes, Python's words, a missing end.

What is not understood is an error, never a guess.

A model that writes JSON by hand forgets to escape quotes inside a sentence, and backslashes in a
path. So the text after a quote decides whether the quote ends its string.
"""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from everturn.values.go_json import JsonObject, JsonValue

# An answer is nested four deep; Python's own limit of recursion is far above.
_MAX_DEPTH: Final = 24
_MAX_DIGITS: Final = 18
# Half-width and full-width commas and semicolons part; dots stand for what was left out.
_PARTS = re.compile(r"[,\uff0c;]|\.{2,}|\u2026")
_COLONS: Final = ":\uff1a"
_WORD = re.compile(r"[^\s,\uff0c;:\uff1a\[\]{}\"']+")
_LITERALS: Final[dict[str, JsonValue]] = {
    "true": True, "false": False, "null": None, "none": None, "undefined": None, "nan": None,
}  # fmt: skip
_NUMBER = re.compile(r"[+-]?(?:\d|\.\d|Infinity$)[\d.eE+-]*|[+-]Infinity")


class _CutError(Exception):
    """The text ended inside a value."""


@dataclass(frozen=True, slots=True)
class LooseValue:
    """A value, and the index behind it; `cut` if the text ended before it did.

    `damaged` if something in it was left out because it could not be understood.
    """

    value: JsonValue
    end: int
    cut: bool = False
    damaged: bool = False


def _number(digits: str) -> int | None:
    return int(digits) if len(digits) <= _MAX_DIGITS else None


def _nothing(_: str) -> None:
    """Fractions, NaN and infinities say nothing here, and the last two are no JSON."""


def _object_of(pairs: Iterable[tuple[str, JsonValue]]) -> JsonObject:
    members: JsonObject = {}
    for name, value in pairs:
        known = members.get(name)
        if isinstance(known, list) and isinstance(value, list):
            members[name] = [*known, *value]
        elif value is not None or name not in members:
            members[name] = value
    return members


_DECODER: Final = json.JSONDecoder(
    strict=False, parse_int=_number, parse_float=_nothing, parse_constant=_nothing,
    object_pairs_hook=_object_of,
)  # fmt: skip


def read_strict(text: str, at: int = 0) -> LooseValue | None:
    """Read the JSON value at `at`; None where there is none.

    Line ends may stand in strings. Of a name that comes twice lists are joined, else the last
    value counts. Numbers that are no integers are null.
    """
    try:
        value, end = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
    return LooseValue(value, end)


def read_loose(text: str, at: int, *, is_partial: Callable[[str], bool]) -> LooseValue | None:
    """Read the object or list at `at` as far as the text goes; None where it is none.

    Args:
        text: anything.
        at: the index of `{` or `[`.
        is_partial: whether a list of this name may lose its last items. Where the text ends, whole
            items of such lists are kept, and whole members of what holds them; of anything else a
            half is none. A list that is in nothing is called "".
    """
    reader = _Reader(text, at, is_partial)
    try:
        value = reader.value("", inside=False)
    except (_CutError, ValueError):
        return None
    return LooseValue(value, reader.at, reader.cut, reader.damaged)


@dataclass(slots=True)
class _Reader:
    text: str
    at: int
    is_partial: Callable[[str], bool]
    cut: bool = False
    damaged: bool = False
    depth: int = field(default=0)

    def value(self, name: str, *, inside: bool) -> JsonValue:
        """Read one value of a member called `name`; `inside` an item that is whole or nothing."""
        char = self._next()
        if char in CLOSERS:
            return self._string()
        if char not in "{[":
            return self._word()
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise ValueError("nested too deep")
        self.at += 1
        value = self._object(inside=inside) if char == "{" else self._list(name, inside=inside)
        self.depth -= 1
        return value

    def _object(self, *, inside: bool) -> JsonObject:
        pairs: list[tuple[str, JsonValue]] = []
        try:
            while self._next_part() != "}":
                if (name := self._name()) is not None:
                    pairs.append((name, self.value(name, inside=inside)))
        except _CutError:
            keeps = self.cut or any(self.is_partial(name) for name, _ in pairs)
            if inside or not keeps:
                raise
            self.cut = True
            return _object_of(pairs)
        self.at += 1
        return _object_of(pairs)

    def _list(self, name: str, *, inside: bool) -> list[JsonValue]:
        items: list[JsonValue] = []
        partial = not inside and self.is_partial(name)
        try:
            while self._next_part() != "]":
                items.append(self.value("", inside=inside or partial))
        except _CutError:
            if not partial:
                raise
            self.cut = True
            return items
        self.at += 1
        return items

    def _name(self) -> str | None:
        """Read a name and its colon; None for a word that has strayed in."""
        is_word = self.text[self.at] not in CLOSERS
        name = self._bare() if is_word else self._string()
        after = self._next()
        if after in _COLONS:
            self.at += 1
            return name
        if not is_word or after not in CLOSERS:
            raise ValueError("a name without a value")
        self.damaged = True
        return None

    def _string(self) -> str | None:
        found = read_string(self.text, self.at)
        self.at = found.end
        if not found.closed:
            raise _CutError
        self.damaged |= not found.sure
        return found.value if found.sure else None

    def _bare(self) -> str:
        word = _WORD.match(self.text, self.at)
        if word is None:
            raise ValueError("neither a value nor a name")
        self.at = word.end()
        return word[0]

    def _word(self) -> JsonValue:
        word = self._bare()
        if self.at == len(self.text):
            raise _CutError
        if word.lower() in _LITERALS:
            return _LITERALS[word.lower()]
        if not _NUMBER.fullmatch(word):
            raise ValueError("a word that is no value")
        return _number(word) if word.isdecimal() else None

    def _next(self) -> str:
        self.at = skip_gap(self.text, self.at)
        if self.at == len(self.text):
            raise _CutError
        return self.text[self.at]

    def _next_part(self) -> str:
        char = self._next()
        while part := _PARTS.match(self.text, self.at):
            self.at = part.end()
            char = self._next()
        return char


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
