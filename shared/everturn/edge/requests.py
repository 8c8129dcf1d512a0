"""What a request may hold: one pydantic model a body, one type a parameter.

Unknown fields are refused.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias, TypedDict
from urllib.parse import unquote

from aws_lambda_powertools.event_handler.openapi.params import Header, Path, Query
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    FailFast,
    Field,
    WithJsonSchema,
    model_validator,
)

from everturn.conversations.model.patch import KEEP, Patch
from everturn.conversations.model.summary import MAX_FOLDER_CHARS
from everturn.conversations.model.turn import MAX_NAME_CHARS, MAX_ROLE_CHARS, TurnDraft
from everturn.edge.request_schemas import ENTITY_TAG, IDENTIFIER, NAMED, PREFIX, SOME_CONTENT, TIME
from everturn.errors import InvalidRequestError
from everturn.values.go_json import JsonObject
from everturn.values.timestamps import parse_time
from everturn.values.visible_text import is_blank

MAX_LIMIT = 1_000
# Each fifty turns may cost a call of a model, and 3 MiB have room for 125,000 turns.
MAX_TURNS = 1_000
# Python reads no more than 4,300 digits, and nobody means any of them.
_WHOLE = re.compile(r"-?[0-9]{1,1000}", re.ASCII)
_LOST_PLUS = re.compile(r" (?=\d\d:\d\d\Z)", re.ASCII)
_MAX_TITLE_CHARS = 1_000


def _clamp(limit: int | None) -> int | None:
    return limit and min(limit, MAX_LIMIT)


def _whole(value: object) -> object:
    """Let through what is written as a whole number: pydantic would take `5.0` and `1_0` too."""
    if isinstance(value, str) and _WHOLE.fullmatch(value) is None:
        raise ValueError("no whole number")
    return value


def _with_plus(text: object) -> object:
    """Give an offset its sign back: in a query a `+` that is not escaped is a blank."""
    return _LOST_PLUS.sub("+", text) if isinstance(text, str) else text


def _split(value: object) -> object:
    """Read names with commas between them; a name that comes twice is a list already."""
    return value.split(",") if isinstance(value, str) else value


def _roles(names: list[str] | None) -> list[str] | None:
    stripped = [name.strip() for name in names or ()]
    if any(map(is_blank, stripped)):
        raise ValueError("a role is not blank")
    return stripped


def _decode(segment: str) -> str:
    return unquote(segment, errors="surrogatepass")


# A field that may be left out but may not be null; without it the value is None.
ABSENT: Any = Field(default=None, validate_default=False)
# What the capabilities check is described in the API's description, which is made of these types.
Id: TypeAlias = Annotated[str, WithJsonSchema(IDENTIFIER)]
Time: TypeAlias = Annotated[str, WithJsonSchema(TIME)]
_Prefix: TypeAlias = Annotated[str, WithJsonSchema(PREFIX)]
_EntityTag: TypeAlias = Annotated[str, WithJsonSchema(ENTITY_TAG)]
_Role: TypeAlias = Annotated[str, WithJsonSchema({**NAMED, "maxLength": MAX_ROLE_CHARS})]
_Short: TypeAlias = Annotated[str, WithJsonSchema({"type": "string", "maxLength": MAX_NAME_CHARS})]
_Limit: TypeAlias = Annotated[int, Field(gt=0), WithJsonSchema({"type": "integer", "minimum": 1})]
_TurnCount: TypeAlias = Annotated[int, Field(ge=0)]
_Names: TypeAlias = Annotated[
    list[str], WithJsonSchema({"type": "array", "items": NAMED, "minItems": 1})
]

PathId: TypeAlias = Annotated[Id, Path(), AfterValidator(_decode)]
Limit: TypeAlias = Annotated[
    _Limit | None, Query(), BeforeValidator(_whole), AfterValidator(_clamp)
]
FirstTurn: TypeAlias = Annotated[_TurnCount | None, Query(alias="from"), BeforeValidator(_whole)]
TurnNumber: TypeAlias = Annotated[_TurnCount, Path(), BeforeValidator(_whole)]
ExpectedCount: TypeAlias = Annotated[_Limit, Query(), BeforeValidator(_whole)]
Word: TypeAlias = Annotated[str | None, Query()]
# Empty, it is what every key begins with.
Prefix: TypeAlias = Annotated[_Prefix | None, Query()]
Flag: TypeAlias = Annotated[bool | None, Query()]
Moment: TypeAlias = Annotated[Time | None, Query(), BeforeValidator(_with_plus)]
Roles: TypeAlias = Annotated[
    _Names | None, Query(), BeforeValidator(_split), AfterValidator(_roles)
]
RecentForm: TypeAlias = Annotated[Literal["turns", "pairs"], Query(alias="as")]
IfMatch: TypeAlias = Annotated[_EntityTag | None, Header(alias="If-Match")]
IfNoneMatch: TypeAlias = Annotated[_EntityTag | None, Header(alias="If-None-Match")]
IdempotencyKey: TypeAlias = Annotated[Id | None, Header(alias="Idempotency-Key")]
Title: TypeAlias = Annotated[str | None, Field(max_length=_MAX_TITLE_CHARS, repr=False)]
Folder: TypeAlias = Annotated[str | None, Field(max_length=MAX_FOLDER_CHARS, repr=False)]
Metadata: TypeAlias = Annotated[dict[str, Any] | None, Field(repr=False)]


class StrictBody(BaseModel):
    """A body with the fields that it names and no others, each of the very type."""

    # What users say is left out of every repr: Powertools puts it into debug lines.
    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _with_one_stranger(cls, value: Any) -> Any:  # noqa: ANN401  # any JSON
        """Leave out all unknown fields but one: a fault is made of each, and one is told."""
        if not isinstance(value, dict) or len(value) <= len(cls.model_fields):
            return value
        known = {field.alias or name for name, field in cls.model_fields.items()}
        first = next((name for name in value if name not in known), None)
        return {name: value[name] for name in value if name in known or name == first}


class TurnBody(StrictBody):
    """One turn as sent."""

    model_config = ConfigDict(json_schema_extra=SOME_CONTENT)

    role: _Role
    text: str = ABSENT
    intent_id: _Short | None = None
    ts: Time | None = None
    name: _Short | None = None
    content: Any = None
    metadata: dict[str, Any] | None = None

    def draft(self) -> TurnDraft:
        """Return the turn for the service."""
        return TurnDraft(
            self.role, self.text, self.intent_id, self.ts, self.name, self.content, self.metadata
        )


class AppendBody(StrictBody):
    """POST /v1/conversations/{id}/turns."""

    turns: Annotated[
        list[TurnBody], Field(min_length=1, max_length=MAX_TURNS, repr=False), FailFast()
    ]
    expected_turn_count: Annotated[int | None, Field(ge=0)] = None
    must_exist: bool = False


class RedactBody(StrictBody):
    """PATCH /v1/conversations/{id}/turns/{n}."""

    text: Annotated[str, Field(repr=False)] = ""


class ConsolidateBody(StrictBody):
    """POST /v1/conversations/{id}/consolidate: nothing can be said yet."""


class DocumentBody(StrictBody):
    """PUT /v1/documents/{space}/{key}."""

    value: Annotated[Any, Field(repr=False)]


class CreateBody(StrictBody):
    """POST /v1/conversations."""

    conversation_id: Id = ABSENT
    title: Title = None
    folder: Folder = None
    metadata: Metadata = None

    def wanted(self) -> "Wanted":
        """Return the fields for the service."""
        return Wanted(
            conversation_id=self.conversation_id,
            title=self.title,
            folder=self.folder,
            metadata=self.metadata,
        )


class Wanted(TypedDict):
    """What a new conversation is to be."""

    conversation_id: str | None
    title: str | None
    folder: str | None
    metadata: JsonObject | None


class PatchBody(StrictBody):
    """PATCH /v1/conversations/{id}; a field that is not sent stays as it is."""

    title: Title = None
    folder: Folder = None
    archived: bool = False
    metadata: Metadata = None

    def patch(self) -> Patch:
        """Return the change for the service."""
        sent = self.model_fields_set
        metadata: JsonObject | None = self.metadata
        return Patch(
            self.title if "title" in sent else KEEP,
            self.folder if "folder" in sent else KEEP,
            self.archived if "archived" in sent else KEEP,
            metadata if "metadata" in sent else KEEP,
        )


def refuse_any_input(event: Mapping[str, Any]) -> None:
    """Refuse parameters and a body where a mistake cannot be undone.

    Raises:
        InvalidRequestError: there are any.
    """
    for name in event.get("queryStringParameters") or ():
        raise InvalidRequestError("this request takes no parameters", field=name)
    if event.get("body"):
        raise InvalidRequestError("this request takes no body", field="body")


def moment_ns(text: str | None, *, field: str) -> int | None:
    """Read a time that may be left out.

    Raises:
        InvalidRequestError: it is no RFC 3339 time.
    """
    if text is None:
        return None
    time_ns = parse_time(text)
    if time_ns is None:
        raise InvalidRequestError("a time is an rfc 3339 time", field=field)
    return time_ns
