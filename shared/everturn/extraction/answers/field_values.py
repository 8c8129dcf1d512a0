"""Read the fields of an extraction as models write them: texts, patterns, outcome, citations.

Field names vary by model, and are mapped to ours. A value whose shape says nothing gives None,
never its `repr`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from everturn.extraction.answers.lenient_json import joined_pairs, read_loose, read_strict
from everturn.memory.model.identity import identity_of
from everturn.memory.model.pattern_spec import MAX_ITEM_CHARS, MAX_ITEMS, MAX_NAME_CHARS
from everturn.values.go_json import JsonObject, JsonValue

STATUSES: Final = ("success", "failure", "partial")
UNKNOWN: Final = "unknown"

_STATUS_WORDS: Final = {
    "success": ("success succeeded successful done complete completed ok okay resolved solved "
                "achieved finished passed true yes"),
    "failure": ("failure fail failed error unsuccessful unresolved aborted false no"),
    "partial": ("partial partially incomplete mixed partial_success partially_successful "
                "partially_completed partially_complete"),
}  # fmt: skip
_STATUS: Final = {word: status for status, words in _STATUS_WORDS.items() for word in words.split()}

# Under these a model puts the text of an item; in a step also what is done.
_TEXT_NAMES: Final = ("text", "fact", "user_fact", "statement", "content", "memory", "value")
_STEP_NAMES: Final = (*_TEXT_NAMES, "step", "action", "description", "instruction", "do", "command")
_SAYS_NOTHING: Final = frozenset(
    {"", "none", "n/a", "na", "null", "nil", "undefined", "empty", "nothing", "string", "..", "..."}
)
_MARK = re.compile(r"\s*(?:[-*\u2022]\s+|(?:step\s+)?\d{1,2}[.):]\s+)", re.IGNORECASE)
_INLINE_NUMBER = re.compile(r"(?:^|\s)\d{1,2}[.)]\s+")
_PATTERN_LISTS: Final = ("preconditions", "steps", "gotchas", "success_criteria")
_PATTERN_FIELDS: Final = ("name", "trigger", *_PATTERN_LISTS)
_ITEM_FIELDS: Final = frozenset((*_TEXT_NAMES, *_PATTERN_FIELDS))

_NUMBERS = re.compile(r"(\d{1,9})(?:\s?[-\u2013]\s?#?(\d{1,9}))?")
_MOST_TURNS: Final = 64
_MOST_QUOTE_CHARS: Final = 4_000


@dataclass(frozen=True, slots=True)
class Cite:
    """Where a model says that it found an item: numbers of turns, and words of one of them.

    Neither is known to be so.
    """

    turns: tuple[int, ...] = ()
    quote: str = ""


def cite_of(value: JsonValue) -> Cite:
    """Return where an item was found: its `turn` or `turns`, and its `quote`."""
    if not isinstance(value, dict):
        return Cite()
    held = value.get("turn", value.get("turns"))
    numbers = [number for item in _listed(held) for number in _numbers(item)]
    texts = (text for text in _listed(value.get("quote")) if isinstance(text, str))
    quote = joined_pairs(next(texts, ""))
    return Cite(tuple(numbers[:_MOST_TURNS]), quote if len(quote) <= _MOST_QUOTE_CHARS else "")


def _listed(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else [value]


def _numbers(value: JsonValue) -> Iterator[int]:
    """Yield the numbers of turns in `12`, `"#12"`, `"user #3"`; of a range its two ends."""
    if isinstance(value, int) and not isinstance(value, bool):
        yield value
    elif isinstance(value, str):
        for found in _NUMBERS.finditer(value):
            yield from (int(digits) for digits in found.groups() if digits)


def items_of(value: JsonValue) -> list[JsonValue]:
    """Return the items of a list field: one text or object is one item, nothing is none.

    A list that is written as a text is read; lines with bullets or numbers are items. Members of
    an object that is no item are items, with the member's name where they are objects.
    """
    value = _decoded(value)
    if isinstance(value, str):
        return list(_lines(value))
    if isinstance(value, dict):
        return _members(value)
    items = value if isinstance(value, list) else [value]
    return [item for item in map(_decoded, items) if not _is_nothing(item)]


def _members(value: JsonObject) -> list[JsonValue]:
    if not value:
        return []
    if any(name in value for name in (*_TEXT_NAMES, *_PATTERN_FIELDS)):
        return [value]
    held = list(value.items())
    if all(name.strip().isdecimal() for name, _ in held):
        return [item for _, item in held]
    if all(isinstance(item, dict) and "steps" in item for _, item in held):
        return [{"name": name, **item} for name, item in held if isinstance(item, dict)]
    lists = [item for _, item in held if isinstance(item, list)]
    return lists[0] if len(held) == len(lists) == 1 else [value]


def _decoded(value: JsonValue) -> JsonValue:
    if not isinstance(value, str) or value.lstrip()[:1] not in {"[", "{"}:
        return value
    text = value.strip()
    read = read_strict(text) or read_loose(text, 0, is_partial=lambda _: False)
    return value if read is None or read.end < len(text) else read.value


def _is_nothing(value: JsonValue) -> bool:
    if isinstance(value, dict) and value.keys() & _ITEM_FIELDS:
        # The shape that was asked for, left blank.
        return all(isinstance(held, int) or _is_nothing(held) for held in _held(value))
    is_word = isinstance(value, str) and identity_of(value).lower() in _SAYS_NOTHING
    return value is None or is_word or value in ([], {})


def _held(value: JsonObject) -> Iterator[JsonValue]:
    """Yield what stands in an item beside where it was found."""
    return (held for name, held in value.items() if name not in {"turn", "turns", "quote"})


def _lines(text: str) -> Iterator[str]:
    lines = [line for line in text.splitlines() if line.strip() and not _is_nothing(line)]
    if len(lines) > 1 and all(map(_MARK.match, lines)):
        yield from map(_unmarked, lines)
    elif not _is_nothing(text):
        yield text


def _unmarked(text: str) -> str:
    """Return a text without the bullet or the number that it begins with."""
    mark = _MARK.match(text)
    return text[mark.end() :] if mark else text


def text_of(value: JsonValue, names: tuple[str, ...] = _TEXT_NAMES) -> str | None:
    """Return the text of an item: itself, or what stands under a name of `names` in an object."""
    if isinstance(value, dict):
        named = (value[name] for name in names if name in value)
        texts = [held for held in named if isinstance(held, str)]
        if not texts and len(value) == 1 and names == _STEP_NAMES:
            texts = [held for held in value.values() if isinstance(held, str)]
        value = texts[0] if texts else None
    if not isinstance(value, str) or _is_nothing(value):
        return None
    # A pair of surrogates may have been written as two escapes.
    return joined_pairs(value)


def pattern_of(value: JsonValue) -> JsonObject | None:
    """Return a pattern with all six fields, its lists as lists of texts; None for no pattern.

    What says how to do nothing, or is too long for a pattern, is none: a procedure with some of
    its steps is dangerous. A text is a pattern of one step.
    """
    if isinstance(value, str):
        value = {"steps": [value]}
    if not isinstance(value, dict):
        return None
    lists = {name: _texts(value.get(name)) for name in _PATTERN_LISTS}
    if not lists["steps"] or None in lists.values():
        return None
    name = text_of(value.get("name", value.get("title"))) or ""
    trigger = text_of(value.get("trigger")) or ""
    if len(name) > MAX_NAME_CHARS or len(trigger) > MAX_ITEM_CHARS:
        return None
    return {"name": name, "trigger": trigger, **{n: [*(held or [])] for n, held in lists.items()}}


def _texts(value: JsonValue) -> list[str] | None:
    """Return the items of a pattern's list as texts; None if one of them is none."""
    items = items_of(value)
    if len(items) == 1 and isinstance(items[0], str):
        items = [*_numbered(items[0])]
    texts = [text_of(item, _STEP_NAMES) for item in items]
    if len(texts) > 1 and all(text and _MARK.match(text) for text in texts):
        texts = [_unmarked(text) for text in texts if text]
    known = [text for text in texts if text is not None and len(text) <= MAX_ITEM_CHARS]
    return known if len(known) == len(items) <= MAX_ITEMS else None


