"""Responses of the HTTP API: the error table, the JSON of each result, and the size limit.

An error says its code and field. It never says a key, a trace, or whether another scope has such
an id. A response is filled with items up to its size limit.

A versioned bucket keeps replaced versions for some days; a receipt says when they are gone.
"""

from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from aws_lambda_powertools.event_handler import Response, content_types

from everturn import errors
from everturn.conversations.model.summary import Summary, shown_title
from everturn.conversations.model.turn import Turn
from everturn.conversations.read_conversation import MAX_ANSWER_BYTES, TurnPage
from everturn.values.go_json import JsonObject, JsonValue, dumps
from everturn.values.timestamps import NANOSECONDS, format_time

if TYPE_CHECKING:
    from everturn.consolidation.enqueue_job import JobOffer
    from everturn.conversations.append_turns import AppendOutcome
    from everturn.deletion.delete_conversation import Receipt
    from everturn.deletion.pop_turn import PopOutcome
    from everturn.deletion.redact_turn import RedactOutcome
    from everturn.listing.list_conversations import ConversationPage

Answer: TypeAlias = Response[str]

_DAY_NS = 86_400 * NANOSECONDS
PRIVATE: Final = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
"""What every answer says of itself: it is what a user said, and JSON, whatever it looks like."""

STATUS: Final[dict[type[errors.EverturnError], int]] = {
    errors.MalformedRequestError: 400,
    errors.UnauthenticatedError: 401,
    errors.ForbiddenError: 403,
    errors.NotFoundError: 404,
    errors.ConflictError: 409,
    errors.ConversationGoneError: 410,
    errors.StaleEtagError: 412,
    errors.TooLargeError: 413,
    errors.UnsupportedMediaError: 415,
    errors.InvalidRequestError: 422,
    errors.CorruptRecordError: 500,
    errors.MisconfiguredError: 500,
    errors.StoreError: 500,
    errors.EverturnError: 500,
    errors.OutcomeUnknownError: 503,
    errors.UnavailableError: 503,
}
"""The status of an error is that of its nearest class in this table."""

# Room for an id, which has 1,024 bytes at most; a caller may name a field in megabytes.
_MAX_TOLD_CHARS: Final = 1_200
# The reason of a fault of ours is for the log, not for a caller.
_FAULTS = {
    500: "something went wrong",
    503: "the store did not do it or cannot say so, send it again",
}


def status_of(error: errors.EverturnError) -> int:
    """Return the HTTP status of an error."""
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


def is_fault(error: errors.EverturnError) -> bool:
    """Say whether an error is a fault on our side, which the caller cannot mend."""
    return status_of(error) >= HTTPStatus.INTERNAL_SERVER_ERROR


def error_answer(error: errors.EverturnError, request_id: str) -> Answer:
    """Return the answer for an error."""
    status = status_of(error)
    body: JsonObject = {"code": error.code, "message": error.message[:_MAX_TOLD_CHARS]}
    if is_fault(error) and not isinstance(error, errors.CorruptRecordError):
        body["message"] = _FAULTS[status]
    if error.field is not None:
        body["field"] = error.field[:_MAX_TOLD_CHARS]
    return answer(
        {"error": {**body, "request_id": request_id, "retryable": error.retryable}}, status
    )


def answer(body: JsonObject, status: int = 200) -> Answer:
    """Return a JSON answer; nobody may cache what a user said.

    Raises:
        TooLargeError: it is above 3 MiB; Lambda would hand on nothing of one above 6 MB, and has
            every quote and backslash of it escaped once more.
    """
    text = dumps(body)
    if len(text.encode()) > MAX_ANSWER_BYTES:
        raise errors.TooLargeError(
            f"the answer is too large, ask for less max_bytes={MAX_ANSWER_BYTES}"
        )
    return raw_answer(text, status)


def raw_answer(body: str, status: int = 200) -> Answer:
    """Return a JSON answer that is encoded already."""
    return Response(
        status_code=status,
        content_type=content_types.APPLICATION_JSON,
        headers=dict(PRIVATE),
        body=body,
    )


def appended(outcome: "AppendOutcome") -> Answer:
    """Answer an append."""
    return answer(
        {
            "conversation_id": outcome.conversation_id,
            "first_turn": outcome.first_turn,
            "appended": outcome.appended,
            "ignored": outcome.ignored,
            "clamped": outcome.clamped,
            "turn_count": outcome.turn_count,
            "updated": format_time(outcome.updated_ns) if outcome.updated_ns else None,
            "replayed": outcome.replayed,
        }
    )


def offered(offer: "JobOffer") -> Answer:
    """Answer whoever asks for a consolidation: whether a job waits for it, and why none does."""
    reason: JsonObject = {"reason": offer.reason} if offer.reason else {}
    return answer({"queued": offer.queued, **reason}, 202)


def summarized(summary: Summary, *, created: bool = False) -> Answer:
    """Answer a create or a patch."""
    return answer(row_json(summary), 201 if created else 200)


def turns_read(page: TurnPage) -> Answer:
    """Answer a read of turns."""
    body = {**_turns(page), "turn_count": page.record.head.turn_count}
    return answer({**body, "orphan_tool": True} if page.orphan_tool else body)


def conversation_read(page: TurnPage) -> Answer:
    """Answer a read of a conversation."""
    head = page.record.head
    body: JsonObject = {
        "conversation_id": head.conversation_id,
        "title": shown_title(page.record),
        "turn_count": head.turn_count,
        "updated": format_time(head.updated_ns),
    }
    own = {"folder": head.folder, "archived": head.archived, "metadata": head.metadata}
    return answer({**body, **{name: own[name] for name in own if own[name]}, **_turns(page)})


