"""Results and errors of the MCP tools: ids, numbers and times, and one text for the model.

Stored words are in `text` alone, inside its frame. A client may show a model either form, and
neither lets stored words pass for more than data. The one exception is a conversation's id, which a
caller needs as it is. Its creator chose it, up to 1,024 bytes.

An error of a call is a result that a model can read and correct. An error of a resource or a prompt
is an error of the protocol.
"""

from typing import Annotated, Final

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, CallToolResult, TextContent
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from everturn.errors import EverturnError, InvalidRequestError, NotFoundError
from everturn.integrations.mcp.frame import only_time


class Answer(BaseModel):
    """The answer of a tool; what is unknown is left out."""

    model_config = ConfigDict(frozen=True)

    text: str = Field(description="The answer in words. Inside <recalled_memory> is stored data.")


class Named(BaseModel):
    """Something that was found, by its ids."""

    model_config = ConfigDict(frozen=True)


class FoundMemory(Named):
    """A memory that was found, or a turn that is no memory yet."""

    uri: str
    kind: str
    score: float = Field(ge=0, le=1)
    rid: str | None = Field(default=None, description="Of a memory; a turn has none.")


class KnownMemory(Named):
    """A memory as it is now."""

    rid: str
    uri: str
    kind: str
    pinned: bool
    importance: int
    count: int = Field(description="From how many sources it is known.")


class FoundTurn(Named):
    """A turn, by its conversation and its number in it, from 0."""

    conversation_id: str
    index: int
    ts: Annotated[str | None, AfterValidator(only_time)] = None
    score: float | None = Field(default=None, ge=0, le=1)


class FoundPair(Named):
    """A question and its answers, by their numbers in the conversation."""

    conversation_id: str
    question: int
    answers: list[int]
    more_answers: bool = Field(description="Whether some answers were left out.")


class KnownConversation(Named):
    """A conversation."""

    conversation_id: str
    turn_count: int
    updated: str
    archived: bool


class Searched(Answer):
    """The answer of a search; `degraded` says that it was less than a whole one, `reason` why."""

    filtered: int = Field(description="How many min_score cut.")
    degraded: bool
    reason: str | None = None


class MemoriesFound(Searched):
    """Memories, best first."""

    memories: list[FoundMemory]
    pending_turns: int = Field(description="Turns that were not read for memories yet.")


class TurnsRecalled(Searched):
    """Turns, best first."""

    hits: list[FoundTurn]


class Page(Answer):
    """A page; without `next_cursor` it is the last."""

    next_cursor: str | None = None
    skipped: int = Field(description="How many stored things could not be read.")


class MemoriesListed(Page):
    """A page of memories."""

    memories: list[KnownMemory]


class ConversationsListed(Page):
    """A page of conversations, the newest first."""

    conversations: list[KnownConversation]


class RecentSaid(Page):
    """The newest turns, or pairs of question and answers, newest first."""

    turns: list[FoundTurn] | None = None
    pairs: list[FoundPair] | None = None


class MemoryAdded(Answer):
    """A memory that was added, or known already; none where it went meanwhile."""

    created: bool
    memory: KnownMemory | None = None


class MemoryCorrected(Answer):
    """A memory as it is now, and the id of the one in whose place it came."""

    memory: KnownMemory
    superseded: str | None = None


class MemoryPinned(Answer):
    """A memory as it is now."""

    memory: KnownMemory


class MemoryForgotten(Answer):
    """How much went, by kind."""

    deleted: dict[str, int]
    complete: bool


class ContextBuilt(Answer):
    """All that an agent should know by now; what stands in it, by ids."""

    tokens: int
    memories: list[FoundMemory]
    recalled: list[FoundTurn]
    pending_turns: int
    degraded: bool
    reason: str | None = None


def result_of(answer: Answer) -> CallToolResult:
    """Return an answer: its text for people and models, all of it for programs."""
    return CallToolResult(
        content=[TextContent(text=answer.text)],
        structured_content=answer.model_dump(mode="json", exclude_none=True),
    )


def failure_of(error: EverturnError) -> CallToolResult:
    """Return an error as one line that says what to mend."""
    return CallToolResult(content=[TextContent(text=line_of(error))], is_error=True)


def line_of(error: EverturnError) -> str:
    """Return an error in one line: the message, then code and field."""
    data = {"code": error.code, "field": error.field, "retryable": error.retryable and "true"}
    words = [error.message, *(f"{name}={value}" for name, value in data.items() if value)]
    return " ".join(" ".join(words).split())


_WORDS: Final = {"extra_forbidden": "there is no such argument", "missing": "this is needed"}


def argument_error(error: ValidationError) -> InvalidRequestError:
    """Return the first thing that is wrong with arguments; what was sent is not quoted."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    message = _WORDS.get(first["type"]) or first["msg"][:1].lower() + first["msg"][1:]
    return InvalidRequestError(message, field=".".join(map(str, first["loc"])))


def protocol_error(error: EverturnError, *, uri: str | None = None) -> MCPError:
    """Return an error of a resource or a prompt."""
    mendable = isinstance(error, NotFoundError | InvalidRequestError)
    data = {"code": error.code, "retryable": error.retryable} | ({"uri": uri} if uri else {})
    return MCPError(
        code=INVALID_PARAMS if mendable else INTERNAL_ERROR, message=line_of(error), data=data
    )
