"""The calls that a method of the session service of Google ADK takes."""

from typing import Any

from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.events.event import Event
from google.adk.sessions.base_session_service import GetSessionConfig
from google.adk.sessions.session import Session

from everturn.client import ABSENT
from everturn.client.calls.call import MAX_PAGE, Plan
from everturn.client.calls.conversations import all_conversations, create_conversation
from everturn.client.calls.documents import (
    all_documents,
    delete_document,
    get_document,
    put_document,
)
from everturn.client.calls.turns import all_turns, append, get_turns
from everturn.errors import ConversationGoneError, NotFoundError, UnavailableError
from everturn.integrations.adk.events import event_key
from everturn.integrations.adk.names import (
    SESSIONS,
    USERS,
    SessionName,
    UserName,
    app_prefix,
)
from everturn.integrations.adk.states import (
    StateDict,
    is_session,
    no_session,
    session_change,
    session_name,
    session_of,
)
from everturn.integrations.plans import (
    MAX_TRIES,
    NO_VERSION,
    WRITTEN_OTHERWISE,
    changed,
    deleted,
    found_value,
    found_version,
    gathered,
)
from everturn.wire.conversations import Appended, Turn


def begin_session(name: SessionName) -> Plan[None]:
    """Create the conversation of a session that is to be created: two requests.

    Raises:
        AlreadyExistsError: the session is there, or turns are where its events would lie.
    """
    created = yield create_conversation(name.conversation_id, folder=name.user.folder)
    if created.turn_count or (yield from found_value(SESSIONS, name.key)) is not None:
        raise _already_there(name)


def create_session(name: SessionName, value: StateDict) -> Plan[None]:
    """Create a session that was begun: one request.

    Raises:
        AlreadyExistsError: it is there.
    """
    try:
        yield put_document(SESSIONS, name.key, value, expect=ABSENT)
    except WRITTEN_OTHERWISE as exc:
        # A try that got no answer may have written this very value.
        if (yield from found_value(SESSIONS, name.key)) != value:
            raise _already_there(name) from exc


def _already_there(name: SessionName) -> AlreadyExistsError:
    return AlreadyExistsError(f"Session with id {name.session_id} already exists.")


def append_event(name: SessionName, turn: dict[str, Any]) -> Plan[Appended]:
    """Append an event to a session that is there: one request.

    Raises:
        SessionNotFoundError: it is not there.
        UnavailableError: its conversation is deleted again and again.
    """
    call = append(name.conversation_id, [turn], idempotency_key=event_key(turn), must_exist=True)
    for _ in range(MAX_TRIES):
        try:
            appended: Appended = yield call
        except (NotFoundError, ConversationGoneError):
            yield from _begin_again(name)
        else:
            return appended
    raise UnavailableError(f"a session is deleted again and again tries={MAX_TRIES}")


def _begin_again(name: SessionName) -> Plan[None]:
    """Create the conversation of a session anew: one that is empty for a day is swept.

    Raises:
        SessionNotFoundError: the session is not there.
    """
    if (yield from found_version(SESSIONS, name.key)) == NO_VERSION:
        raise no_session(name)
    yield create_conversation(name.conversation_id, folder=name.user.folder)
    # The document becomes another version: a deletion that is past the conversation begins anew.
    yield from changed(SESSIONS, name.key, session_change(name, {}).merge)


def newest_turns(name: SessionName, wanted: int | None) -> Plan[list[Turn]]:
    """Read the newest turns of a session, or all: one request for each 1,000 or 3 MiB."""
    id_ = name.conversation_id
    try:
        if wanted is None:
            return (yield from gathered(all_turns(id_)))
        page = yield get_turns(id_, last=min(wanted, MAX_PAGE))
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


def _is_of(value: object, app_name: str, user_id: str | None) -> bool:
    # A prefix that is long may be that of others too.
    if not is_session(value):
        return False
    return value["app_name"] == app_name and user_id in {None, value["user_id"]}


def delete_session(name: SessionName) -> Plan[None]:
    """Delete a session with all its events, whoever appends meanwhile; three requests.

    One that is not there is deleted already. The document goes last, and only as it was before the
    events went: what was appended after them is not left behind.

    Raises:
        UnavailableError: something is left; delete it again.
    """
    for _ in range(MAX_TRIES):
        etag = yield from _etag(name)
        yield from deleted(name.conversation_id)
        if etag is None:
            return
        try:
            yield delete_document(SESSIONS, name.key, expect=etag)
        except NotFoundError:
            return
        except WRITTEN_OTHERWISE:
            continue
        return
    raise UnavailableError(f"others write to a session, delete it again tries={MAX_TRIES}")


def _etag(name: SessionName) -> Plan[str | None]:
    try:
        document = yield get_document(SESSIONS, name.key)
    except NotFoundError:
        return None
    etag: str = document.sure().etag
    return etag