def _numbered(text: str) -> list[str]:
    """Split `1. build 2. push`, which counts from one."""
    if not re.match(r"\s*1[.)]\s", text):
        return [text]
    return [part.strip() for part in _INLINE_NUMBER.split(text) if part.strip()]


def outcome_of(value: JsonValue) -> tuple[str, str]:
    """Return the summary, "" for none, and the status: one of `STATUSES`, else `UNKNOWN`."""
    value = _decoded(value)
    if isinstance(value, list):
        value = next((item for item in value if isinstance(item, dict | str)), None)
    if not isinstance(value, dict):
        return text_of(value) or "", UNKNOWN
    summary = value.get("summary")
    if isinstance(summary, list):
        summary = " ".join(item for item in summary if isinstance(item, str))
    given = value.get("status", value.get("success"))
    word = "_".join(str(given).casefold().replace("_", " ").replace("-", " ").split()).rstrip(".!")
    return text_of(summary) or "", _STATUS.get(word, UNKNOWN)


FACTS: Final = "facts"
USER_FACTS: Final = "user_facts"
PATTERNS: Final = "patterns"
OUTCOME: Final = "outcome"
LISTS: Final = (FACTS, USER_FACTS, PATTERNS)

_SINGULARS: Final = {"fact": FACTS, "user_fact": USER_FACTS, "pattern": PATTERNS}
_FIELDS: Final = {name: name for name in (*LISTS, OUTCOME)} | _SINGULARS
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|[\s-]+")
# What tells a JSON Schema: https://json-schema.org/draft/2020-12/json-schema-core
_SCHEMA: Final = frozenset({"properties", "$schema", "$defs"})


def field_of(name: str) -> str:
    """Return the field that a name means, such as `userFacts` and `User facts`; "" for none."""
    return _FIELDS.get(_HUMP.sub("_", name.strip()).lower(), "")


def is_list_field(name: str) -> bool:
    """Say whether a name is that of a list in an extraction, or no name at all."""
    return not name or field_of(name) in LISTS


def is_extraction(value: JsonValue) -> bool:
    """Say whether a value is an object with a field of ours, and no schema of one."""
    return isinstance(value, dict) and not _SCHEMA & value.keys() and any(map(field_of, value))


def fields_of(value: JsonObject) -> JsonObject:
    """Return the fields of an object that are ours, under our names; the first of two counts."""
    found: JsonObject = {}
    for name, held in value.items():
        if (field := field_of(name)) and held is not None:
            found.setdefault(field, held)
    return found
