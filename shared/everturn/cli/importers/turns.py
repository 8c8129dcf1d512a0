"""Brings a conversation's turns into the store through the API: only those that are not there yet.

Running it again after a success or an interruption doubles nothing: what is there is compared
first, and each batch is sent for exactly that state.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus

from everturn.cli.importers.conversation_files import FoundConversation, JsonObject
from everturn.cli.output.errors import ApiError, CliError
from everturn.cli.target.api import APPENDED, Api, conversation_path, encoded
from everturn.conversations.model.turn import TurnDraft
from everturn.values.visible_text import well_formed

# Well below the 3 MiB of a request (README, errors); small enough that progress is seen.
MAX_BATCH_BYTES = 1_048_576
MAX_BATCH_TURNS = 200

_REFUSALS: dict[int, str] = {
    HTTPStatus.CONFLICT: "the conversation was written to meanwhile, run the import again",
    HTTPStatus.GONE: "the conversation was deleted, create it anew or take another id",
}

Progress = Callable[[int], None]
"""Told how many turns of the file are done."""


@dataclass(frozen=True, slots=True)
class ImportCounts:
    """What an import did with the turns of one conversation."""

    added: int = 0
    there: int = 0
    clamped: int = 0
    ignored: int = 0


@dataclass(frozen=True, slots=True)
class _Present:
    """Turns of the file in the store, where the rest of the file begins, turns in the store."""

    matched: int
    rest: int
    turn_count: int


def import_turns(
    api: Api, found: FoundConversation, *, progress: Progress = lambda _: None
) -> ImportCounts:
    """Append the turns of a file that its conversation does not hold yet.

    Raises:
        CliError: the file has a turn that the API cannot take, or the conversation holds other
            turns than the file, or was deleted, or a redacted turn would have to be appended,
            nothing is changed; or it was written to meanwhile.
    """
    if found.refused:
        raise CliError(found.refused)
    present = _compare(api, found)
    progress(present.rest)
    rest = found.turns[present.rest :]
    _refuse_redacted(found, present.rest)
    blank_rest = all(map(_is_blank, rest))
    creates = present.turn_count == 0 and _says_more(found)
    if creates or (blank_rest and present.turn_count == 0):
        _refuse_deleted(api, found.conversation_id)
    if creates:
        _create(api, found)
    if blank_rest:
        blank = len(found.turns) - present.matched
        return ImportCounts(there=present.matched, ignored=blank)
    counts = ImportCounts(there=present.matched, ignored=present.rest - present.matched)
    expected, position = present.turn_count, present.rest
    for batch in batches(rest):
        answer = _append(api, found.conversation_id, batch, expected=expected, position=position)
        position += len(batch)
        expected = answer["turn_count"]
        counts = ImportCounts(
            counts.added + answer["appended"],
            counts.there,
            counts.clamped + answer["clamped"],
            counts.ignored + answer["ignored"],
        )
        progress(position)
    return counts


def _refuse_redacted(found: FoundConversation, first: int) -> None:
    """Refuse to append a redacted turn: a blank one would be dropped, and the rest renumbered."""
    at = min((number for number in found.redacted if number >= first), default=None)
    if at is not None:
        raise CliError(
            "redacted turns cannot be appended, import the file into a store where the id is new"
            f" conversation={found.conversation_id} turn={at}"
        )


def batches(turns: Sequence[JsonObject]) -> Iterator[list[JsonObject]]:
    """Cut turns into requests of 200 turns and 1 MiB at most; a larger turn goes alone."""
    batch: list[JsonObject] = []
    size = 0
    for turn in turns:
        length = len(encoded(turn))
        if batch and (len(batch) == MAX_BATCH_TURNS or size + length > MAX_BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(turn)
        size += length
    if batch:
        yield batch


def _append(
    api: Api, conversation_id: str, batch: list[JsonObject], *, expected: int, position: int
) -> JsonObject:
    # A proxy may deliver a request twice: then the second answer is that of the first.
    seed = encoded([position, batch])
    key = f"import-{hashlib.sha256(seed).hexdigest()[:32]}"
    body = {"turns": batch, "expected_turn_count": expected}
    path = f"{conversation_path(conversation_id)}/turns"
    try:
        response = api.call(
            "POST", path, body=body, headers={"idempotency-key": key}, shape=APPENDED
        )
    except ApiError as exc:
        raise _translated(exc, conversation_id) from exc
    answer: JsonObject = response.json()
    return answer


def _refuse_deleted(api: Api, conversation_id: str) -> None:
    """Refuse an id that was deleted, before it is created anew: no read tells it from a new one.

    A blank turn is never written, but answered as any append.
    """
    body = {"turns": [{"role": "user", "text": ""}]}
    try:
        api.call("POST", f"{conversation_path(conversation_id)}/turns", body=body, shape=APPENDED)
    except ApiError as exc:
        raise _translated(exc, conversation_id) from exc


def _translated(error: ApiError, conversation_id: str) -> CliError:
    message = _REFUSALS.get(error.fault.status)
    if message is None:
        return error
    return CliError(f"{message} code={error.fault.code} conversation={conversation_id}")


def _says_more(found: FoundConversation) -> bool:
    """Whether turns alone would not make this conversation."""
    return bool(found.head or found.archived or not found.turns)


def _create(api: Api, found: FoundConversation) -> None:
    """Create the conversation with what the file says of it; one that exists keeps what it has."""
    body = {"conversation_id": found.conversation_id, **found.head}
    api.call("POST", "/v1/conversations", body=body)
    if found.archived:
        api.call("PATCH", conversation_path(found.conversation_id), body={"archived": True})


def _compare(api: Api, found: FoundConversation) -> _Present:
    """Walk the turns of store and file side by side; blank ones of the file are in no store.

    Raises:
        CliError: they differ.
    """
    matched = rest = turn_count = 0
    for page in _pages(api, found.conversation_id):
        turn_count = page["turn_count"]
        for turn in page["turns"]:
            rest = _skip_blank(found, rest)
            if rest == len(found.turns):
                break
            if _likeness(found.turns[rest]) != (turn["role"], turn["text"]):
                raise CliError(
                    "the conversation holds other turns than the file"
                    f" conversation={found.conversation_id} turn={turn['index']}"
                )
            matched, rest = matched + 1, rest + 1
    return _Present(matched, rest, turn_count)


def _pages(api: Api, conversation_id: str) -> Iterator[JsonObject]:
    try:
        yield from api.turn_pages(conversation_id)
    except ApiError as exc:
        if exc.fault.status != HTTPStatus.NOT_FOUND:
            raise


def _skip_blank(found: FoundConversation, position: int) -> int:
    """Return the place of the next turn that a store holds: a redacted one it does, even blank."""
    while position < len(found.turns) and position not in found.redacted:
        if not _is_blank(found.turns[position]):
            break
        position += 1
    return position


def _draft(turn: JsonObject) -> TurnDraft:
    text = turn.get("text")
    spoken = text if text is None or isinstance(text, str) else str(text)
    return TurnDraft(str(turn["role"]), spoken, content=turn.get("content"))


def _is_blank(turn: JsonObject) -> bool:
    return _draft(turn).is_blank


def _likeness(turn: JsonObject) -> tuple[str, str]:
    """Return role and text as the store keeps them."""
    value = _draft(turn).value(None)
    return well_formed(str(value["role"])), well_formed(str(value["text"]))
