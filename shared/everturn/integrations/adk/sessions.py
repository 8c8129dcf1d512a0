"""A session service of Google ADK whose events are turns, and whose state is documents."""

import asyncio
from collections.abc import Callable
from typing import Any

from everturn.integrations.extras import extra

with extra("adk"):
    from google.adk.events.event import Event
    from google.adk.platform import time as platform_time
    from google.adk.platform import uuid as platform_uuid
    from google.adk.sessions.base_session_service import (
        BaseSessionService,
        GetSessionConfig,
        ListSessionsResponse,
    )
    from google.adk.sessions.session import Session

from everturn.client.calls.call import Plan
from everturn.errors import InvalidRequestError
from everturn.integrations.adk.events import event_of_turn, state_delta, turn_of_event
from everturn.integrations.adk.names import APPS, SESSIONS, USERS, SessionName, UserName, app_key
from everturn.integrations.adk.session_plans import (
    append_event,
    begin_session,
    chosen_events,
    create_session,
    delete_session,
    list_sessions,
    newest_turns,
)
from everturn.integrations.adk.states import (
    Delta,
    StateDict,
    app_change,
    json_state,
    new_session_value,
    no_session,
    session_change,
    session_of,
    user_change,
)
from everturn.integrations.plans import Client, arun, arun_all, found_value

ClientFor = Callable[[str], Client]


class EverturnSessionService(BaseSessionService):
    """Keeps sessions that several processes write at once; no event and no state is lost.

    It keeps nothing itself. An event appended to a session that others have appended to meanwhile
    is appended after theirs: there are no stale sessions.
    """

    def __init__(self, client: Client, *, client_for: ClientFor | None = None) -> None:
        """Make a service; nothing is sent yet.

        Args:
            client: whose data it is says the client; the caller closes it. An `AsyncEverturn`, or
                an `Everturn`, which works in threads. All users of all apps are kept apart in it.
            client_for: gives the client of a user: then a user's sessions and `user:` state are the
                user's own, erased and exported with all else, and `client` has the `app:` state
                alone.
        """
        super().__init__()
        self._client = client
        self._client_for = client_for

    async def create_session(
        self,
        *,
        app_name: str,
        user_id: str,
        state: dict[str, Any] | None = None,
        session_id: str | None = None,
    ) -> Session:
        """Create a session: three requests, and those that read and change shared state.

        If one fails there is no session yet: create it again.

        Raises:
            AlreadyExistsError: there is one of this id, or an earlier one is not deleted whole.
        """
        id_ = (session_id or "").strip() or platform_uuid.new_uuid()
        name = SessionName(app_name, user_id, id_)
        delta = Delta.of(json_state(state))
        value = new_session_value(name, delta.session, platform_time.get_time())
        client = self._of(user_id)
        await arun(client, begin_session(name))
        app, user = await self._shared(name.user, delta)
        await arun(client, create_session(name, value))
        return session_of(value, app=app, user=user)

    async def get_session(
        self,
        *,
        app_name: str,
        user_id: str,
        session_id: str,
        config: GetSessionConfig | None = None,
    ) -> Session | None:
        """Read a session: its state in three requests, its events in one for each 1,000 or 3 MiB.

        Its events are in the order in which they were appended.

        Returns:
            None where there is none.
        """
        name = SessionName(app_name, user_id, session_id.strip() if session_id else session_id)
        # One is read at least: the last event says when the session was updated.
        wanted = None if config is None else config.num_recent_events
        asked: list[Plan[Any]] = [
            found_value(SESSIONS, name.key),
            newest_turns(name, None if wanted is None else max(wanted, 1)),
        ]
        (value, turns), (app, user) = await asyncio.gather(
            arun_all(self._of(user_id), asked), self._shared(name.user, Delta())
        )
        if value is None:
            return None
        events = [event_of_turn(turn) for turn in turns]
        updated = events[-1].timestamp if events else None
        session = session_of(value, app=app, user=user, updated=updated)
        session.events = chosen_events(events, config)
        return session

    async def list_sessions(
        self, *, app_name: str, user_id: str | None = None
    ) -> ListSessionsResponse:
        """List sessions without events, the one that was updated last at the end.

        `last_update_time` is when the server took the last event.

        Raises:
            InvalidRequestError: no user is named, but each has a client of their own.
        """
        if user_id is None and self._client_for is not None:
            raise InvalidRequestError(
                "each user has a client of their own: name the user", field="user_id"
            )
        app = await arun(self._client, found_value(APPS, app_key(app_name))) or {}
        client = self._client if user_id is None else self._of(user_id)
        sessions = await arun(client, list_sessions(app_name, user_id, app))
        return ListSessionsResponse(sessions=sessions)

    async def delete_session(self, *, app_name: str, user_id: str, session_id: str) -> None:
        """Delete a session; the state of its user and its app stays."""
        name = SessionName(app_name, user_id, session_id.strip() if session_id else session_id)
        await arun(self._of(user_id), delete_session(name))

    async def get_user_state(self, *, app_name: str, user_id: str) -> dict[str, Any]:
        """Read what the sessions of a user share, without the prefix `user:`."""
        name = UserName(app_name, user_id)
        return await arun(self._of(user_id), found_value(USERS, name.key)) or {}

    async def append_event(self, session: Session, event: Event) -> Event:
        """Append an event: one request, and two for each kind of state that it changes.

        An event that is appended again is kept once: where `session` has it, or it is among the
        last 60 that were appended. A partial one is not kept.

        Raises:
            SessionNotFoundError: the session was deleted, or never was.
            TooLargeError: the event, or a state that it changes, is above 1 MiB.
        """
        if event.partial:
            return event
        name = SessionName(session.app_name, session.user_id, session.id)
        client = self._of(session.user_id)
        if _has(session, event) and await self._has_stored(name, event):
            return event
        delta = Delta.of(state_delta(event))
        changes = [
            (client, session_change(name, delta.session)),
            (self._client, app_change(name.app_name, delta.app)),
            (client, user_change(name.user, delta.user)),
        ]
        # Before the event is there: a state that is full takes no change of it ever.
        seen = [(of, each, await arun(of, each.look())) for of, each in changes if each.delta]
        await arun(client, append_event(name, turn_of_event(event)))
        for of, change, version in seen:
            await arun(of, change.make(version))
        event = await super().append_event(session, event)
        session.last_update_time = event.timestamp
        return event

    def _of(self, user_id: str) -> Client:
        return self._client if self._client_for is None else self._client_for(user_id)

    async def _has_stored(self, name: SessionName, event: Event) -> bool:
        stored = await self.get_session(**name._asdict())
        if stored is None:
            raise no_session(name)
        return _has(stored, event)

    async def _shared(self, name: UserName, delta: Delta) -> tuple[StateDict, StateDict]:
        app, user = await asyncio.gather(
            arun(self._client, app_change(name.app_name, delta.app).value()),
            arun(self._of(name.user_id), user_change(name, delta.user).value()),
        )
        return app, user


def _has(session: Session, event: Event) -> bool:
    return any(each.id == event.id and each == event for each in session.events)
