"""JSON as models write it: comments, other quotes, Python's words, an end that is missing.

What is not understood is an error, never a guess.
"""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from everturn.extraction.answers.loose_string import CLOSERS, read_string, skip_gap
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