def _turns(page: TurnPage) -> JsonObject:
    turns: JsonObject = {"turns": [turn_json(turn) for turn in page.turns]}
    return turns if page.next_turn is None else {**turns, "next": page.next_turn}


def listed(page: "ConversationPage") -> Answer:
    """Answer a list."""
    body: JsonObject = {"conversations": [row_json(row) for row in page.rows]}
    if page.next_cursor is not None:
        body["next_cursor"] = page.next_cursor
    return answer({**body, "skipped": page.skipped})


def deleted(receipt: "Receipt", kept: JsonObject) -> Answer:
    """Answer a delete with its receipt; `kept` says what the bucket keeps for some days."""
    body: JsonObject = {"deleted": dict(receipt.deleted), "complete": receipt.complete}
    left: JsonObject = {"remaining": receipt.remaining} if receipt.remaining else {}
    return answer({**body, **left, **kept})


def redacted(outcome: "RedactOutcome", kept: JsonObject) -> Answer:
    """Answer a redaction."""
    return answer({**_turn_changed(outcome), **kept})


def popped(outcome: "PopOutcome", kept: JsonObject) -> Answer:
    """Answer a pop: the receipt, and the turn that was taken back."""
    return answer({"deleted": {"turns": 1}, **_turn_changed(outcome), **kept})


def _turn_changed(outcome: "RedactOutcome | PopOutcome") -> JsonObject:
    return {
        "conversation_id": outcome.conversation_id,
        "turn": turn_json(outcome.turn) if outcome.turn else None,
        "turn_count": outcome.turn_count,
        "updated": format_time(outcome.updated_ns),
        "complete": outcome.complete,
    }


def kept_versions(now_ns: int, days: int) -> JsonObject:
    """Say when the versions that a bucket keeps of what was replaced or removed are gone."""
    if not days:
        return {}
    gone = format_time(versions_gone_ns(now_ns, days))
    return {"noncurrent_versions": {"days": days, "gone": gone}}


def versions_gone_ns(now_ns: int, days: int) -> int:
    """Return the midnight (UTC) from which on S3 removes what is replaced now.

    It adds the days and goes on to the next midnight; the removal itself may take some hours more.
    https://docs.aws.amazon.com/AmazonS3/latest/userguide/intro-lifecycle-rules.html#intro-lifecycle-rules-number-of-days
    """
    return -(-(now_ns + days * _DAY_NS) // _DAY_NS) * _DAY_NS


def times_json(**times_ns: int | None) -> JsonObject:
    """Return the times that there are, by their names."""
    return {name: format_time(time) for name, time in times_ns.items() if time is not None}


def row_json(row: Summary) -> JsonObject:
    """Return a row as a list shows it."""
    own: JsonObject = {"folder": row.folder, "archived": row.archived}
    return {
        "conversation_id": row.conversation_id,
        "title": row.title,
        "preview": row.preview,
        "turn_count": row.turn_count,
        "updated": format_time(row.updated_ns),
        **{name: value for name, value in own.items() if value},
    }


def turn_json(turn: Turn) -> JsonObject:
    """Return a turn as a page shows it: our fields alone, those of other programs left out."""
    stored = turn.value
    names = ("name", "content", "metadata", "redacted")
    extras: JsonObject = {name: stored[name] for name in names if name in stored}
    intent: JsonObject = {"intent_id": stored["intent_id"]} if stored.get("intent_id") else {}
    shown: JsonObject = {"index": turn.index, "role": turn.role, "text": turn.text}
    return {**shown, **intent, "ts": turn.ts, **extras}


# What surrounds the items of an answer: how far it looked, a reason.
_FRAME_BYTES: Final = 4_096
ANSWER_FULL: Final = "answer_full"
"""The reason of an answer that something was left out of because an answer has a limit."""

Item = TypeVar("Item")


class Room:
    """The room of one answer: items are put in as long as they fit."""

    def __init__(self, text: str = "") -> None:
        """Begin with what stands in the answer whatever happens."""
        self._left = MAX_ANSWER_BYTES - _FRAME_BYTES - len(dumps(text).encode())
        self.whole = True
        """Whether all items had room."""

    def fit(self, items: Iterable[Item], encode: Callable[[Item], JsonObject]) -> list[JsonValue]:
        """Return the items that fit, in their order; one too large is left out.

        A turn may carry a framework's own message of a mebibyte beside a text of one word.
        """
        taken: list[JsonValue] = []
        for body in map(encode, items):
            size = len(dumps(body).encode()) + 1
            if size <= self._left:
                taken.append(body)
                self._left -= size
            else:
                self.whole = False
        return taken

    def begin(self, items: Iterable[Item], encode: Callable[[Item], JsonObject]) -> list[JsonValue]:
        """Return the first items, as many as fit: the others follow in another answer."""
        taken: list[JsonValue] = []
        for item in items:
            one = self.fit([item], encode)
            if not one:
                break
            taken += one
        return taken

    def told(self, reason: str | None, *, degraded: bool) -> JsonObject:
        """Say whether the answer lacks something, and why."""
        said: JsonObject = {"degraded": degraded or not self.whole}
        reason = reason or (None if self.whole else ANSWER_FULL)
        return said if reason is None else {**said, "reason": reason}
