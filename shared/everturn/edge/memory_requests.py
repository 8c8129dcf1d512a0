"""What a request about long-term memory may hold: one pydantic model a body.

Unknown fields are refused.
"""

import re
from dataclasses import replace
from typing import Annotated, Any, TypeAlias, TypedDict

from aws_lambda_powertools.event_handler.openapi.params import Path, Query
from pydantic import AfterValidator, ConfigDict, Field, WithJsonSchema

from everturn.edge.request_schemas import NAMED, NOT_BOTH, PATTERN, RID, STATEMENT_OR_SPEC, TIME
from everturn.edge.requests import ABSENT, Id, StrictBody, moment_ns
from everturn.errors import InvalidRequestError, NotFoundError
from everturn.memory.change_memory import MemoryPatch
from everturn.memory.model.draft import (
    MAX_IMPORTANCE,
    MAX_QUOTE_CHARS,
    MAX_STATEMENT_CHARS,
    MAX_SUBJECT_CHARS,
    MemoryDraft,
    SourceDraft,
)
from everturn.memory.model.source import OutcomeStatus
from everturn.values.keys import valid_id
from everturn.values.memory_kind import KINDS

_RID = re.compile(r"[0-9a-f]{32}", re.ASCII)


def _rid(text: str) -> str:
    """Let through what can be the id of a memory; there is none at anything else."""
    if _RID.fullmatch(text) is None:
        raise NotFoundError("there is no such memory")
    return text


def _kind(name: str) -> str:
    """Let through the name of a kind of memory."""
    if name not in KINDS:
        raise ValueError(f"a kind is one of {', '.join(KINDS)}")
    return name


Rid: TypeAlias = Annotated[str, WithJsonSchema(RID), Path(), AfterValidator(_rid)]
_Kind: TypeAlias = Annotated[
    str, AfterValidator(_kind), WithJsonSchema({"type": "string", "enum": list(KINDS)})
]
Kind: TypeAlias = Annotated[_Kind | None, Query()]
_Importance: TypeAlias = Annotated[int, Field(ge=0, le=MAX_IMPORTANCE)]
# The largest number that every JSON reader reads exactly. https://www.rfc-editor.org/rfc/rfc8259#section-6
_Turn: TypeAlias = Annotated[int, Field(ge=0, le=2**53 - 1)]
_Said: TypeAlias = Annotated[str, Field(repr=False)]
_Statement: TypeAlias = Annotated[
    _Said, WithJsonSchema({**NAMED, "maxLength": MAX_STATEMENT_CHARS})
]
_Subject: TypeAlias = Annotated[
    _Said, WithJsonSchema({"type": "string", "maxLength": MAX_SUBJECT_CHARS})
]
_Quote: TypeAlias = Annotated[
    _Said, WithJsonSchema({"type": "string", "maxLength": MAX_QUOTE_CHARS})
]


class SourceBody(StrictBody):
    """Where a memory comes from: turns of a conversation, `to` included, and a quote of them."""

    conversation_id: Annotated[Id, Field(repr=False)]
    first: Annotated[_Turn, Field(alias="from")] = ABSENT
    last: Annotated[_Turn, Field(alias="to")] = ABSENT
    quote: _Quote = ""


class _WithSource(StrictBody):
    source: Annotated[SourceBody, Field(repr=False)] = ABSENT

    def source_draft(self, key: str | None) -> SourceDraft:
        """Return the source for the service: the body's, with the key of the request.

        Raises:
            InvalidRequestError: the key is none.
        """
        if "source" not in self.model_fields_set:
            return keyed_source(key)
        sent = self.source
        keyed = keyed_source(key)
        return replace(
            keyed,
            conversation_id=sent.conversation_id,
            first_turn=sent.first,
            last_turn=sent.last,
            quote=sent.quote,
        )


class _Saying(StrictBody):
    statement: _Statement = ABSENT
    spec: Annotated[Any, Field(repr=False), WithJsonSchema(PATTERN)] = None
    importance: _Importance = ABSENT
    valid_from: Annotated[_Said, WithJsonSchema(TIME)] = ABSENT

    def said_spec(self) -> Any:  # noqa: ANN401  # any JSON, which the memory model reads
        """Return the spec, or None where there is none.

        Raises:
            InvalidRequestError: it is null.
        """
        if "spec" in self.model_fields_set and self.spec is None:
            raise InvalidRequestError("a spec is an object or a text", field="spec")
        return self.spec

    def valid_from_ns(self) -> int | None:
        """Return since when it holds, or None where that is not said.

        Raises:
            InvalidRequestError: it is no time.
        """
        return moment_ns(self.valid_from, field="valid_from")


class ToRemember(TypedDict):
    """What is to be remembered, and who says so."""

    draft: MemoryDraft
    source: SourceDraft


class RememberBody(_Saying, _WithSource):
    """POST /v1/memories."""

    model_config = ConfigDict(json_schema_extra=STATEMENT_OR_SPEC)

    kind: _Kind
    subject: _Subject = ABSENT
    hard: bool = False
    pinned: bool = False

    def wanted(self, key: str | None) -> ToRemember:
        """Return the memory and its source for the service.

        Raises:
            InvalidRequestError: `valid_from` is no time, `spec` is null, or the key is none.
        """
        draft = MemoryDraft(
            kind=self.kind,
            statement=self.statement,
            spec=self.said_spec(),
            subject=self.subject,
            hard=self.hard,
            importance=self.importance,
            valid_from_ns=self.valid_from_ns(),
            pinned=self.pinned,
        )
        return ToRemember(draft=draft, source=self.source_draft(key))


class Change(TypedDict):
    """What is to change in a memory, and who says so."""

    patch: MemoryPatch
    source: SourceDraft


class CorrectBody(_Saying):
    """PATCH /v1/memories/{rid}; a field that is not sent stays as it is."""

    model_config = ConfigDict(json_schema_extra=NOT_BOTH)

    pinned: bool = ABSENT

    def wanted(self, key: str | None) -> Change:
        """Return the change for the service.

        Raises:
            InvalidRequestError: `valid_from` is no time, `spec` is null, or the key is none.
        """
        patch = MemoryPatch(
            statement=self.statement,
            spec=self.said_spec(),
            pinned=self.pinned,
            importance=self.importance,
            valid_from_ns=self.valid_from_ns(),
        )
        return Change(patch=patch, source=keyed_source(key))


class Went(TypedDict):
    """How following a pattern went, and who says so."""

    status: OutcomeStatus
    source: SourceDraft


class OutcomeBody(_WithSource):
    """POST /v1/memories/{rid}/outcomes."""

    status: OutcomeStatus

    def wanted(self, key: str | None) -> Went:
        """Return the outcome for the service.

        Raises:
            InvalidRequestError: the key is none.
        """
        return Went(status=self.status, source=self.source_draft(key))


class PromoteBody(StrictBody):
    """POST /v1/memories/{rid}/promote: nothing is asked."""


def keyed_source(key: str | None) -> SourceDraft:
    """Return the source of a request that names no conversation.

    Raises:
        InvalidRequestError: its key is none.
    """
    return SourceDraft(key=None if key is None else valid_id(key, field="Idempotency-Key"))
