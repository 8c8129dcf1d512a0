"""JSON as Go's encoding/json (1.22 and later) prints it, so that Go programs share our files.

Reading also returns where each value is in the text, so that it can be kept byte for byte.
"""

import json
import re
from math import isfinite
from typing import TypeAlias, Union

JsonValue: TypeAlias = Union[  # noqa: UP007  # `|` cannot name the alias inside itself
    dict[str, "JsonValue"], list["JsonValue"], str, int, float, bool, None
]
JsonObject: TypeAlias = dict[str, JsonValue]

_LONE_SURROGATES = re.compile("[\ud800-\udfff]")
# These five can stand in strings only, so they may be replaced in the finished text.
# https://pkg.go.dev/encoding/json#HTMLEscape
_GO_ESCAPES = {char: f"\\u{ord(char):04x}" for char in "&<>\u2028\u2029"}
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def dumps(value: JsonValue) -> str:
    """Write a value as Go would: `& < >` and line separators escaped, other text raw.

    Lone surrogates become U+FFFD, as in a Go string.

    Raises:
        ValueError: the value holds NaN or an infinity.
    """
    text = _LONE_SURROGATES.sub("\ufffd", _ENCODER.encode(value))
    for char, escape in _GO_ESCAPES.items():
        if char in text:
            text = text.replace(char, escape)
    return text


_WHITE = " \t\r\n"


def _finite(text: str) -> float:
    """Read a number; also called for `NaN` and the like, which JSON does not have."""
    number = float(text)
    if not isfinite(number):
        raise ValueError("a number is out of range")
    return number


_DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_finite)


def members_of(text: str) -> tuple[JsonObject, dict[str, tuple[int, int]]]:
    """Return the members of the one object in `text`, and where each value stands in it.

    Of a name that occurs twice the last counts, as in Go.

    Raises:
        ValueError: `text` is not one JSON object.
    """
    members: JsonObject = {}
    spans: dict[str, tuple[int, int]] = {}
    at = _expect(text, _skip(text, 0), "{")
    while text[at : at + 1] != "}" or members:
        name, at = _DECODER.raw_decode(text, at)
        start = _skip(text, _expect(text, _skip(text, at), ":"))
        value, at = _DECODER.raw_decode(text, start)
        if not isinstance(name, str):
            raise ValueError("a member's name is no string")  # noqa: TRY004  # the format is wrong, not a type of ours
        members[name], spans[name] = value, (start, at)
        at = _skip(text, at)
        if text[at : at + 1] == "}":
            break
        at = _skip(text, _expect(text, at, ","))
    if _skip(text, at + 1) != len(text):
        raise ValueError("something follows the object")
    return members, spans


def items_of(text: str) -> list[tuple[str, JsonValue]]:
    """Return the values of the inside of an array, each with its own text.

    Raises:
        ValueError: it is none.
    """
    items: list[tuple[str, JsonValue]] = []
    start = _skip(text, 0)
    while start < len(text):
        value, end = _DECODER.raw_decode(text, start)
        items.append((text[start:end], value))
        start = _skip(text, end)
        if start < len(text):
            start = _expect(text, start, ",")
    return items


def inside(text: str, span: tuple[int, int]) -> str:
    """Return what stands between the brackets of an array."""
    start, end = span
    return text[start + 1 : end - 1].strip(_WHITE)


def _skip(text: str, at: int) -> int:
    while text[at : at + 1] and text[at] in _WHITE:
        at += 1
    return at


def _expect(text: str, at: int, char: str) -> int:
    if text[at : at + 1] != char:
        raise ValueError(f"expected {char}")
    return _skip(text, at + 1)
