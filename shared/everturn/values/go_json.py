"""JSON as Go's encoding/json (1.22 and later) prints it, so that Go programs share our files."""

import json
import re
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
