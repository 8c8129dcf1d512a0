"""The state of Google ADK, kept in documents: of a session, of a user, of an app.

A session's document says that the session is there.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self, TypeGuard

from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.adk.events.event_actions import EventActions
from google.adk.sessions.session import Session
from google.adk.sessions.state import State

from everturn.client.calls.call import Plan, json_bytes
from everturn.errors import TooLargeError
from everturn.integrations.adk.names import APPS, SESSIONS, USERS, SessionName, UserName, app_key
from everturn.integrations.plans import (
    UNANSWERED,
    Version,
    changed,
    changed_version,
    found_value,
    found_version,
)

StateDict = dict[str, Any]
# What the document of a session holds.
_SESSION_FIELDS: Final[Mapping[str, type | tuple[type, ...]]] = {
    "app_name": str,
    "user_id": str,
    "session_id": str,
    "state": dict,
    "created": (int, float),
}
# What the server takes as the value of a document, and what it writes longer than we do.
_MAX_VALUE_BYTES: Final = 1_048_576
_ESCAPED: Final = re.compile("[&<>\u2028\u2029]")


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
    """Return the document of a session; `created` in seconds of Unix time.

    Raises:
        TooLargeError: it is above 1 MiB.
    """
    value = {**name._asdict(), "state": state, "created": created}
    check_size(value)
    return value


def is_session(value: object) -> TypeGuard[StateDict]:
    """Say whether a document is that of a session; other programs may write some beside it."""
    return isinstance(value, dict) and all(
        isinstance(value.get(name), kind) for name, kind in _SESSION_FIELDS.items()
    )


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


@dataclass(frozen=True, slots=True)
class StateChange:
    """A change of one document of state, merged into what is there, whoever changes it meanwhile.

    `merge` makes the new value of the old one, None where there is none.
    """

    space: str
    key: str
    delta: StateDict
    merge: Callable[[StateDict | None], StateDict]

    def look(self) -> Plan[Version]:
        """Read what is to be changed: one request.

        Raises:
            SessionNotFoundError: it is the state of a session that is not there.
            TooLargeError: it would be above 1 MiB.
        """
        version = yield from found_version(self.space, self.key)
        if version != UNANSWERED:
            check_size(self.merge(version.value))
        return version

    def make(self, known: Version) -> Plan[Version]:
        """Write what was looked at: one request, unless others changed it meanwhile."""
        return changed_version(self.space, self.key, self.merge, known=known)

    def value(self) -> Plan[StateDict]:
        """Make the change, if there is any, and return the whole state; {} where there is none."""
        if not self.delta:
            return (yield from found_value(self.space, self.key)) or {}
        return (yield from changed(self.space, self.key, self.merge)) or {}


def app_change(app_name: str, delta: StateDict) -> StateChange:
    """Return a change of the state of an app."""
    return StateChange(APPS, app_key(app_name), delta, lambda old: {**(old or {}), **delta})


def user_change(name: UserName, delta: StateDict) -> StateChange:
    """Return a change of the state of a user."""
    return StateChange(USERS, name.key, delta, lambda old: {**(old or {}), **delta})


def session_change(name: SessionName, delta: StateDict) -> StateChange:
    """Return a change of the state of a session, which raises where that was deleted."""

    def merged(old: StateDict | None) -> StateDict:
        if old is None:
            raise no_session(name)
        return {**old, "state": {**old["state"], **delta}}

    return StateChange(SESSIONS, name.key, delta, merged)


def check_size(value: StateDict) -> None:
    r"""Check that the server takes the value of a document.

    Raises:
        TooLargeError: it is above 1 MiB of JSON, `&`, `<`, `>` and line separators as \uXXXX.
    """
    text = json_bytes(value).decode()
    if len(_ESCAPED.sub("......", text).encode()) > _MAX_VALUE_BYTES:
        raise TooLargeError(f"a state is too large max_bytes={_MAX_VALUE_BYTES}", field="state")


def no_session(name: SessionName) -> SessionNotFoundError:
    """Return what is raised where a session is not there."""
    return SessionNotFoundError(f"Session {name.session_id} not found.")
