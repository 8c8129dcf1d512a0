"""Adds events to the memory of a user of Google ADK, each once, whoever adds them meanwhile."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from google.adk.events.event import Event

from everturn.client.calls.call import MAX_PAGE, Plan
from everturn.client.calls.conversations import create_conversation
from everturn.client.calls.turns import get_turns, redact_turn
from everturn.errors import ConflictError, NotFoundError, UnavailableError
from everturn.integrations.adk.events import turn_of_event
from everturn.integrations.adk.names import MEMORIES, UserName
from everturn.integrations.plans import (
    MAX_TRIES,
    UNANSWERED,
    appended,
    changed,
    found_version,
)
from everturn.integrations.turn_pages import next_of

# An append takes as many turns as a page has, and 3 MiB; a turn is at most one.
_MAX_BYTES: Final = 2 * 1_048_576
FOLDER: Final = "adk-memory"
"""The folder of all conversations that are memories."""


@dataclass(frozen=True, slots=True)
class Known:
    """The ids of the events in the first `turn_count` turns of a memory."""

    turn_count: int = 0
    ids: frozenset[str] = frozenset()


def add_events(
    name: UserName,
    events: Sequence[Event],
    known: Known,
    metadata: Mapping[str, Any] | None = None,
) -> Plan[Known]:
    """Append those events that are not there and were not deleted; what is known afterwards.

    Two requests where nothing is new, three otherwise; more above 1,000 events or 2 MiB, and one
    to begin.

    Raises:
        UnavailableError: others added first, every time.
    """
    told = yield from found_version(MEMORIES, name.key)
    if told == UNANSWERED:
        return known
    deleted = frozenset(told.value or [])
    known = yield from _read_on(name.memory_id, known)
    if not known.turn_count:
        yield create_conversation(name.memory_id, folder=FOLDER)
    tries = 0
    while turns := _new_turns(events, known.ids | deleted, metadata):
        try:
            done = yield from appended(
                name.memory_id, turns, folder=FOLDER, expected_turn_count=known.turn_count
            )
        except ConflictError as exc:
            tries += 1
            if tries == MAX_TRIES:
                raise UnavailableError(f"too many writers of one memory tries={tries}") from exc
            known = yield from _read_on(name.memory_id, known)
            continue
        if done.failed:
            return known
        ids = frozenset(turn["content"]["id"] for turn in turns)
        known = Known(done.turn_count, known.ids | ids)
    return known


def delete_event(name: UserName, id_: str) -> Plan[None]:
    """Take an event out of a memory for good: what it said goes, and it is not added again.

    Raises:
        UnavailableError: there is no answer, in the mode `best_effort` too.
    """
    numbers = yield from _numbers(name.memory_id, id_)
    if not numbers:
        return
    if (yield from changed(MEMORIES, name.key, lambda old: sorted({*(old or []), id_}))) is None:
        raise UnavailableError("a memory is not deleted yet, delete it again")
    for number in numbers:
        yield redact_turn(name.memory_id, number)


def _numbers(conversation_id: str, id_: str) -> Plan[list[int]]:
    """Return which turns are an event."""
    numbers: list[int] = []
    first: int | None = 0
    while first is not None:
        try:
            page = yield get_turns(conversation_id, from_=first, limit=MAX_PAGE)
        except NotFoundError:
            return []
        found = page.sure()
        numbers += [turn.index for turn in found.turns if _event_id(turn.content) == id_]
        first = next_of(found, first)
    return numbers


def _read_on(conversation_id: str, known: Known) -> Plan[Known]:
    """Return what is known after the turns that are new since."""
    start, ids = known.turn_count, set(known.ids)
    first: int | None = start
    count = start
    while first is not None:
        try:
            page = yield get_turns(conversation_id, from_=first, limit=MAX_PAGE)
        except NotFoundError:
            return Known()
        if page.turn_count < start:
            # It is another conversation of the same id.
            return (yield from _read_on(conversation_id, Known()))
        ids |= {id_ for turn in page.turns if (id_ := _event_id(turn.content))}
        first, count = next_of(page, first), page.turn_count
    return Known(count, frozenset(ids))


def _new_turns(
    events: Iterable[Event], known: frozenset[str], metadata: Mapping[str, Any] | None
) -> list[dict[str, Any]]:
    """Return the turns of the first events that are not known, as many as one append takes."""
    wanted = {event.id: event for event in events if event.id not in known}
    turns: list[dict[str, Any]] = []
    size = 0
    for event in wanted.values():
        turn = turn_of_event(event, metadata)
        size += len(json.dumps(turn, ensure_ascii=False).encode("utf-8", "surrogatepass"))
        if turns and (size > _MAX_BYTES or len(turns) == MAX_PAGE):
            break
        turns.append(turn)
    return turns


def _event_id(content: Any) -> str | None:  # noqa: ANN401 - any JSON
    id_ = content.get("id") if isinstance(content, dict) else None
    return id_ if isinstance(id_, str) else None
