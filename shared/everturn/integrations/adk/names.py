"""Where the sessions and memories of Google ADK lie: ids of conversations, keys of documents.

No two apps, users or sessions share a name, whatever their characters.

    conversation adk/{app}/{user}/{session}          the events of a session, a turn each
    conversation adk-memory/{app}/{user}             what was added to a user's memory
    document adk-sessions/i{app}.-{user}.-._{id}     a session: its state, when it was created
    document adk-users/i{app}.-._{user}              state of a user in all sessions (`user:`)
    document adk-apps/i._{app}                       state of all users of an app (`app:`)
    document adk-memories/i{app}.-._{user}           which memories were deleted
"""

import hashlib
from typing import Final, NamedTuple
from urllib.parse import quote

from everturn.integrations.item_keys import item_key, items_prefix, string

SESSIONS: Final = "adk-sessions"
USERS: Final = "adk-users"
APPS: Final = "adk-apps"
MEMORIES: Final = "adk-memories"

# The longest folder of a conversation.
_MAX_FOLDER_CHARS: Final = 256


class UserName(NamedTuple):
    """A user of an app."""

    app_name: str
    user_id: str

    @property
    def key(self) -> str:
        """The key of the user's documents."""
        return item_key([self.app_name], self.user_id)

    @property
    def sessions_prefix(self) -> str:
        """How the keys of the user's sessions begin."""
        return items_prefix([self.app_name, self.user_id])

    @property
    def folder(self) -> str:
        """The folder of the conversations of the user's sessions."""
        folder = _joined("adk", *self)
        if len(folder) <= _MAX_FOLDER_CHARS:
            return folder
        return "adk/" + hashlib.sha256(folder.encode()).hexdigest()

    @property
    def memory_id(self) -> str:
        """The id of the conversation that holds what was added to the user's memory."""
        return _joined("adk-memory", *self)


class SessionName(NamedTuple):
    """A session of a user."""

    app_name: str
    user_id: str
    session_id: str

    @property
    def user(self) -> UserName:
        """Whose session it is."""
        return UserName(self.app_name, self.user_id)

    @property
    def key(self) -> str:
        """The key of the session's document."""
        return item_key([self.app_name, self.user_id], self.session_id)

    @property
    def conversation_id(self) -> str:
        """The id of the conversation that holds its events."""
        return _joined("adk", *self)


def app_key(app_name: str) -> str:
    """Return the key of the document of an app."""
    return item_key([], app_name)


def app_prefix(app_name: str) -> str:
    """Return how the keys of an app's users and sessions begin."""
    return items_prefix([app_name])


def _joined(kind: str, *parts: str) -> str:
    # The slashes are ours alone: a name with a slash cannot be taken for two.
    return "/".join(
        [kind, *(quote(string(part), safe="", errors="surrogatepass") for part in parts)]
    )
