"""JSON Schemas of what the capabilities check, for the API's description.

A rule that no schema can say, such as a limit in bytes, is left out.
https://json-schema.org/draft/2020-12/json-schema-validation
"""

from typing import Any, Final, TypeAlias

from everturn.memory.model.pattern_spec import MAX_ITEM_CHARS, MAX_ITEMS, MAX_NAME_CHARS

Shape: TypeAlias = dict[str, Any]

_MAX_ID_CHARS: Final = 1_024
_VISIBLE: Final = r"\S"

IDENTIFIER: Final[Shape] = {
    "type": "string",
    "minLength": 1,
    "maxLength": _MAX_ID_CHARS,
    "pattern": r"^[^\x00-\x1f\x7f-\x9f]+$",
}
"""An id: without control characters, at most 1,024 bytes."""
PREFIX: Final[Shape] = {
    "type": "string",
    "maxLength": _MAX_ID_CHARS,
    "pattern": r"^[^\x00-\x1f\x7f-\x9f]*$",
}
"""What ids begin with; empty, it is what all of them do."""
NAMED: Final[Shape] = {"type": "string", "minLength": 1, "pattern": _VISIBLE}
"""A text that is not blank."""
TIME: Final[Shape] = {"type": "string", "format": "date-time"}
"""A time of RFC 3339; without an offset, which no schema can say, it is UTC."""
ENTITY_TAG: Final[Shape] = {
    "type": "string",
    "pattern": r"""^(\*|"[A-Za-z0-9_-]+"|[A-Za-z0-9_-]+)$""",
}
"""The etag of a document, in quotes or bare, or `*`."""
RID: Final[Shape] = {"type": "string", "pattern": "^[0-9a-f]{32}$"}
"""The id of a memory."""
# Without a text there is a content, which is not null.
SOME_CONTENT: Final[Shape] = {
    "anyOf": [
        {"required": ["text"]},
        {"required": ["content"], "properties": {"content": {"not": {"type": "null"}}}},
    ]
}
"""A turn has a text or a content."""
STATEMENT_OR_SPEC: Final[Shape] = {
    "anyOf": [
        {"required": ["statement"], "not": {"required": ["spec"]}},
        {
            "required": ["spec"],
            "not": {"required": ["statement"]},
            "properties": {"kind": {"const": "pattern"}},
        },
    ]
}
"""A memory has a statement, a pattern may have a spec instead."""
NOT_BOTH: Final[Shape] = {"not": {"required": ["statement", "spec"]}}
"""A correction says one of them, or neither."""


def _text(max_chars: int) -> Shape:
    return {**NAMED, "maxLength": max_chars}


def _texts() -> Shape:
    return {"type": "array", "items": _text(MAX_ITEM_CHARS), "maxItems": MAX_ITEMS}


PATTERN: Final[Shape] = {
    "anyOf": [
        _text(MAX_ITEM_CHARS),
        {
            "type": "object",
            "properties": {
                "name": _text(MAX_NAME_CHARS),
                "trigger": _text(MAX_ITEM_CHARS),
                "preconditions": _texts(),
                "steps": _texts(),
                "gotchas": _texts(),
                "success_criteria": _texts(),
            },
            "additionalProperties": False,
            "anyOf": [
                {"required": ["name"]},
                {"required": ["trigger"]},
                {"required": ["steps"], "properties": {"steps": {"minItems": 1}}},
            ],
        },
    ]
}
"""A pattern: an object that says what it is by a name, a trigger or steps, or a text."""
