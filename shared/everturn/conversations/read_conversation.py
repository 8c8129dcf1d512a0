"""Read one conversation: a page of turns, the newest turns, the stored file."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice

from everturn.conversations.model.head import Record
from everturn.conversations.model.turn import Turn, opens_inside_tool_exchange
from everturn.conversations.read_record import StoredRecord
from everturn.conversations.read_segments import newest_turns, oldest_turns, read_whole, sealed_runs
from everturn.errors import InvalidRequestError, TooLargeError
from everturn.ports.object_store import ObjectStore
from everturn.values.go_json import dumps
from everturn.values.keys import Scope, valid_id

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
    """Read readable turns, oldest first: one request, plus one per segment that holds any of them.

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

    def read(found: StoredRecord) -> TurnPage:
        if first is None and limit is None:
            return _newest(found, last or DEFAULT_LAST, store=store, scope=scope)
        return _page(found, first or 0, limit or DEFAULT_LIMIT, store=store, scope=scope)

    return read_whole(read, store=store, scope=scope, conversation_id=conversation_id)


def _newest(found: StoredRecord, last: int, *, store: ObjectStore, scope: Scope) -> TurnPage:
    turns = newest_turns(found, store=store, scope=scope, wanted=last)
    return TurnPage(found.record, tuple(reversed(_fitting(islice(turns, last)))), None)


def _page(
    found: StoredRecord, first: int, limit: int, *, store: ObjectStore, scope: Scope
) -> TurnPage:
    turns = oldest_turns(found, store=store, scope=scope, first=first, wanted=limit)
    shown = _fitting(islice(turns, limit))
    after = shown[-1].index + 1 if shown else first
    # Whether a sealed turn can be read is not known here; the head's own are at hand.
    rest = (turn.index for turn in found.record.oldest_turns() if turn.index >= after)
    more_sealed = bool(shown) and after < found.record.head.first_turn
    next_turn = after if more_sealed else next(rest, None)
    return TurnPage(found.record, tuple(shown), next_turn)


def export_conversation(*, store: ObjectStore, scope: Scope, conversation_id: str) -> str:
    """Return the file of a conversation in UTF-8: byte for byte as stored, sealed turns in place.

    Raises:
        TooLargeError: it is above 3 MiB; read it in pages of turns.
        NotFoundError, CorruptRecordError: as `read_live_record`.
        AccessDeniedError, UnavailableError: the store does not answer.
    """
    conversation_id = valid_id(conversation_id, field="conversation_id")

    def read(found: StoredRecord) -> str:
        sealed = found.record.head.sealed
        if len(found.body) > MAX_ANSWER_BYTES:
            raise _too_large()
        return found.body.decode() if sealed is None else _unsealed(found, store, scope)

    return read_whole(read, store=store, scope=scope, conversation_id=conversation_id)


def _unsealed(found: StoredRecord, store: ObjectStore, scope: Scope) -> str:
    """Return the file that the conversation would be without segments."""
    head, size = found.record.head, len(found.body)
    runs: list[bytes] = []
    for run in sealed_runs(found, store=store, scope=scope):
        size += len(run)
        if size > MAX_ANSWER_BYTES:
            raise _too_large()
        runs.append(run)
    run = b",".join([*runs, head.turns_json] if head.turns_json else runs)
    whole = replace(head, turns_json=run, sealed=None)
    return whole.encode().decode()


def _too_large() -> TooLargeError:
    return TooLargeError(
        "the conversation is too large for one answer, read it from"
        f" /v1/conversations/{{id}}/turns?from=0 max_bytes={MAX_ANSWER_BYTES}"
    )


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
