"""The shapes of answers about conversations, their turns and documents, for the API's description.

A field that may be missing is marked so; a client has to expect fields that are not named here.
"""

from typing import Annotated, Any, NotRequired, TypeAlias

from pydantic import Field, WithJsonSchema

# pydantic reads docstrings of this one on every version of Python that we run on.
from typing_extensions import TypedDict

Time: TypeAlias = Annotated[str, WithJsonSchema({"type": "string", "format": "date-time"})]
Count: TypeAlias = Annotated[int, Field(ge=0)]
Metadata: TypeAlias = dict[str, Any]


class Error(TypedDict):
    """What is wrong. `field` is the path of the field at fault."""

    code: str
    message: str
    field: NotRequired[str]
    request_id: str
    retryable: bool


class ErrorAnswer(TypedDict):
    """Every error that a handler answers."""

    error: Error


class GatewayAnswer(TypedDict):
    """What API Gateway answers itself, in AWS alone: no code and no id, the status says it all."""

    message: str


class Summary(TypedDict):
    """What a list shows of a conversation."""

    conversation_id: str
    title: str
    preview: str
    turn_count: Count
    updated: Time
    folder: NotRequired[str]
    archived: NotRequired[bool]


class Turn(TypedDict):
    """One turn; `index` counts from 0 and never changes. `content` is any JSON."""

    index: Count
    role: str
    text: str
    intent_id: NotRequired[str]
    ts: Time | None
    name: NotRequired[str]
    content: NotRequired[Any]
    metadata: NotRequired[Metadata]
    redacted: NotRequired[bool]


class TurnOfConversation(Turn):
    """A turn and the conversation that it is in."""

    conversation_id: str
    title: str


class Conversation(TypedDict):
    """A conversation with one page of its turns, oldest first; `next` is where the next begins."""

    conversation_id: str
    title: str
    turn_count: Count
    updated: Time
    folder: NotRequired[str]
    archived: NotRequired[bool]
    metadata: NotRequired[Metadata]
    turns: list[Turn]
    next: NotRequired[Count]


class Conversations(TypedDict):
    """A page of conversations; `skipped` counts those that cannot be read."""

    conversations: list[Summary]
    next_cursor: NotRequired[str]
    skipped: Count


class Turns(TypedDict):
    """Turns, oldest first; `orphan_tool` says that they begin inside a tool exchange."""

    turns: list[Turn]
    turn_count: Count
    next: NotRequired[Count]
    orphan_tool: NotRequired[bool]


class RecentTurns(TypedDict):
    """The newest turns of all conversations, newest first."""

    turns: list[TurnOfConversation]
    next_cursor: NotRequired[str]
    skipped: Count


class Pair(TypedDict):
    """A question and its answers; `more_answers` says that some were left out."""

    conversation_id: str
    title: str
    question: Turn
    answers: list[Turn]
    more_answers: NotRequired[bool]


class RecentPairs(TypedDict):
    """The newest questions of all conversations with their answers, newest first."""

    pairs: list[Pair]
    next_cursor: NotRequired[str]
    skipped: Count


class Appended(TypedDict):
    """Where the turns stand; `updated` is null where there is no conversation yet."""

    conversation_id: str
    first_turn: Count
    appended: Count
    ignored: Count
    clamped: Count
    turn_count: Count
    updated: Time | None
    replayed: bool


class Queued(TypedDict):
    """Whether a job waits, and why none does."""

    queued: bool
    reason: NotRequired[str]


class KeptVersions(TypedDict):
    """For how many days the bucket keeps what was replaced or removed, and until when."""

    days: Count
    gone: Time


class Receipt(TypedDict):
    """What went, counted by kind. Where it is not all, ask again: `remaining` objects are left."""

    deleted: dict[str, Count]
    complete: bool
    remaining: NotRequired[Count]
    noncurrent_versions: NotRequired[KeptVersions]


class TurnChanged(TypedDict):
    """A turn as it reads now; null where another program's is none that can be read."""

    conversation_id: str
    turn: Turn | None
    turn_count: Count
    updated: Time
    complete: bool
    noncurrent_versions: NotRequired[KeptVersions]


class TurnPopped(TurnChanged):
    """A turn that was taken back."""

    deleted: dict[str, Count]


class StoredTurn(TypedDict):
    """A turn in a file; another program's may have any fields."""

    role: NotRequired[str]
    text: NotRequired[str]


class StoredConversation(TypedDict):
    """The file of a conversation, with what other programs put there; its segments are in it."""

    conversation_id: str
    title: NotRequired[str]
    turns: list[StoredTurn] | None
    updated: str


class DocumentVersion(TypedDict):
    """A document without its value; `size` is in bytes."""

    space: str
    key: str
    etag: str
    size: Count
    updated: Time


class Document(DocumentVersion):
    """A document with its value, any JSON."""

    value: Any


class DocumentRow(TypedDict):
    """What a list shows of a document; `value` where values are asked for."""

    key: str
    etag: str
    size: Count
    updated: Time
    value: NotRequired[Any]


class Documents(TypedDict):
    """A page of documents by their keys; `skipped` counts those that cannot be read."""

    documents: list[DocumentRow]
    next_cursor: NotRequired[str]
    skipped: Count
