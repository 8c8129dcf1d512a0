"""Sessions of the Claude Agent SDK; needs the extra `claude`."""

from typing import TYPE_CHECKING

from everturn.integrations.extras import lazy_names

if TYPE_CHECKING:
    from everturn.integrations.claude.sessions import EverturnSessionStore
    from everturn.integrations.claude.summary import conversation_of
else:
    # A type checker reads the imports above, and knows a wrong name.
    __getattr__, __dir__ = lazy_names(
        __name__, {"EverturnSessionStore": "sessions", "conversation_of": "summary"}
    )

__all__ = ["EverturnSessionStore", "conversation_of"]
