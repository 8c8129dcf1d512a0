"""Arguments of the MCP tools: one pydantic model a tool, described for the model that reads it."""

import json
import re
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

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


class Arguments(BaseModel):
    """The arguments of a call; unknown ones are refused, null is as good as left out."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, data: object) -> object:
        """Drop null: models write it for what they do not mean to say."""
        if not isinstance(data, dict):
            return data
        known = {field.alias or name for name, field in cls.model_fields.items()}
        return {k: v for k, v in data.items() if v is not None or k not in known}

    def given(self, *, without: str | None = None) -> dict[str, Any]:
        """Return what was given, by the client's parameter names."""
        names = self.model_fields_set - {without}
        return {name: _sent(getattr(self, name)) for name in names}


def _sent(value: object) -> object:
    """Return a value as the API takes it."""
    if isinstance(value, BaseModel):
        return value.model_dump(by_alias=True, exclude_unset=True)
    return value


class SearchMemory(Arguments):
    """Arguments of search_memory."""

    query: str = Field(description="What you want to know, e.g. 'which drinks does the user like'.")
    top_k: int | None = counted(8, 100, "How many memories at most.")
    kinds: Annotated[
        list[Literal[Kind, "turn"]] | None,
        BeforeValidator(from_json),
        Field(description="Only these kinds. 'turn' is what was said a moment ago."),
    ] = None
    since: Since = None
    until: Until = None
    as_of: Annotated[
        Time | None, Field(description="What held at this time instead of now. RFC 3339.")
    ] = None
    min_score: Score = None
    budget_tokens: int | None = counted(6_000, 700_000, "Tokens of all of them together.")


class SourceTurns(Arguments):
    """Where a memory comes from."""

    conversation_id: str = Field(description="The conversation in which it was said.")
    from_: Annotated[
        int | None, Field(ge=0, alias="from", description="Number of the first turn that says it.")
    ] = None
    to: Annotated[int | None, Field(ge=0, description="Number of the last turn, included.")] = None
    quote: Annotated[
        str | None, Field(max_length=2_000, description="The words, copied letter by letter.")
    ] = None


class AddMemory(Arguments):
    """Arguments of add_memory."""

    kind: Kind = Field(
        description="fact: what is so. preference: what the user likes. constraint: what must or "
        "must not be. goal: what the user is after. event: what happened. pattern: a way that "
        "worked (give spec)."
    )
    statement: Statement = None
    spec: Spec = None
    subject: Annotated[
        str | None,
        Field(max_length=200, description="Whom or what it is about, e.g. 'user' (its profile)."),
    ] = None
    importance: Annotated[
        int | None,
        Field(ge=0, le=10, description="0 trivial to 10 vital; left out, the kind decides."),
    ] = None
    pinned: Annotated[bool | None, Field(description="Keep it high in every search.")] = None
    valid_from: ValidFrom = None
    source: Annotated[
        SourceTurns | None,
        BeforeValidator(from_json),
        Field(description="The stored turns that say it, so that it goes when they go."),
    ] = None


class ListMemories(Arguments):
    """Arguments of list_memories."""

    kind: Annotated[Kind | None, Field(description="Only this kind.")] = None
    limit: int | None = counted(50, 1_000, "How many on this page.")
    cursor: Cursor = None


class CorrectMemory(Arguments):
    """Arguments of correct_memory."""

    rid: Rid
    statement: Statement = None
    spec: Spec = None
    valid_from: ValidFrom = None


class ForgetMemory(Arguments):
    """Arguments of forget_memory."""

    rid: Rid


class PinMemory(Arguments):
    """Arguments of pin_memory."""

    rid: Rid
    pinned: bool = Field(default=True, description="false takes the pin off.")


class RecallConversation(Arguments):
    """Arguments of recall_conversation."""

    query: str = Field(description="What was talked about, e.g. 'the port of the staging server'.")
    conversation_id: Annotated[
        str | None, Field(description="Only this conversation; all of them if left out.")
    ] = None
    top_k: int | None = counted(6, 100, "How many turns at most.")
    budget_tokens: int | None = counted(2_500, 700_000, "Tokens of all of them together.")
    exclude_last: Annotated[
        int | None,
        Field(ge=0, description="Leave out so many newest turns, which you still have before you."),
    ] = None
    neighbours: Annotated[
        int | None,
        Field(ge=0, json_schema_extra={"maximum": 10}, description="Turns before and after each."),
    ] = None
    min_score: Score = None
    roles: Roles = None
    since: Since = None
    until: Until = None


class ListConversations(Arguments):
    """Arguments of list_conversations."""

    limit: int | None = counted(50, 1_000, "How many on this page.")
    cursor: Cursor = None
    q: Annotated[str | None, Field(description="Only those with this text in the title.")] = None
    folder: Annotated[str | None, Field(description="Only those in this folder.")] = None
    archived: Annotated[
        bool | None,
        Field(description="true: only archived ones. false: no archived ones. Left out: both."),
    ] = None


class RecentTurns(Arguments):
    """Arguments of recent_turns."""

    limit: int | None = counted(50, 1_000, "How many turns or pairs on this page.")
    cursor: Cursor = None
    since: Since = None
    until: Until = None
    roles: Roles = None
    as_: Annotated[
        Literal["turns", "pairs"],
        Field(alias="as", description="pairs: each question together with its answers."),
    ] = "turns"


class GetContext(Arguments):
    """Arguments of get_context."""

    query: str = Field(description="The question or task at hand, in the user's words.")
    goal: Annotated[
        str | None, Field(description="What all of this is for, e.g. 'move the shop to Vaduz'.")
    ] = None
    conversation_id: Annotated[
        str | None, Field(description="The conversation this belongs to, for its newest turns.")
    ] = None
    budget_tokens: int | None = counted(8_000, 700_000, "Tokens of the whole text.")
