"""Arguments that several tools take, each with its form and what a model reads of it."""

import json
import re
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BeforeValidator, Field, WithJsonSchema

_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)

Kind: TypeAlias = Literal["fact", "event", "pattern", "preference", "goal", "constraint"]


def from_json(value: object) -> object:
    """Read a list or an object that a client sent as JSON inside a string, as some do."""
    if not isinstance(value, str) or not value.lstrip().startswith(("[", "{")):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def counted(default: int, most: int, what: str) -> Any:  # noqa: ANN401  # pydantic's own
    """Describe a count from 1 on; more than `most` is no mistake, the API clamps it."""
    return Field(None, ge=1, json_schema_extra={"maximum": most, "default": default},
                 description=what)  # fmt: skip


def _midnight(value: object) -> object:
    """Take a plain date, which models like to write, for its midnight in UTC."""
    is_date = isinstance(value, str) and _DATE.fullmatch(value.strip())
    return f"{is_date[0]}T00:00:00Z" if is_date else value


_TIME: Final = {"type": "string", "format": "date-time"}
Time: TypeAlias = Annotated[str, BeforeValidator(_midnight), WithJsonSchema(_TIME)]
"""A time of RFC 3339; the API reads it."""
Rid: TypeAlias = Annotated[
    str,
    Field(
        description="The memory's id (32 hex digits, from search_memory or list_memories), or its "
        "URI everturn://memory/{kind}/{rid}."
    ),
]
Roles: TypeAlias = Annotated[
    list[str] | None,
    BeforeValidator(from_json),
    WithJsonSchema({"type": "array", "items": {"type": "string", "minLength": 1}}),
    Field(description='Only turns of these speakers, e.g. ["user", "assistant"].'),
]
Since: TypeAlias = Annotated[
    Time | None, Field(description="Not before this time, e.g. 2026-03-02T00:00:00Z. RFC 3339.")
]
Until: TypeAlias = Annotated[
    Time | None, Field(description="Before this time (not at it). RFC 3339.")
]
Score: TypeAlias = Annotated[
    float | None,
    Field(ge=0, le=1, description="Leave out what scores below this, 0 to 1. 0.3 cuts noise."),
]
Cursor: TypeAlias = Annotated[
    str | None, Field(description="next_cursor of the page before, for the page after it.")
]

_TEXT: Final = {"type": "string", "minLength": 1, "maxLength": 1_000}
_TEXTS: Final = {"type": "array", "items": _TEXT, "maxItems": 32}
_SPEC: Final = {
    "anyOf": [
        {"type": "string", "minLength": 1, "maxLength": 1_000},
        {
            "type": "object",
            "properties": {
                "name": {"type": "string", "minLength": 1, "maxLength": 200},
                "trigger": _TEXT,
                "preconditions": _TEXTS,
                "steps": _TEXTS,
                "gotchas": _TEXTS,
                "success_criteria": _TEXTS,
            },
            "additionalProperties": False,
        },
    ]
}
Statement: TypeAlias = Annotated[
    str | None,
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": 4_000}),
    Field(
        description="One sentence that is understood alone, e.g. 'The user prefers tea over "
        "coffee.' Give this or spec, not both."
    ),
]
Spec: TypeAlias = Annotated[
    # Any JSON: the API says which part of it is wrong.
    Any,
    BeforeValidator(from_json),
    WithJsonSchema(_SPEC),
    Field(
        description="For kind pattern: a way of doing something that worked, e.g. {'name': "
        "'Restart the shop', 'trigger': 'the shop hangs', 'steps': ['drain it', 'restart it']}."
    ),
]
ValidFrom: TypeAlias = Annotated[
    Time | None, Field(description="Since when it holds, if that is known. RFC 3339.")
]
