"""What the API answers about turns and conversations."""

from datetime import datetime
from typing import Any

from everturn.wire.base import Part, Result, moment


class Turn(Part):
    """One turn; `index` counts from 0 and never changes.

    `content` is any JSON: the message of a framework, deep-equal to what was appended. `ts` is an
    RFC 3339 time with up to nine decimals; None where another program wrote none.
    """

    index: int
    role: str
    text: str
    ts: str | None
    intent_id: str | None = None
    name: str | None = None
    content: Any = None
    metadata: dict[str, Any] | None = None
    redacted: bool = False

    @property
    def time(self) -> datetime | None:
        """`ts` to the microsecond; None where there is none.

        Raises:
            ValueError: another program wrote something else than a time.
        """
        return None if self.ts is None else moment(self.ts)


class KeptVersions(Part):
    """For how many days the bucket keeps what was replaced or removed, and until when."""

    days: int
    gone: str


class _Updated(Result):
    updated: str

    @property
    def time(self) -> datetime:
        """`updated` to the microsecond."""
        return moment(self.updated)


class Summary(_Updated):
    """What a list shows of a conversation."""

    conversation_id: str
    title: str
    preview: str
    turn_count: int
    folder: str | None = None
    archived: bool = False


class ConversationPage(Result):
    """Conversations, newest first; `skipped` of them cannot be read."""

    conversations: tuple[Summary, ...]
    skipped: int
    next_cursor: str | None = None


class Conversation(_Updated):
    """A conversation with one page of its turns, oldest first; the next one begins at `next`."""

    conversation_id: str
    title: str
    turn_count: int
    turns: tuple[Turn, ...]
    folder: str | None = None
    archived: bool = False
    metadata: dict[str, Any] | None = None
    next: int | None = None


class Appended(Result):
    """Where the turns stand; `updated` is None where there is no conversation yet.

    `replayed` says that an earlier request with the same key had appended them already.
    """

    conversation_id: str
    first_turn: int
    appended: int
    ignored: int
    clamped: int
    turn_count: int
    updated: str | None
    replayed: bool


class TurnPage(Result):
    """Turns, oldest first; `orphan_tool` says that they begin inside a tool exchange."""

    turns: tuple[Turn, ...]
    turn_count: int
    next: int | None = None
    orphan_tool: bool = False


class TurnChanged(_Updated):
    """A turn as it reads now; None where it is another program's and cannot be read."""

    conversation_id: str
    turn: Turn | None
    turn_count: int
    complete: bool
    noncurrent_versions: KeptVersions | None = None


class TurnPopped(TurnChanged):
    """A turn that was taken back."""

    deleted: dict[str, int]


class Receipt(Result):
    """What went, counted by kind. Where it is not all, ask again: `remaining` objects are left."""

    deleted: dict[str, int]
    complete: bool
    remaining: int | None = None
    noncurrent_versions: KeptVersions | None = None


class TurnOfConversation(Turn):
    """A turn and the conversation that it is in."""

    conversation_id: str
    title: str


class RecentPage(Result):
    """The newest turns of all conversations, newest first."""

    turns: tuple[TurnOfConversation, ...]
    skipped: int
    next_cursor: str | None = None


class Pair(Part):
    """A question and its answers; `more_answers` says that some were left out."""

    conversation_id: str
    title: str
    question: Turn
    answers: tuple[Turn, ...]
    more_answers: bool = False


class PairPage(Result):
    """The newest questions of all conversations with their answers, newest first."""

    pairs: tuple[Pair, ...]
    skipped: int
    next_cursor: str | None = None


class Queued(Result):
    """Whether a job waits, and why none does."""

    queued: bool
    reason: str | None = None
