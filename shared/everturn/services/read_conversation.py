"""Read one conversation: a page of turns, the newest turns, the stored file.

Not here: lists of conversations (services/list_conversations.py).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

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
DEFAULT_LAST = 16
DEFAULT_LIMIT = 50
# What surrounds the turns in an answer: names, title, metadata.
_FRAME_BYTES = 65_536
# `"index":123456789,` and a missing `ts`.
_INDEX_BYTES = 40


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
        last: the newest so many, fewer where they exceed an answer; 16 if nothing is said.
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
    if first is None and limit is None:
        newest = _fitting(islice(found.record.newest_turns(), last or DEFAULT_LAST))
        return TurnPage(found.record, tuple(reversed(newest)), None)
    rest = [turn for turn in found.record.oldest_turns() if turn.index >= (first or 0)]
    shown = _fitting(rest[: limit or DEFAULT_LIMIT])
    next_turn = rest[len(shown)].index if len(shown) < len(rest) else None
    return TurnPage(found.record, tuple(shown), next_turn)


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


def _fitting(turns: Iterable[Turn]) -> list[Turn]:
    """Take turns as long as they fit into an answer, at least one."""
    left = MAX_ANSWER_BYTES - _FRAME_BYTES
    taken: list[Turn] = []
    for turn in turns:
        left -= len(dumps(turn.value).encode()) + _INDEX_BYTES
        if left < 0 and taken:
            break
        taken.append(turn)
    return taken
