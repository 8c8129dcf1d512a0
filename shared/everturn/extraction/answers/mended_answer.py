"""An answer that only a guess can read: brackets that are missing, parts that run into each other.

What a guess makes of a sentence may be half of it, so a text is kept only where it stands in the
answer between quotes of its own.
"""

import re
from typing import Final

from everturn.extraction.answers.fields import fields_of, is_extraction
from everturn.extraction.answers.lenient_json import read_strict
from everturn.values.go_json import JsonObject, JsonValue

# json-repair looks ahead at every quote: 22,000 characters of quotes took 7 s.
_MAX_CHARS: Final = 4_000
_BEFORE: Final = ("[", "{", ":", ",")
_AFTER = re.compile(r"\s*(?:[\]},:]|$)")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)


def mended(text: str) -> JsonObject | None:
    """Return the fields of the one extraction that json-repair makes of a text; None for none.

    https://github.com/mangiucugna/json_repair
    """
    begin = text.find("{")
    if begin < 0 or len(text) - begin > _MAX_CHARS:
        return None
    from json_repair import repair_json  # hardly ever needed, and 30 ms to import

    try:
        read = read_strict(str(repair_json(text[begin:], skip_json_loads=True)))
    except (ValueError, RecursionError):
        return None
    if read is None or not isinstance(read.value, dict) or not is_extraction(read.value):
        return None
    whole = _whole_strings(text[begin:])
    fields = {name: _kept(held, whole) for name, held in fields_of(read.value).items()}
    return {name: held for name, held in fields.items() if held} or None


def _whole_strings(text: str) -> frozenset[str]:
    """Return the strings of a text that begin and end beside a mark of JSON."""
    spans = [
        found
        for found in _QUOTED.finditer(text)
        if text[: found.start()].rstrip()[-1:] in _BEFORE and _AFTER.match(text, found.end())
    ]
    reads = [read_strict(found[0]) for found in spans]
    return frozenset(r.value for r in reads if r is not None and isinstance(r.value, str))


def _kept(value: JsonValue, whole: frozenset[str]) -> JsonValue:
    """Return a value, a list without the items that may not be whole; else None."""
    if isinstance(value, list):
        return [item for item in value if _is_whole(item, whole)]
    return value if _is_whole(value, whole) else None


def _is_whole(value: JsonValue, whole: frozenset[str]) -> bool:
    if isinstance(value, str):
        return value in whole
    if isinstance(value, dict):
        return all(_is_whole(held, whole) for held in value.values())
    return not isinstance(value, list) or all(_is_whole(item, whole) for item in value)
