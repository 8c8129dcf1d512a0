"""The state of Google ADK, kept in documents: of a session, of a user, of an app.

Not here: events (adk_events.py). A session's document says that the session is there.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.adk.events.event_actions import EventActions
from google.adk.sessions.session import Session
from google.adk.sessions.state import State

from everturn.client.call import Plan
from everturn.integrations.adk_names import APPS, SESSIONS, USERS, SessionName, UserName, app_key
from everturn.integrations.plans import changed

StateDict = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Delta:
    """A change of state, by where it lies; keys without their prefixes."""

    app: StateDict = field(default_factory=dict)
    user: StateDict = field(default_factory=dict)
    session: StateDict = field(default_factory=dict)

    @classmethod
    def of(cls, state: Mapping[str, Any]) -> Self:
        """Tell apart what begins with `app:`, `user:` and nothing; what is `temp:` goes."""
        delta = cls()
        for key, value in state.items():
            if key.startswith(State.APP_PREFIX):
                delta.app[key.removeprefix(State.APP_PREFIX)] = value
            elif key.startswith(State.USER_PREFIX):
                delta.user[key.removeprefix(State.USER_PREFIX)] = value
            elif not key.startswith(State.TEMP_PREFIX):
                delta.session[key] = value
        return delta


def json_state(state: Mapping[str, Any] | None) -> StateDict:
    """Return a state as JSON, made as an event makes it of the state that it changes."""
    told: StateDict = EventActions(state_delta=dict(state or {})).model_dump(mode="json")
    return dict(told["state_delta"])


def new_session_value(name: SessionName, state: StateDict, created: float) -> StateDict:
    """Return the document of a session; `created` in seconds of Unix time."""
    return {**name._asdict(), "state": state, "created": created}


def session_name(value: Mapping[str, Any]) -> SessionName:
    """Return whose document it is."""
    return SessionName(value["app_name"], value["user_id"], value["session_id"])


def session_of(
    value: Mapping[str, Any], *, app: StateDict, user: StateDict, updated: float | None = None
) -> Session:
    """Return a session without events; its state with that of its user and its app."""
    name = session_name(value)
    return Session(
        id=name.session_id,
        app_name=name.app_name,
        user_id=name.user_id,
        state={
            **value["state"],
            **{State.APP_PREFIX + key: each for key, each in app.items()},
            **{State.USER_PREFIX + key: each for key, each in user.items()},
        },
        last_update_time=value["created"] if updated is None else updated,
    )


def change_of_app(name: UserName, delta: StateDict) -> Plan[None]:
    """Merge a change into the state of an app, whoever changes it meanwhile."""
    return changed(APPS, app_key(name.app_name), lambda old: {**(old or {}), **delta})


def change_of_user(name: UserName, delta: StateDict) -> Plan[None]:
    """Merge a change into the state of a user, whoever changes it meanwhile."""
    return changed(USERS, name.key, lambda old: {**(old or {}), **delta})


def change_of_session(name: SessionName, delta: StateDict) -> Plan[None]:
    """Merge a change into the state of a session, whoever changes it meanwhile.

    Raises:
        SessionNotFoundError: it was deleted.
    """

    def merged(old: StateDict | None) -> StateDict:
        if old is None:
            raise no_session(name)
        return {**old, "state": {**old["state"], **delta}}

    return changed(SESSIONS, name.key, merged)


def no_session(name: SessionName) -> SessionNotFoundError:
    """Return what is raised where a session is not there."""
    return SessionNotFoundError(f"Session {name.session_id} not found.")
