"""Find the object in a model's text that is its answer, and repair it if nothing else reads it.

A model thinks aloud, and quotes what it read. It wraps the object in fences, in a tool call, or in
another object. If two objects could be the answer, neither is taken: asking again costs less than
believing a quotation.

Repair is a guess: brackets are missing, or parts run into each other. A guess may keep half of a
sentence. So a text is kept only if the answer holds it between quotes of its own.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from everturn.extraction.answers.field_values import (
    FACTS,
    LISTS,
    fields_of,
    is_extraction,
    is_list_field,
)
from everturn.extraction.answers.lenient_json import LooseValue, read_loose, read_strict
from everturn.values.go_json import JsonObject, JsonValue

# Twice what 16,000 tokens take; no answer of five facts is as long.
_MAX_ANSWER_CHARS: Final = 128_000
# A text with more braces than this before its answer is code. Loose reading may go to the end.
_MAX_STARTS: Final = 256
_MAX_LOOSE: Final = 8
# A call of a tool holds its arguments as text, in an object, in a list.
_MAX_ENVELOPES: Final = 4

# The tags of reasoning models; `</think>` comes alone where a template opened it.
_THOUGHT = re.compile(
    r"<(?P<close>/)?(?:think(?:ing)?|thought|reason(?:ing)?|reflection|scratchpad|analysis)\s*>"
    r"|(?P<open><\|channel\|>(?:analysis|commentary)\b)|(?P<end><\|end\|>|<\|start\|>)",
    re.IGNORECASE,
)
_FENCE_CHARS: Final = 40
_FENCE_BEFORE = re.compile(r"```[\w-]*\s*\Z")
_FENCED = re.compile(r"```[\w-]*\s")
# An object, or one that is written as a string.
_START = re.compile(r'\{|"(?=\s*\{)')
_MEMBER = re.compile(r'"(?:facts|user_facts|patterns|outcome)"\s*:')
# Possessive: a long row of marks is read in one way only.
_BETWEEN = re.compile(r"(?:[\s,]++|`++(?:json)?)*+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """The fields of an answer by our names, each not null, of any type.

    `cut` if the text ended before the object did; `damaged` if a part of it was not understood;
    `last` if nothing follows it.
    """

    fields: JsonObject
    cut: bool = False
    damaged: bool = False
    last: bool = True


@dataclass(frozen=True, slots=True)
class _Found:
    begin: int
    read: LooseValue
    fields: JsonObject


def read_answer(raw: str, *, transcript: str = "") -> ModelAnswer | None:
    """Return the answer in a model's text; None where there is none, or more than one.

    Args:
        raw: what the model returned.
        transcript: what it had read: an object that stands there is a quotation.
    """
    if len(raw) > _MAX_ANSWER_CHARS:
        return None
    text = raw.strip()
    whole = read_strict(text)
    if whole is None or whole.end < len(text):
        text = _without_thoughts(text).strip()
    if (plain := _whole_list(text)) is not None:
        return plain
    quoted = "".join(transcript.split())
    # A prompt that ends with the opening brace gets an answer without it.
    if _MEMBER.match(text):
        text = "{" + text
    found = list(_objects(text))
    if not found:
        fields = mended(text)
        return None if fields is None else ModelAnswer(fields, damaged=True)
    own = [one for one in found if not _is_quoted(text, one, quoted)]
    return _chosen(text, own) if own else None


def _without_thoughts(text: str) -> str:
    """Return a text without thinking; a tag that stands in a string of an object is none."""
    data = [(one.begin, one.read.end) for one in _objects(text, loose=0)]
    kept, at, opened = "", 0, False
    for tag in _THOUGHT.finditer(text):
        if any(begin < tag.start() < end for begin, end in data):
            continue
        closes = bool(tag["close"] or tag["end"])
        if closes and not opened:
            kept = "" if tag["close"] else kept + text[at : tag.start()]
        elif not closes and not opened:
            kept += text[at : tag.start()]
        at, opened = tag.end(), not closes
    return kept if opened else kept + text[at:]


def _whole_list(text: str) -> ModelAnswer | None:
    """Read a list that is all there is: of facts, or of the parts of one answer."""
    fenced = _FENCED.match(text)
    inner = text[fenced.end() :].removesuffix("```").strip() if fenced else text
    if not inner.startswith("["):
        return None
    read = read_strict(inner) or read_loose(inner, 0, is_partial=is_list_field)
    if read is None or inner[read.end :].strip() or not isinstance(read.value, list):
        return None
    parts = list(_extractions(read.value))
    fields: JsonObject = {}
    for part in parts:
        fields = _joined(fields, part)
    if not parts and any(isinstance(item, str | dict) and item for item in read.value):
        fields = {FACTS: [*read.value]}
    # A list of nothing does not say that there is nothing.
    return ModelAnswer(fields, read.cut, read.damaged) if fields else None


def _joined(first: JsonObject, second: JsonObject) -> JsonObject:
    both = [name for name in LISTS if name in first and name in second]
    joined: JsonObject = {**first, **second}
    for name in both:
        joined[name] = [*_listed(first[name]), *_listed(second[name])]
    return joined


def _listed(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else [value]


def _objects(text: str, *, loose: int = _MAX_LOOSE) -> Iterator[_Found]:
    """Yield the objects in a text that are extractions, in order, none inside another."""
    end = tried = 0
    for start in _START.finditer(text):
        if start.start() < end:
            continue
        tried += 1
        if tried > _MAX_STARTS:
            return
        read = read_strict(text, start.start())
        if read is None and loose and start[0] == "{":
            loose -= 1
            read = read_loose(text, start.start(), is_partial=is_list_field)
        fields = None if read is None else next(_extractions(read.value), None)
        if read is not None and fields is not None:
            end = read.end
            yield _Found(start.start(), read, fields)


def _extractions(value: JsonValue, depth: int = 0) -> Iterator[JsonObject]:
    """Yield the fields of the extractions in a value, whatever they are wrapped in."""
    if isinstance(value, str) and value.lstrip()[:1] in {"{", "["}:
        read = read_strict(value.strip())
        value = None if read is None else read.value
    if isinstance(value, dict) and is_extraction(value):
        yield fields_of(value)
    elif depth < _MAX_ENVELOPES and isinstance(value, dict | list):
        for held in value.values() if isinstance(value, dict) else value:
            yield from _extractions(held, depth + 1)


def _is_quoted(text: str, found: _Found, transcript: str) -> bool:
    """Say whether an object that says something stands in the transcript, spaces left out."""
    says = any(held for name, held in found.fields.items() if name != "outcome")
    return says and "".join(text[found.begin : found.read.end].split()) in transcript


def _chosen(text: str, found: list[_Found]) -> ModelAnswer | None:
    different = [one for n, one in enumerate(found) if one.fields not in _fields(found[:n])]
    last = different[-1]
    fields = last.fields
    if _are_parts(text, different):
        fields = {name: held for one in different for name, held in one.fields.items()}
    elif not _is_fenced_alone(text, different):
        return None
    rest, reads = text[found[-1].read.end :], [one.read for one in different]
    # A bracket too much ends the object before its last fields.
    damaged = any(read.damaged for read in reads) or bool(_MEMBER.search(rest))
    is_last = _BETWEEN.fullmatch(rest) is not None
    return ModelAnswer(fields, any(read.cut for read in reads), damaged, is_last)


def _fields(found: list[_Found]) -> list[JsonObject]:
    return [one.fields for one in found]


def _is_fenced_alone(text: str, found: list[_Found]) -> bool:
    fenced = [_FENCE_BEFORE.search(text[: one.begin][-_FENCE_CHARS:]) is not None for one in found]
    return fenced[-1] and fenced.count(True) == 1


def _are_parts(text: str, found: list[_Found]) -> bool:
    """Say whether objects share no field and have nothing between them: one answer in parts."""
    names = [name for one in found for name in one.fields]
    return len(names) == len(set(names)) and all(
        _BETWEEN.fullmatch(text, one.read.end, other.begin) for one, other in pairwise(found)
    )


# json-repair looks ahead at every quote: 22,000 characters of quotes took 7 s.
_MAX_REPAIR_CHARS: Final = 4_000
_BEFORE: Final = ("[", "{", ":", ",")
_AFTER = re.compile(r"\s*(?:[\]},:]|$)")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)


def mended(text: str) -> JsonObject | None:
    """Return the fields of the one extraction that json-repair makes of a text; None for none.

    https://github.com/mangiucugna/json_repair
    """
    begin = text.find("{")
    if begin < 0 or len(text) - begin > _MAX_REPAIR_CHARS:
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
