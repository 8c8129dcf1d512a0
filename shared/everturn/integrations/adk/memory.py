"""A memory service of Google ADK: what was said in sessions, found by what it says."""

from collections.abc import Callable, Mapping, Sequence
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

from everturn.client.calls.call import Plan
from everturn.client.calls.recall import recall
from everturn.errors import NotFoundError
from everturn.integrations.adk.events import event_of_turn
from everturn.integrations.adk.ingestion import Known, add_events, delete_event
from everturn.integrations.adk.names import UserName
from everturn.integrations.plans import Client, arun
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
