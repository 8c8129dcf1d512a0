"""The calls that a method of the session service of Google ADK takes.

Not here: sending them (plans.py), and whom they are for (adk_sessions.py).
"""

from typing import Any

from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.events.event import Event
from google.adk.sessions.base_session_service import GetSessionConfig
from google.adk.sessions.session import Session

from everturn.client import ABSENT
from everturn.client.call import Plan
from everturn.client.conversation_calls import (
    all_conversations,
    create_conversation,
    delete_conversation,
)
from everturn.client.document_calls import all_documents, delete_document, put_document
from everturn.client.results import Appended, Turn
from everturn.client.turn_calls import PAGE_TURNS, all_turns, append, get_turns
from everturn.errors import ConversationGoneError, NotFoundError, UnavailableError
from everturn.integrations.adk_events import event_key
from everturn.integrations.adk_names import (
    SESSIONS,
    USERS,
    SessionName,
    UserName,
    app_prefix,
)
from everturn.integrations.adk_states import StateDict, no_session, session_name, session_of
from everturn.integrations.plans import WRITTEN_OTHERWISE, found_value, gathered

# A deletion that is not whole goes on where it was; each call works for some seconds.
_DELETIONS = 32


def create_session(name: SessionName, value: StateDict) -> Plan[None]:
    """Create a session: two requests.

    Raises:
        AlreadyExistsError: it is there.
    """
    try:
        yield put_document(SESSIONS, name.key, value, expect=ABSENT)
    except WRITTEN_OTHERWISE as exc:
        # A try that got no answer may have written this very value.
        if (yield from found_value(SESSIONS, name.key)) != value:
            raise AlreadyExistsError(f"Session with id {name.session_id} already exists.") from exc
    yield create_conversation(name.conversation_id, folder=name.user.folder)


def append_event(name: SessionName, turn: dict[str, Any]) -> Plan[Appended]:
    """Append an event to a session that is there: one request.

    Raises:
        SessionNotFoundError: it is not there.
    """
    key = event_key(turn)
    try:
        appended: Appended = yield append(
            name.conversation_id, [turn], idempotency_key=key, must_exist=True
        )
    except (NotFoundError, ConversationGoneError) as exc:
        # A conversation that is empty for a day is swept; its session is not.
        if (yield from found_value(SESSIONS, name.key)) is None:
            raise no_session(name) from exc
    else:
        return appended
    yield create_conversation(name.conversation_id, folder=name.user.folder)
    appended = yield append(name.conversation_id, [turn], idempotency_key=key)
    return appended


def newest_turns(name: SessionName, wanted: int | None) -> Plan[list[Turn]]:
    """Read the newest turns of a session, or all: one request for each 1,000 or 3 MiB."""
    id_ = name.conversation_id
    try:
        if wanted is None:
            return (yield from gathered(all_turns(id_)))
        page = yield get_turns(id_, last=min(wanted, PAGE_TURNS))
        if len(page.turns) >= min(wanted, page.turn_count):
            return list(page.turns)
        return (yield from gathered(all_turns(id_, from_=max(0, page.turn_count - wanted))))
    except NotFoundError:
        return []


def chosen_events(events: list[Event], config: GetSessionConfig | None) -> list[Event]:
    """Return the events that a configuration asks for: the newest, and none before a time."""
    if config is None:
        return events
    if config.num_recent_events is not None:
        events = events[max(0, len(events) - config.num_recent_events) :]
    if config.after_timestamp is None:
        return events
    early = [n for n, event in enumerate(events) if event.timestamp < config.after_timestamp]
    return events[early[-1] + 1 :] if early else events


def list_sessions(app_name: str, user_id: str | None, app: StateDict) -> Plan[list[Session]]:
    """List the sessions of a user or of all users of an app, without events, the oldest first."""
    user = None if user_id is None else UserName(app_name, user_id)
    prefix = app_prefix(app_name) if user is None else user.sessions_prefix
    rows = yield from gathered(all_documents(SESSIONS, prefix=prefix, values=True))
    found = [row.value for row in rows if _is_of(row.value, app_name, user_id)]
    if not found:
        return []
    folder = None if user is None else user.folder
    summaries = yield from gathered(all_conversations(folder=folder))
    updated = {row.conversation_id: row.time.timestamp() for row in summaries}
    states = yield from _user_states(app_name, user)
    sessions = [
        session_of(
            value,
            app=app,
            user=states.get(name.user.key, {}),
            updated=updated.get(name.conversation_id),
        )
        for value in found
        for name in [session_name(value)]
    ]
    return sorted(sessions, key=lambda each: (each.last_update_time, each.user_id, each.id))


def _user_states(app_name: str, user: UserName | None) -> Plan[dict[str, StateDict]]:
    if user is not None:
        return {user.key: (yield from found_value(USERS, user.key)) or {}}
    prefix = app_prefix(app_name)
    rows = yield from gathered(all_documents(USERS, prefix=prefix, values=True))
    return {row.key: row.value for row in rows}


def _is_of(value: StateDict, app_name: str, user_id: str | None) -> bool:
    # A prefix that is long may be that of others too.
    return value["app_name"] == app_name and user_id in {None, value["user_id"]}


def delete_session(name: SessionName) -> Plan[None]:
    """Delete a session with all its events; one that is not there is deleted already.

    Raises:
        UnavailableError: it is so long that it is not deleted whole yet.
    """
    try:
        receipt = yield delete_conversation(name.conversation_id)
        for _ in range(_DELETIONS):
            if receipt.complete or receipt.failed:
                break
            receipt = yield delete_conversation(name.conversation_id)
        else:
            raise UnavailableError("a session is not deleted whole, delete it again")
    except NotFoundError:
        # Nobody said anything in it, or an earlier try came so far.
        pass
    try:
        yield delete_document(SESSIONS, name.key)
    except NotFoundError:
        return
