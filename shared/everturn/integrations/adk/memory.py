"""A memory service for Google ADK: it adds events of sessions, and finds them by what they say.

Each event of a user is added once, even by concurrent writers.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from everturn.integrations.extras import extra

with extra("adk"):
    from google.adk.events.event import Event
    from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
    from google.adk.memory.memory_entry import MemoryEntry
    from google.adk.platform import time as platform_time
    from google.adk.sessions.session import Session
    from google.genai import types

from everturn.client.calls.call import MAX_PAGE, Plan
from everturn.client.calls.conversations import create_conversation
from everturn.client.calls.prompts import recall
from everturn.client.calls.turns import get_turns, redact_turn
from everturn.errors import ConflictError, NotFoundError, UnavailableError
from everturn.integrations.adk.events import event_of_turn, turn_of_event
from everturn.integrations.adk.names import MEMORIES, UserName
from everturn.integrations.plans import (
    MAX_TRIES,
    UNANSWERED,
    Client,
    appended,
    arun,
    changed,
    found_version,
)
from everturn.integrations.turn_pages import next_of
from everturn.wire.search import Hit

# As many as ADK's own service finds.
_TOP_K: Final = 10
# What a process remembers of memories that it added to; the oldest is read anew.
_MAX_KNOWN: Final = 256


class EverturnMemoryService(BaseMemoryService):
    """Finds the events that were added for a user of an app, the best first.

    An event is added once, whatever sessions it is in and whoever adds it.
    """

    def __init__(
        self,
        client: Client,
        *,
        client_for: Callable[[str], Client] | None = None,
        top_k: int = _TOP_K,
    ) -> None:
        """Make a service; nothing is sent yet.

        Args:
            client: whose data it is says the client; the caller closes it. All users of all apps
                are kept apart in it.
            client_for: gives the client of a user, in place of `client`.
            top_k: how many memories a search finds at most, 1 to 100.
        """
        super().__init__()
        self._client = client
        self._client_for = client_for
        self._top_k = top_k
        self._known: dict[UserName, Known] = {}

    async def add_session_to_memory(self, session: Session) -> None:
        """Add the events of a session that are not there yet and have content."""
        await self._add(UserName(session.app_name, session.user_id), session.events)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Add events that are not there yet and have content.

        `custom_metadata` comes back with each memory; `session_id` is not kept.
        """
        del session_id
        await self._add(UserName(app_name, user_id), events, custom_metadata)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Add memories that no session has; one without an id gets one."""
        events = [_event_of(entry) for entry in memories]
        await self._add(UserName(app_name, user_id), events, custom_metadata)

    async def search_memory(
        self, *, app_name: str, user_id: str, query: str
    ) -> SearchMemoryResponse:
        """Find what was added and has to do with a query: one request."""
        name = UserName(app_name, user_id)
        hits = await arun(self._of(user_id), _found(name, query, self._top_k))
        return SearchMemoryResponse(memories=[_entry_of(hit) for hit in hits])

    async def delete_memory(
        self, *, app_name: str, user_id: str, memory_id: str | None = None
    ) -> None:
        """Take a memory out by its id, for good: it cannot be added again."""
        if memory_id:
            await arun(self._of(user_id), delete_event(UserName(app_name, user_id), memory_id))

    async def _add(
        self,
        name: UserName,
        events: Sequence[Event],
        metadata: Mapping[str, object] | None = None,
    ) -> None:
        told = [event for event in events if event.content and event.content.parts]
        if told:
            known = self._known.pop(name, Known())
            plan = add_events(name, told, known, metadata)
            self._known[name] = await arun(self._of(name.user_id), plan)
        while len(self._known) > _MAX_KNOWN:
            self._known.pop(next(iter(self._known)))

    def _of(self, user_id: str) -> Client:
        return self._client if self._client_for is None else self._client_for(user_id)


def _found(name: UserName, query: str, top_k: int) -> Plan[Sequence[Hit]]:
    try:
        recalled = yield recall(query, conversation_id=name.memory_id, top_k=top_k)
    except NotFoundError:
        return ()
    hits: Sequence[Hit] = recalled.hits
    return hits


def _entry_of(hit: Hit) -> MemoryEntry:
    event = event_of_turn(hit)
    told: dict[str, Any] = {**(event.custom_metadata or {}), **(hit.metadata or {})}
    return MemoryEntry(
        id=event.id,
        content=event.content or types.Content(parts=[types.Part(text=hit.text)]),
        author=event.author,
        timestamp=datetime.fromtimestamp(event.timestamp, UTC).isoformat(),
        custom_metadata=told,
    )


def _event_of(entry: MemoryEntry) -> Event:
    return Event(
        id=entry.id or "",
        author=entry.author or "user",
        content=entry.content,
        timestamp=_seconds(entry.timestamp),
        custom_metadata=entry.custom_metadata or None,
    )


def _seconds(timestamp: str | None) -> float:
    if timestamp is None:
        return platform_time.get_time()
    time = datetime.fromisoformat(timestamp)
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


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
