"""Read one conversation: a page of turns, the newest turns, the stored file.

Not here: lists of conversations (services/list_conversations.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from everturn.domain.content_text import opens_inside_tool_exchange
from everturn.domain.go_json import dumps
from everturn.domain.head import Record
from everturn.domain.keys import Scope, valid_id
from everturn.domain.turn import Turn
from everturn.errors import InvalidRequestError, TooLargeError
from everturn.ports.object_store import ObjectStore
from everturn.services.read_record import read_live_record

# API Gateway and Lambda answer with at most 6 MB; ours stop at half of it.
# https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
MAX_ANSWER_BYTES = 3 * 1_048_576
MAX_TURNS = 1_000
DEFAULT_LAST = 16
DEFAULT_LIMIT = 50
# What surrounds the turns in an answer: names, title, metadata.
_FRAME_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class TurnPage:
    """Turns of one conversation, oldest first; `next_turn` is where the rest begins."""

    record: Record
    turns: tuple[Turn, ...]
    next_turn: int | None

    @property
    def orphan_tool(self) -> bool:
        """Whether the page begins inside a tool exchange: its call stands before the page."""
        first = self.turns[0] if self.turns else None
        return (
            first is not None
            and first.index > 0
            and opens_inside_tool_exchange(first.role, first.value.get("content"))
        )


def read_turns(
    *,
    store: ObjectStore,
    scope: Scope,
    conversation_id: str,
    last: int | None = None,
    first: int | None = None,
    limit: int | None = None,
) -> TurnPage:
    """Read readable turns, oldest first, in one request.

    Args:
        store: where heads lie.
        scope: whose conversation.
        conversation_id: which.
        last: the newest so many; 16 if nothing is said.
        first: from this number on, 0 if only `limit` is given.
        limit: with `first`, at most so many, 50 by default.

    Raises:
        InvalidRequestError: `last` together with `first` or `limit`, or the id is wrong.
        NotFoundError, CorruptRecordError: as `read_live_record`.
        AccessDeniedError, UnavailableError: the store does not answer.
    """
    if last is not None and (first, limit) != (None, None):
        raise InvalidRequestError("take either last, or from and limit", field="last")
    conversation_id = valid_id(conversation_id, field="conversation_id")
    found = read_live_record(store=store, scope=scope, conversation_id=conversation_id)
    turns = found.record.turns
    if first is None and limit is None:
        return _page(found.record, turns[-(last or DEFAULT_LAST) :], MAX_TURNS)
    rest = [turn for turn in turns if turn.index >= (first or 0)]
    return _page(found.record, rest, limit or DEFAULT_LIMIT)


def export_conversation(*, store: ObjectStore, scope: Scope, conversation_id: str) -> str:
    """Return the stored file of a conversation, byte for byte in UTF-8.

    Raises:
        TooLargeError: it is above 3 MiB; read it in pages of turns.
        NotFoundError, CorruptRecordError: as `read_live_record`.
        AccessDeniedError, UnavailableError: the store does not answer.
    """
    conversation_id = valid_id(conversation_id, field="conversation_id")
    found = read_live_record(store=store, scope=scope, conversation_id=conversation_id)
    if len(found.body) > MAX_ANSWER_BYTES:
        raise TooLargeError(
            "the conversation is too large for one answer, read it from"
            f" /v1/conversations/{{id}}/turns?from=0 max_bytes={MAX_ANSWER_BYTES}"
        )
    return found.body.decode()


def _page(record: Record, turns: Sequence[Turn], limit: int) -> TurnPage:
    """Take turns up to the limit and up to the size of an answer, at least one."""
    left = MAX_ANSWER_BYTES - _FRAME_BYTES
    taken: list[Turn] = []
    for turn in turns[:limit]:
        left -= len(dumps(turn.answer).encode())
        if left < 0 and taken:
            break
        taken.append(turn)
    more = len(taken) < len(turns)
    return TurnPage(record, tuple(taken), turns[len(taken)].index if more else None)
